# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: BSD-2-Clause

"""A process that kills the children of this one, should this one be killed before it could.

The children have sessions of their own, so nobody else would find them. The guardian holds the read end of a pipe
whose write end dies with this process; until then it sleeps.
"""

# As in process.py.
import _signal as signal
import os

CHUNK = 4096
IGNORED = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT)


class Guardian(object):
    """Started with this object, as a child of this process. Without room for one more process there is none."""

    def __init__(self):
        self.owner = os.getpid()
        self._write_end = None
        self._start()

    def watch(self, group):
        """Take the process group ``group`` (int) under guard. For the child itself to call, before it can be lost."""
        self._tell(b"+%d " % group)

    def forget(self, group):
        """Let go of the process group ``group`` (int), which was killed."""
        self._tell(b"-%d " % group)

    def _start(self):
        made = []
        try:
            made.extend(os.pipe())
            pid = os.fork()
        except OSError:
            # No descriptor or no process left. The children are still bound by their deadlines.
            for descriptor in made:
                os.close(descriptor)
            return
        if pid == 0:
            _guard(*made)
        os.close(made[0])
        self._write_end = made[1]

    def _tell(self, word):
        if self._write_end is None:
            return
        try:
            os.write(self._write_end, word)
        except BrokenPipeError:
            # Somebody killed the guardian.
            self._write_end = None


def groups_left(said):
    """Return the groups (set of int) that are still under guard after all that was ``said`` (bytes).

    A child's own word may come after the word that it is gone, so they are counted.
    """
    balance = {}
    for word in said.split():
        group = int(word[1:])
        balance[group] = balance.get(group, 0) + (1 if word.startswith(b"+") else -1)
    return {group for group, count in balance.items() if count > 0}


def _guard(read_end, write_end):
    """Be the guardian; never returns."""
    try:
        os.setsid()
        os.chdir("/")
        for number in IGNORED:
            signal.signal(number, signal.SIG_IGN)
        signal.setitimer(signal.ITIMER_REAL, 0)
        # Whoever reads what this process writes must not wait for the guardian.
        os.close(write_end)
        null = os.open(os.devnull, os.O_RDWR)
        for descriptor in (0, 1, 2):
            os.dup2(null, descriptor)
        said = b""
        data = os.read(read_end, CHUNK)
        while data:
            said += data
            data = os.read(read_end, CHUNK)
        for group in groups_left(said):
            _kill(group)
    finally:
        os._exit(0)


def _kill(group):
    try:
        os.killpg(group, signal.SIGKILL)
    except OSError:
        # Gone meanwhile, or of another user by now (a setuid program).
        return
