# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: BSD-2-Clause

"""One answer for all tasks of a step on a node: the first task works it out, the others replay it.

The start script names the directory, from Slurm's ids and the node, and only where several tasks start. The
directory is the user's own, closed to others, and no link; in it lie for each key a lock and an entry. An entry is
written whole or not at all, and one that is not exactly right is as good as none.
"""

import fcntl
import os
import stat
import time
import zlib

from . import __version__
from .verdict import Verdict

FORM = ("eessi-arch-guard %s 2" % __version__).encode("ascii")
# Bytes of an answer, and of all that one directory holds.
LONGEST_ANSWER = 4 * 1024 * 1024
LARGEST_DIRECTORY = 131072
# Directories of other steps that the first task of a step leaves: the newest ones, not old, and not large together. Of a
# young one the tasks may still be starting.
KEPT_STEPS = 6
YOUNG_SECONDS = 60
KEPT_SECONDS = 600
KEPT_BYTES = 262144
PREFIX = "eessi-arch-guard."
MATCH = "match"
SHORTEST_PAUSE = 0.005
LONGEST_PAUSE = 0.2

# What differs from task to task and means nothing to the result.
PER_TASK = frozenset((
    "ALPS_APP_PE", "PALS_LOCAL_RANKID", "PALS_RANKID", "PMIX_RANK", "PMI_FD", "PMI_LOCAL_RANK", "PMI_RANK", "SLURM_GTIDS",
    "SLURM_LOCALID", "SLURM_PROCID", "SLURM_TASK_PID", "SLURM_TOPOLOGY_ADDR",
))
PER_TASK_PREFIXES = ("OMPI_COMM_WORLD_", "SLURM_CPU_BIND", "SLURM_MEM_BIND")
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


def depends_on_gpus(environ):
    """Tell whether the key for ``environ`` (dict of str) may differ with the GPUs that a task is bound to."""
    return any(name in GPU_BINDING for name in environ)


def obtain(directory, wanted, produce, make, deadline):
    """Return the answer for the key ``wanted`` (bytes): another task's, or what ``produce()`` returns.

    An answer has ``spoken`` and ``silent`` (bytes) and ``verdict``, and ``make`` makes one of these. ``directory``:
    path; ``deadline``: time.monotonic until which another task is waited for. Where nothing can be shared the result
    is the same, made by this task.
    """
    if not _is_usable(directory):
        return produce()
    name = "%s/%08x" % (directory, zlib.crc32(wanted))
    pause = SHORTEST_PAUSE
    while True:
        found = _read(name, wanted, make)
        if found is not None:
            return found
        lock = _Lock(name + ".lock")
        if lock.is_ours:
            try:
                # Between the look and the lock another task may have come to its end.
                found = _read(name, wanted, make)
                if found is None:
                    clean_up(directory)
                    found = produce()
                    if not _write(name, _encoded(wanted, found)):
                        lock.give_up()
                return found
            finally:
                lock.release()
        if not lock.is_worth_waiting or time.monotonic() >= deadline:
            return produce()
        time.sleep(pause)
        pause = min(2 * pause, LONGEST_PAUSE)


def tell_start_scripts(directory, line):
    """Leave ``line`` (str) for the start scripts of the step: what they compare to know a match without us.

    "" tells them that there is nothing to compare, so that they do not wait for it.
    """
    if not _is_usable(directory):
        return
    name = "%s/%s" % (directory, MATCH)
    data = line.encode("utf-8", "surrogateescape")
    if b"\n" in data or not data or not _write(name, data + b"\n"):
        _write(name, b"")


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
    total = 0
    for number, (changed, path) in enumerate(found):
        total += _size(path)
        if now - changed > (KEPT_SECONDS if number < KEPT_STEPS else YOUNG_SECONDS) or total > KEPT_BYTES:
            _remove(path)


class _Lock(object):
    """The lock on the entry of one key. The kernel takes it from a task that dies.

    ``is_ours``: we have it; ``is_worth_waiting``: another task has it, and will leave an answer.
    """

    def __init__(self, path):
        self.is_ours = self.is_worth_waiting = False
        self._descriptor = None
        try:
            self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK, 0o600)
            if os.fstat(self._descriptor).st_size:
                self.release()
                return
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            # It may have been given up since.
            self.is_ours = not os.fstat(self._descriptor).st_size
        except BlockingIOError:
            self.is_worth_waiting = True
        except OSError:
            # Not a file of ours, or no room for one: nobody can be waited for.
            self.is_ours = False
        if not self.is_ours:
            self.release()

    def give_up(self):
        """Let nobody wait for this lock any more: there is no room for an answer, and one after the other is slower."""
        try:
            # A hole, for which there is room on a full disk.
            os.ftruncate(self._descriptor, 1)
        except OSError:
            # Then the others come one after the other, until their deadline.
            return

    def release(self):
        """Let another task have it."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


def _is_usable(directory):
    """Tell whether ``directory`` is there, or could be made, and only this user could have put something into it."""
    try:
        os.mkdir(directory, 0o700)
    except FileExistsError:
        pass
    except OSError:
        # Full, read-only, or no such place: nothing is shared.
        return False
    status = _status(directory)
    return (status is not None and stat.S_ISDIR(status.st_mode) and status.st_uid == os.geteuid()
            and stat.S_IMODE(status.st_mode) & 0o077 == 0)


def _read(name, wanted, make):
    """Return the answer in the entry ``name``, or None where there is none that is right in every respect."""
    try:
        descriptor = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return None
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode) or status.st_uid != os.geteuid() or status.st_size > LARGEST_DIRECTORY:
            return None
        data = os.read(descriptor, LARGEST_DIRECTORY)
    except OSError:
        return None
    finally:
        os.close(descriptor)
    return _decoded(wanted, data, make)


def _write(name, data):
    """Write the file ``name`` whole, or not at all; tell whether it was written."""
    directory, _slash, replaced = name.rpartition("/")
    if _size(directory, replaced) + len(data) > LARGEST_DIRECTORY:
        return False
    temporary = "%s.%d" % (name, os.getpid())
    try:
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    except OSError:
        return False
    try:
        try:
            written = os.write(descriptor, data)
        finally:
            os.close(descriptor)
        if written == len(data):
            os.rename(temporary, name)
            return True
    except OSError:
        # The place is full: the other tasks do without.
        written = -1
    _unlink(temporary)
    return False


def _encoded(wanted, found):
    verdict = found.verdict
    words = [verdict.kind, verdict.loaded, verdict.node, verdict.word, verdict.reason]
    parts = [wanted, found.spoken, found.silent] + [word.encode("utf-8", "surrogateescape") for word in words]
    body = b"".join(parts)
    head = b" ".join([FORM] + [b"%d" % len(part) for part in parts] + [b"%08x" % zlib.crc32(body)])
    return head + b"\n" + zlib.compress(body, 1)


def _decoded(wanted, data, make):
    head, _line_feed, packed = data.partition(b"\n")
    fields = head[len(FORM) + 1:].split(b" ")
    # Short: int() refuses thousands of digits.
    if not head.startswith(FORM + b" ") or len(fields) != 9 or len(head) > 200:
        return None
    sizes = [int(field) for field in fields[:-1] if field.isdigit()]
    if len(sizes) != 8 or sum(sizes) > LONGEST_ANSWER:
        return None
    try:
        # Never more than it says, whatever a damaged entry would become.
        unpacking = zlib.decompressobj()
        body = unpacking.decompress(packed, sum(sizes) + 1)
    except zlib.error:
        return None
    if not unpacking.eof or len(body) != sum(sizes) or fields[-1] != b"%08x" % zlib.crc32(body):
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


def _size(directory, without=""):
    """Return the bytes of the files in ``directory``, leaving out the one named ``without``."""
    found = [_status("%s/%s" % (directory, name)) for name in _names(directory) if name != without]
    return sum(status.st_size for status in found if status is not None)


def _remove(directory):
    """Remove ``directory`` with the files in it, following no link."""
    try:
        descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError:
        return
    try:
        for name in os.listdir(descriptor):
            os.unlink(name, dir_fd=descriptor)
        os.rmdir(directory)
    except OSError:
        # Another task is just removing it, or puts something in.
        return
    finally:
        os.close(descriptor)


def _unlink(path):
    try:
        os.unlink(path)
    except OSError:
        return
