# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: BSD-2-Clause

"""The node as the guard sees it: its environment, files, directories and programs. The edge to the outside."""

import os
import stat
import time

from . import cpuinfo, environ_block, leftovers, process
from .errors import CannotRead
from .text import clean

# No program of the job's PATH, which may be built for another processor, comes before the system's own.
SYSTEM_PATH = ("/usr/sbin", "/usr/bin", "/sbin", "/bin")


class Node(object):
    """The node that this process runs on.

    ``environ``: mapping of str. Every question has a deadline (time.monotonic, seconds), since a mount, a driver
    or a device may never answer.
    """

    def __init__(self, environ):
        self.environ = environ

    @property
    def name(self):
        """Name of the node: what Slurm calls it, else what it calls itself."""
        return self.environ.get("SLURMD_NODENAME") or os.uname()[1]

    @staticmethod
    def with_environ(environ):
        """Return the same node as seen with another environment."""
        return Node(environ)

    @staticmethod
    def deadline(seconds):
        """Return the point in time ``seconds`` from now."""
        return time.monotonic() + seconds

    @staticmethod
    def now():
        """Return the time of day in seconds, as file times have it."""
        return time.time()

    @staticmethod
    def remove_leftovers(since):
        """Remove what an accelpath started at ``since`` (time.time) left in /tmp; return its first line (bytes)."""
        return leftovers.remove(since)

    @staticmethod
    def program(name):
        """Return the path of the system's program ``name``."""
        for directory in SYSTEM_PATH:
            path = "%s/%s" % (directory, name)
            if os.access(path, os.X_OK):
                return path
        return "%s/%s" % (SYSTEM_PATH[-1], name)

    def run(self, commands, limit, deadline):
        """Run ``commands``, a list of (argv, environment), side by side; return a process.Outcome each.

        argv[0] is the name of a program of the system, ``limit`` the bytes of stdout that are read. Past the deadline
        nothing is started.
        """
        if time.monotonic() >= deadline:
            return [process.Outcome(process.TIMEOUT) for _command in commands]
        children = [process.start([self.program(argv[0])] + argv[1:], env, limit) for argv, env in commands]
        return process.wait(children, deadline)

    @staticmethod
    def read(path, limit, deadline):
        """Return (bytes of the file, whether it goes on beyond ``limit``); raise CannotRead."""
        outcome = _ask(lambda: _copy(process.as_bytes([path])[0], limit + 1), limit + 1, deadline)
        if outcome.how == process.EXITED and outcome.status == 0:
            return outcome.stdout[:limit], len(outcome.stdout) > limit
        raise CannotRead("%s: %s" % (clean(path), _why(outcome)))

    @staticmethod
    def entries(path, deadline):
        """Return the names in the directory ``path``; raise CannotRead."""
        outcome = _ask(lambda: os.write(1, b"\0".join(os.listdir(process.as_bytes([path])[0]))), 1 << 16, deadline)
        if outcome.how == process.EXITED and outcome.status == 0:
            return [name.decode("utf-8", "surrogateescape") for name in outcome.stdout.split(b"\0") if name]
        raise CannotRead("%s: %s" % (clean(path), _why(outcome)))

    @staticmethod
    def directories(paths, may_stop, deadline):
        """Look ``paths`` up in their order; return (installed, problem) for each that was looked up.

        ``installed``: True for a directory, False where there is none (ENOENT, ENOTDIR), None where that cannot be
        told, and then ``problem`` names path and error. The look-up ends after the first path that is not False
        and for which ``may_stop`` (list of bool) allows it.
        """
        outcome = _ask(lambda: _look_up(paths, may_stop), 16 * len(paths) + 16, deadline)
        found = []
        for path, _stops, line in zip(paths, may_stop, outcome.stdout.split(b"\n")[:-1]):
            number = int(line)
            installed = {_DIRECTORY: True, _NOTHING: False}.get(number)
            found.append((installed, "" if number <= 0 else "%s: %s" % (clean(path), process.errno_text(number))))
        stopped = bool(found) and found[-1][0] is not False and may_stop[len(found) - 1]
        if len(found) < len(paths) and not stopped:
            found.append((None, "%s: %s" % (clean(paths[len(found)]), _why(outcome))))
        return found

    @staticmethod
    def files(paths, deadline):
        """Return whether each of ``paths`` is a file, False where that cannot be told."""
        outcome = _ask(lambda: _look_for_files(paths), len(paths), deadline)
        return [answer == b"1"[0] for answer in outcome.stdout.ljust(len(paths), b"0")]

    @staticmethod
    def gpu_models(deadline, directory="/proc/driver/nvidia/gpus"):
        """Return the model names of the NVIDIA GPUs as their driver tells them, [] where it does not tell them all."""
        if not os.path.isdir(directory):
            return []
        outcome = _ask(lambda: _list_gpu_models(directory), 1 << 16, deadline)
        if outcome.how != process.EXITED or outcome.status != 0:
            return []
        return [clean(model) for model in outcome.stdout.split(b"\n") if model]

    def cpu_info(self, path, deadline):
        """Return the cpuinfo.CpuInfo of the file ``path``; one without flags and with a problem where it gives none."""
        try:
            data, cut = self.read(path, cpuinfo.LIMIT, deadline)
        except CannotRead as error:
            return cpuinfo.CpuInfo(problem=str(error))
        return cpuinfo.parse(data, cut)


_DIRECTORY = 0
_NOTHING = -1


def environment_of_this_process():
    """Return the environment that this process was started with (dict of str), without exported functions."""
    return environ_block.parse(b"\0".join(name + b"=" + os.environb[name] for name in os.environb))


def _ask(question, limit, deadline):
    """Run ``question`` in a child that may never return; return its process.Outcome.

    Past the deadline no child is started: a look-up that hangs takes its time once, and not once a look-up.
    """
    if time.monotonic() >= deadline:
        return process.Outcome(process.TIMEOUT)
    return process.wait([process.call(question, limit)], deadline)[0]


def _copy(path, limit):
    # O_NONBLOCK: a FIFO must not hold the reader until somebody opens its other end.
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    while limit > 0:
        data = os.read(descriptor, min(limit, process.CHUNK))
        if not data:
            break
        limit -= len(data)
        _write_all(data)


def _write_all(data):
    while data:
        data = data[os.write(1, data):]


def _look_up(paths, may_stop):
    for path, stops in zip(process.as_bytes(paths), may_stop):
        try:
            answer = _DIRECTORY if stat.S_ISDIR(os.stat(path).st_mode) else _NOTHING
        except (FileNotFoundError, NotADirectoryError):
            answer = _NOTHING
        except OSError as error:
            answer = error.errno
        os.write(1, b"%d\n" % answer)
        if stops and answer != _NOTHING:
            return


def _look_for_files(paths):
    for path in process.as_bytes(paths):
        os.write(1, b"1" if os.path.isfile(path) else b"0")


def _list_gpu_models(directory):
    for name in sorted(os.listdir(directory)):
        with open("%s/%s/information" % (directory, name), "rb") as information:
            for line in information.read(4096).split(b"\n"):
                key, colon, value = line.partition(b":")
                if key.strip() == b"Model":
                    _write_all(value.strip() + b"\n")


def _why(outcome):
    """Return in one line why a question got no answer."""
    if outcome.how == process.TIMEOUT:
        return "no answer in time"
    if outcome.how == process.NOT_STARTED:
        return outcome.problem
    if outcome.how == process.TOO_MUCH_OUTPUT:
        return "too long"
    return clean(outcome.stderr.partition(b"\n")[0]) or "ended with status %s" % outcome.status
