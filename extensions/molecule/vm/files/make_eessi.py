# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Make a sample EESSI in the directory that is the argument, with what this machine has: run where the samples lie."""

import sys
from pathlib import Path

sys.path.insert(0, ".")

from sample.eessi.build import install_eessi  # noqa: E402 - found by the line above
from sample.modules import Software, write_for_targets  # noqa: E402
from sample.tree import build_repository  # noqa: E402
from sample.waiting import NEEDS_WAITPKG, write_waiting_program  # noqa: E402

GROMACS = Software("GROMACS", "2024", programs=("gmx",))
TARGETS = {"x86_64/intel/sapphirerapids": NEEDS_WAITPKG, "x86_64/intel/icelake": (), "x86_64/amd/zen4": ()}

repository = build_repository(Path(sys.argv[1]))
install_eessi(repository.root, repository.version)
write_for_targets(repository, TARGETS, GROMACS)
for target, options in TARGETS.items():
    write_waiting_program(repository, target, options)
