# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Run a command, show what it prints and keep it in a log."""

import os
import shlex
import signal
import subprocess
import sys
import threading
from pathlib import Path

from .paths import ROOT

DEFAULT_LIMIT_SECONDS = 1800
_running = set()


def run(command, log, *, env, cwd=ROOT, limit=DEFAULT_LIMIT_SECONDS, show=True):
    """Run `command` (a list), append its output to the file `log`, show it too if `show`: a str goes before each line.

    Returns the exit status, negative for a signal. The whole process group is killed after `limit` seconds.
    """
    command = [str(word) for word in command]
    Path(log).parent.mkdir(parents=True, exist_ok=True)
    with open(log, "ab") as sink:
        sink.write(f"$ {shlex.join(command)}\n".encode())
        sink.flush()
        with subprocess.Popen(
            command,
            cwd=cwd,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        ) as child:
            timer = threading.Timer(limit, _kill_group, [child, sink, limit])
            timer.start()
            _running.add(child)
            try:
                _copy(child.stdout, sink, show)
                status = child.wait()
            except BaseException:
                _signal_group(child)
                raise
            finally:
                _running.discard(child)
                timer.cancel()
        sink.write(f"[exit status {status}]\n".encode())
    return status


def end_all():
    """Kill what run() is running in other threads."""
    for child in list(_running):
        _signal_group(child)


def _copy(source, sink, show):
    waiting = b""
    while chunk := os.read(source.fileno(), 65536):
        sink.write(chunk)
        sink.flush()
        if isinstance(show, str):
            lines, newline, waiting = (waiting + chunk).rpartition(b"\n")
            _show(b"".join(show.encode() + line for line in (lines + newline).splitlines(keepends=True)))
        elif show:
            _show(chunk)
    if waiting:
        _show(show.encode() + waiting + b"\n")


def _show(data):
    sys.stdout.write(data.decode(errors="replace"))
    sys.stdout.flush()


def _kill_group(child, sink, limit):
    sink.write(f"\n[killed after {limit} s]\n".encode())
    sink.flush()
    _signal_group(child)


def _signal_group(child):
    try:
        os.killpg(child.pid, signal.SIGKILL)
    except ProcessLookupError:
        # It ended by itself in the meantime.
        return
