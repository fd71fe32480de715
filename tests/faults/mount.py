# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A real mount that answers every look at it with an error, or never.

It speaks the kernel's own FUSE protocol (linux/fuse.h). A process that waits for an answer which was asked for and
never comes is in uninterruptible sleep, as with a dead network file system: not even SIGKILL ends it.
"""

import errno
import os
import select
import struct
import threading

import pytest

DEVICE = "/dev/fuse"
BUFFER = 1 << 17
# Milliseconds.
PAUSE = 10
REQUEST = struct.Struct("=IIQQIIII")
REPLY = struct.Struct("=IiQ")
# major, minor, max_readahead, flags, max_background, congestion_threshold, max_write, time_gran, and what is not used.
INIT_REPLY = struct.Struct("=IIIIHHII9I")
INIT, FORGET, INTERRUPT, BATCH_FORGET = 26, 2, 36, 42
# These have no reply, by their kind.
SILENT = frozenset((FORGET, INTERRUPT, BATCH_FORGET))


class Mount:
    """Serves one mount while the context lasts. `error`: the errno of every answer, None for no answer at all.

    `descriptor`: to be inherited by who mounts it, see mount_command. The end of the context aborts the connection,
    and whoever still waits for it gets ENOTCONN.
    """

    def __init__(self, error=None):
        self._error = error
        self._gone = threading.Event()
        self._server = threading.Thread(target=self._serve)
        try:
            self.descriptor = os.open(DEVICE, os.O_RDWR | os.O_NONBLOCK)
        except OSError:
            pytest.skip("this machine has no FUSE")

    def mount_command(self, directory):
        """The words of the command that mounts it at `directory`, to run in a mount namespace of its own."""
        options = f"fd={self.descriptor},rootmode=40000,user_id=0,group_id=0,allow_other"
        return ["mount", "-i", "-t", "fuse", "-o", options, "fault", str(directory)]

    def __enter__(self):
        self._server.start()
        return self

    def __exit__(self, *_exception):
        self.abort()

    def abort(self):
        """Let the server be gone."""
        if not self._gone.is_set():
            self._gone.set()
            self._server.join()
            os.close(self.descriptor)

    def _serve(self):
        poller = select.poll()
        poller.register(self.descriptor, select.POLLIN)
        while not self._gone.is_set():
            poller.poll(PAUSE)
            try:
                request = os.read(self.descriptor, BUFFER)
            except OSError as error:
                # Not mounted yet (EPERM, and the poll returns at once), nothing asked, or not any more, or unmounted.
                if error.errno not in (errno.EPERM, errno.EAGAIN, errno.ENOENT, errno.ENODEV):
                    raise
                self._gone.wait(PAUSE / 1000)
                continue
            self._answer(request)

    def _answer(self, request):
        _length, operation, unique = REQUEST.unpack(request[:REQUEST.size])[:3]
        if operation == INIT:
            self._reply(unique, 0, INIT_REPLY.pack(7, 31, 65536, 0, 0, 0, 65536, 0, *([0] * 9)))
        elif operation not in SILENT and self._error is not None:
            self._reply(unique, -self._error)

    def _reply(self, unique, error, body=b""):
        try:
            os.write(self.descriptor, REPLY.pack(REPLY.size + len(body), error, unique) + body)
        except FileNotFoundError:
            # Whoever asked is gone.
            return
