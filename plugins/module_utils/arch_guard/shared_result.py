# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: BSD-2-Clause

"""One answer for all tasks of a step on a node: the first task works it out, the others replay it.

The start script names the directory, from Slurm's ids and the node, and only where several tasks start. The
directory is the user's own, closed to others, and no link; in it lie for each key a lock and an entry. An entry is
written whole or not at all, and one that is not exactly right is as good as none.
"""

import binascii
import fcntl
import os
import stat
import time

from . import __version__
from .verdict import Verdict

FORM = ("eessi-arch-guard %s 1" % __version__).encode("ascii")
LONGEST_ENTRY = 262144
# Directories of steps that the first task of another step leaves: the newest ones, and none that is old.
KEPT_STEPS = 6
KEPT_SECONDS = 600
PREFIX = "eessi-arch-guard."
MATCH = "match"
SHORTEST_PAUSE = 0.005
LONGEST_PAUSE = 0.05

# What differs from task to task and means nothing to the result.
PER_TASK = frozenset((
    "PMIX_RANK", "PMI_FD", "PMI_RANK", "SLURM_GTIDS", "SLURM_LOCALID", "SLURM_PROCID", "SLURM_TASK_PID", "SLURM_TOPOLOGY_ADDR",
))
PER_TASK_PREFIXES = ("OMPI_COMM_WORLD_", "SLURM_CPU_BIND")
# Which GPU a task may use.
GPU_BINDING = frozenset((
    "CUDA_VISIBLE_DEVICES", "GPU_DEVICE_ORDINAL", "HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES", "ZE_AFFINITY_MASK",
))


def key(environ, gpu_models, more):
    """Return what the result depends on (bytes).

    ``environ``: dict of str; ``gpu_models``: names of the node's GPU models: where all are alike it does not matter
    which of them a task may use; ``more``: list of str.
    """
    alike = len(set(gpu_models)) == 1
    parts = list(more)
    for name in sorted(environ):
        if name in PER_TASK or name.startswith(PER_TASK_PREFIXES) or (alike and name in GPU_BINDING):
            continue
        parts.append("%s=%s" % (name, environ[name]))
    return "\0".join(parts).encode("utf-8", "surrogateescape")


def obtain(directory, wanted, produce, make, deadline):
    """Return the answer for the key ``wanted`` (bytes): another task's, or what ``produce()`` returns.

    An answer has ``spoken`` and ``silent`` (bytes) and ``verdict``, and ``make`` makes one of these. ``directory``:
    path; ``deadline``: time.monotonic until which another task is waited for. Where nothing can be shared the result
    is the same, made by this task.
    """
    if not _is_usable(directory):
        return produce()
    name = "%s/%08x" % (directory, binascii.crc32(wanted) & 0xFFFFFFFF)
    pause = SHORTEST_PAUSE
    while True:
        found = _read(name, wanted, make)
        if found is not None:
            return found
        lock = _lock(name + ".lock")
        if lock is not None:
            try:
                # Between the look and the lock another task may have come to its end.
                found = _read(name, wanted, make)
                if found is None:
                    found = produce()
                    _write(name, _encoded(wanted, found))
                return found
            finally:
                os.close(lock)
        if time.monotonic() >= deadline:
            return produce()
        time.sleep(pause)
        pause = min(2 * pause, LONGEST_PAUSE)


def remember_match(directory, line):
    """Leave ``line`` (str) for the start scripts of the step: what they compare to know a match without us."""
    data = line.encode("utf-8", "surrogateescape")
    if _is_usable(directory) and b"\n" not in data:
        _write("%s/%s" % (directory, MATCH), data + b"\n")


def clean_up(directory):
    """Remove what earlier steps of this user left beside ``directory``."""
    parent = os.path.dirname(directory)
    now = time.time()
    found = []
    for name in _names(parent):
        path = "%s/%s" % (parent, name)
        if name.startswith(PREFIX) and path != directory:
            status = _status(path)
            if status is not None and stat.S_ISDIR(status.st_mode) and status.st_uid == os.geteuid():
                found.append((status.st_mtime, path))
    found.sort(reverse=True)
    for number, (changed, path) in enumerate(found):
        if number >= KEPT_STEPS or now - changed > KEPT_SECONDS:
            _remove(path)


def _is_usable(directory):
    """Tell whether ``directory`` is there, or could be made, and only this user could have put something into it."""
    try:
        os.mkdir(directory, 0o700)
        clean_up(directory)
    except FileExistsError:
        pass
    except OSError:
        # Full, read-only, or no such place: nothing is shared.
        return False
    status = _status(directory)
    return (status is not None and stat.S_ISDIR(status.st_mode) and status.st_uid == os.geteuid()
            and stat.S_IMODE(status.st_mode) & 0o077 == 0)


def _lock(path):
    """Return the descriptor of the lock file, locked, or None where another task has it or it cannot be had."""
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK, 0o600)
    except OSError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        return None
    return descriptor


def _read(name, wanted, make):
    """Return the answer in the entry ``name``, or None where there is none that is right in every respect."""
    try:
        descriptor = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return None
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode) or status.st_uid != os.geteuid() or status.st_size > LONGEST_ENTRY:
            return None
        data = os.read(descriptor, LONGEST_ENTRY)
    except OSError:
        return None
    finally:
        os.close(descriptor)
    return _decoded(wanted, data, make)


def _write(name, data):
    """Write the file ``name`` whole, or not at all."""
    if len(data) > LONGEST_ENTRY:
        return
    temporary = "%s.%d" % (name, os.getpid())
    try:
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    except OSError:
        return
    try:
        try:
            written = os.write(descriptor, data)
        finally:
            os.close(descriptor)
        if written == len(data):
            os.rename(temporary, name)
            return
    except OSError:
        # The place is full: the other tasks do without.
        written = -1
    _unlink(temporary)


def _encoded(wanted, found):
    verdict = found.verdict
    words = [verdict.kind, verdict.loaded, verdict.node, verdict.word, verdict.reason]
    parts = [wanted, found.spoken, found.silent] + [word.encode("utf-8", "surrogateescape") for word in words]
    body = b"".join(parts)
    head = b" ".join([FORM] + [b"%d" % len(part) for part in parts] + [b"%08x" % (binascii.crc32(body) & 0xFFFFFFFF)])
    return head + b"\n" + body


def _decoded(wanted, data, make):
    head, line_feed, body = data.partition(b"\n")
    if not line_feed or not head.startswith(FORM + b" "):
        return None
    fields = head[len(FORM) + 1:].split(b" ")
    sizes = [int(field) for field in fields[:-1] if field.isdigit()]
    if len(fields) != 9 or len(sizes) != 8 or sum(sizes) != len(body):
        return None
    if fields[-1] != b"%08x" % (binascii.crc32(body) & 0xFFFFFFFF):
        return None
    parts = []
    for size in sizes:
        parts.append(body[:size])
        body = body[size:]
    if parts[0] != wanted:
        return None
    return make(parts[1], parts[2], Verdict(*(part.decode("utf-8", "surrogateescape") for part in parts[3:])))


def _names(directory):
    try:
        return os.listdir(directory)
    except OSError:
        return []


def _status(path):
    try:
        return os.lstat(path)
    except OSError:
        return None


def _remove(directory):
    for name in _names(directory):
        _unlink("%s/%s" % (directory, name))
    try:
        os.rmdir(directory)
    except OSError:
        # Another task is just removing it, or puts something in.
        return


def _unlink(path):
    try:
        os.unlink(path)
    except OSError:
        return
