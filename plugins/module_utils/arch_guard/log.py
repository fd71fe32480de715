# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: BSD-2-Clause

"""One line in the system's log for a reload or a failure."""

import os
import socket

from . import verdict as verdicts
from .text import clean

DEVICE = "/dev/log"
# RFC 3164: facility user (1), severity warning (4) or notice (5).
FAILURE = 1 * 8 + 4
NOTICE = 1 * 8 + 5
LONGEST = 900


def line(verdict, environ):
    """Return what is logged about ``verdict`` (verdict.Verdict) for the task with ``environ``, as bytes."""
    fields = [
        ("job", environ.get("SLURM_JOB_ID", "")),
        ("step", environ.get("SLURM_STEP_ID", "")),
        ("node", environ.get("SLURMD_NODENAME", "")),
        ("verdict", verdict.kind),
        ("label", verdict.label),
        ("reason", verdict.reason),
    ]
    said = " ".join("%s=%s" % (name, clean(value, 300).replace(" ", "_" if name != "reason" else " "))
                    for name, value in fields if value)
    priority = FAILURE if verdict.kind == verdicts.FAILURE else NOTICE
    return ("<%d>eessi-arch-guard[%d]: %s" % (priority, os.getpid(), said)).encode("utf-8")[:LONGEST]


def send(message, device=DEVICE):
    """Send ``message`` (bytes) to the system's log. A task never waits for it: a log that does not take it goes without."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as channel:
        channel.setblocking(False)
        try:
            channel.sendto(message, device)
        except OSError:
            # No log on this node, or one that is stuck; there is nobody here to tell.
            return False
    return True
