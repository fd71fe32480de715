# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A sample repository with the EESSI module in it, and a user's shells that find that module."""

from dataclasses import dataclass
from pathlib import Path

from harness.shell import Shell
from sample.eessi.build import eessi_scripts, install_eessi
from sample.modules import write_for_targets
from sample.tree import Repository, build_repository


@dataclass(frozen=True)
class Cluster:
    repository: Repository
    shell: Shell

    @property
    def eessi(self):
        """The name of the EESSI module."""
        return f"EESSI/{self.repository.version}"

    def write(self, targets, *softwares):
        """Write software for targets of the repository (see sample.modules.write_for_targets)."""
        write_for_targets(self.repository, targets, *softwares)


def build_cluster(work, lmod, modulepath=(), variables=None, scripts=None, **tree):
    """Build everything below `work`: cvmfs/ and shells/.

    modulepath: directories behind the one of the EESSI module. variables: see Shell. tree: see build_repository.
    scripts: EESSI's own, see install_eessi (None: what eessi_scripts says, and that is mostly the sample).
    """
    repository = build_repository(Path(work) / "cvmfs", **tree)
    of_eessi = install_eessi(repository.root, repository.version, scripts or eessi_scripts())
    return Cluster(repository, Shell(lmod, Path(work) / "shells", [of_eessi, *modulepath], variables))
