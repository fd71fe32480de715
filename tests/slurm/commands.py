# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Run one command with a time limit, on pipes or on a terminal."""

import errno
import os
import pty
import select
import signal
import subprocess
import time


def run(argv, timeout, stdin=None):
    """Run argv and return its CompletedProcess, stdout and stderr as text.

    stdin: text; None: /dev/null. Raises subprocess.TimeoutExpired after `timeout` seconds.
    """
    source = subprocess.DEVNULL if stdin is None else subprocess.PIPE
    process = subprocess.Popen(
        argv,
        stdin=source,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        errors="surrogateescape",
        start_new_session=True,
    )
    try:
        stdout, stderr = process.communicate(stdin, timeout)
    except BaseException:
        _kill_group(process)
        raise
    return subprocess.CompletedProcess(argv, process.returncode, stdout, stderr)


def run_on_terminal(argv, timeout, typed):
    """Run argv on a terminal of its own, type the text, and return its CompletedProcess.

    Its stdout is all that the terminal showed, echo and prompts included, with plain line feeds.
    Raises subprocess.TimeoutExpired after `timeout` seconds.
    """
    master, slave = pty.openpty()
    try:
        process = subprocess.Popen(argv, stdin=slave, stdout=slave, stderr=slave, start_new_session=True)
    except BaseException:
        os.close(master)
        raise
    finally:
        os.close(slave)
    shown = bytearray()
    deadline = time.monotonic() + timeout
    try:
        os.write(master, typed.encode())
        while _read(master, shown, deadline):
            pass
        process.wait(max(0, deadline - time.monotonic()))
    finally:
        # Hangs up what runs in a session of its own.
        os.close(master)
        _kill_group(process)
    text = shown.decode(errors="surrogateescape").replace("\r\n", "\n")
    return subprocess.CompletedProcess(argv, process.returncode, text, "")


def _read(master, shown, deadline):
    """Add to `shown` what the terminal shows; return whether a process still has it open, and time is left."""
    ready, _writable, _failed = select.select([master], [], [], max(0, deadline - time.monotonic()))
    if not ready:
        return False
    try:
        shown += os.read(master, 65536)
    except OSError as error:
        # How Linux says that the last process has closed it.
        if error.errno != errno.EIO:
            raise
        return False
    return True


def _kill_group(process):
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
