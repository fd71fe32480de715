# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Scenarios of Molecule, and the one that needs no other machine than this one."""

import os

from . import process
from .outcome import Outcome, Unavailable
from .paths import CACHE


def molecule(context, log):
    """One test: the whole sequence of the scenario `default`."""
    if os.geteuid() != 0:
        raise Unavailable("the role installs files of root")
    status = run_scenario(context.molecule_venv(), log, "default", CACHE / "molecule", context.env)
    if status == 0:
        return Outcome(passed=1)
    return Outcome(failed=1, problems=[f"molecule exited {status}, see {log}"])


def run_scenario(bin_dir, log, name, directory, env, limit=process.DEFAULT_LIMIT_SECONDS, show=True):
    """Run the whole sequence of a scenario with its files in `directory`; returns Molecule's exit status.

    bin_dir: of the environment that has Molecule. limit, show: as for process.run().
    """
    env = dict(
        env,
        PATH=f"{bin_dir}{os.pathsep}{env['PATH']}",
        MOLECULE_EPHEMERAL_DIRECTORY=str(directory),
        NO_COLOR="1",
    )
    return process.run([bin_dir / "molecule", "test", "--scenario-name", name], log, env=env, limit=limit, show=show)
