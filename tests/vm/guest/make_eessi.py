# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Make a sample EESSI in the directory that is the argument, with what this machine has: started where the samples lie."""

import sys
from pathlib import Path

sys.path.insert(0, ".")

from sample.eessi.build import install_eessi
from sample.modules import Software, write_for_targets
from sample.tree import build_repository
from sample.waiting import NEEDS_WAITPKG_EMULATED, write_waiting_program

GROMACS = Software("GROMACS", "2024", programs=("gmx",))
TARGETS = {"x86_64/intel/sapphirerapids": NEEDS_WAITPKG_EMULATED, "x86_64/intel/icelake": (), "x86_64/amd/zen4": ()}

repository = build_repository(Path(sys.argv[1]))
install_eessi(repository.root, repository.version)
write_for_targets(repository, TARGETS, GROMACS)
for target, options in TARGETS.items():
    write_waiting_program(repository, target, options)
