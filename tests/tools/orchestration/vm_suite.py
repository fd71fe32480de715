# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The scenario of Molecule on virtual machines, on two releases of Debian."""

import os
import sys

from . import process
from .environment import missing_programs
from .molecule_suite import run_scenario
from .outcome import Outcome, Unavailable
from .paths import CACHE, ROOT

# VM_RELEASES takes some of them.
RELEASES = ("stable", "oldstable")
PROGRAMS = ("mkfs.ext4", "mmdebstrap", "qemu-system-x86_64", "ssh", "ssh-keygen")
DIRECTORY = CACHE / "molecule-vm"
# Seconds for one release, image included, on two cores that emulate.
LIMIT = 1500


def vm(context, log):
    """One test for each release: the whole sequence of the scenario `vm`. With machines of a site's own: one test."""
    given = context.env.get("VM_MACHINES")
    if not given:
        reason = why_not(context.env)
        if reason:
            raise Unavailable(reason)
    outcome = Outcome()
    for release in ("the site's",) if given else (context.env.get("VM_RELEASES") or " ".join(RELEASES)).split():
        print(f"  machines: {release}", flush=True)
        env = dict(context.env, VM_RELEASE=release)
        try:
            status = run_scenario(context, log, "vm", DIRECTORY, env, LIMIT)
        finally:
            # Molecule does it too, unless it was killed.
            down = [sys.executable, ROOT / "tests" / "vm", "down", DIRECTORY / "run"]
            ended = process.run(down, log, env=context.env)
        if status == 0 and ended == 0:
            outcome.passed += 1
        else:
            outcome.fail(f"{release}: molecule exited {status}, the end of the machines {ended}, see {log}")
    return outcome


def why_not(env):
    """Return in one line why this machine cannot make the machines; None where it can."""
    if os.geteuid() != 0:
        return "the virtual machines' image is built as root"
    missing = missing_programs(env, PROGRAMS)
    return f"the virtual machines need programs that are not installed: {' '.join(missing)}" if missing else None
