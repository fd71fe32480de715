# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The scenario of Molecule that needs no other machine than this one."""

import os

from . import process
from .outcome import Outcome, Unavailable
from .paths import CACHE


def molecule(context, log):
    """One test: the whole sequence of the scenario `default`."""
    if os.geteuid() != 0:
        raise Unavailable("the role installs files of root")
    bin_dir = context.molecule_venv()
    env = dict(
        context.env,
        PATH=f"{bin_dir}{os.pathsep}{context.env['PATH']}",
        MOLECULE_EPHEMERAL_DIRECTORY=str(CACHE / "molecule"),
        NO_COLOR="1",
    )
    status = process.run([bin_dir / "molecule", "test", "--scenario-name", "default"], log, env=env)
    if status == 0:
        return Outcome(passed=1)
    return Outcome(failed=1, problems=[f"molecule exited {status}, see {log}"])
