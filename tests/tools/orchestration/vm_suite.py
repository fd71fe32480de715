# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The scenario of Molecule on virtual machines of one or more releases of Debian."""

import os
import sys
from concurrent.futures import ThreadPoolExecutor

from . import process
from .environment import missing_programs
from .molecule_suite import run_scenario
from .outcome import Outcome, Unavailable
from .paths import CACHE, ROOT

# Of Debian, unless VM_RELEASES names others.
RELEASES = "stable"
PROGRAMS = ("mkfs.ext4", "mmdebstrap", "qemu-system-x86_64", "ssh", "ssh-keygen")
DIRECTORY = CACHE / "molecule-vm"
# Seconds, image included, on two cores that emulate.
LIMIT = 1500


def vm(context, log):
    """One test for each release: the whole sequence of the scenario `vm`. With machines of a site's own: one test.

    The releases go through it at once: a machine that is waited for leaves the processor to the others.
    """
    given = context.env.get("VM_MACHINES")
    if not given:
        reason = why_not(context.env)
        if reason:
            raise Unavailable(reason)
    releases = ("site",) if given else (context.env.get("VM_RELEASES") or RELEASES).split()
    bin_dir = context.molecule_vm_venv()
    outcome = Outcome()
    with ThreadPoolExecutor(len(releases)) as pool:
        runs = [pool.submit(_run, bin_dir, log, release, context.env) for release in releases]
        try:
            ends = [run.result() for run in runs]
        except BaseException:
            process.end_all()
            raise
    for release, (status, ended) in zip(releases, ends, strict=True):
        if status == 0 and ended == 0:
            outcome.passed += 1
        else:
            outcome.fail(f"{release}: molecule exited {status}, the end of the machines {ended}, see {_log(log, release)}")
    return outcome


def _run(bin_dir, log, release, env):
    """(Molecule's exit status, that of what ends the machines) for one release."""
    log = _log(log, release)
    log.unlink(missing_ok=True)
    directory = DIRECTORY / release
    show = f"{release}: "
    try:
        status = run_scenario(bin_dir, log, "vm", directory, dict(env, VM_RELEASE=release), LIMIT, show)
    finally:
        # Molecule does it too, unless it was killed.
        down = [sys.executable, ROOT / "tests" / "vm", "down", directory / "run"]
        ended = process.run(down, log, env=env, show=show)
    return status, ended


def _log(log, release):
    return log.with_stem(f"{log.stem}-{release}")


def why_not(env):
    """Return in one line why this machine cannot make the machines; None where it can."""
    if os.geteuid() != 0:
        return "the virtual machines' image is built as root"
    missing = missing_programs(env, PROGRAMS)
    return f"the virtual machines need programs that are not installed: {' '.join(missing)}" if missing else None
