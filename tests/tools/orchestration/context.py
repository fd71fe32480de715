# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a suite gets to work with."""

import json
import sys
from dataclasses import dataclass
from pathlib import Path

from . import venvs
from .cores import CORES, controller_for
from .paths import CACHE, LOGS


@dataclass
class Context:
    """`pythons` maps versions to interpreters, `env` is the environment for every child."""

    pythons: dict
    env: dict

    @property
    def main_version(self):
        return f"{sys.version_info[0]}.{sys.version_info[1]}"

    def log(self, name):
        return LOGS / f"{name}.log"

    def main_venv(self):
        """bin of the environment that runs pytest."""
        return venvs.ensure("main", Path(sys.executable), self.main_version, "main.txt", self.env)

    def lint_venv(self):
        return venvs.ensure("lint", Path(sys.executable), self.main_version, "lint.txt", self.env)

    def fuzz_venv(self):
        return venvs.ensure("fuzz", Path(sys.executable), self.main_version, "fuzz.txt", self.env)

    def browser_venv(self):
        return venvs.ensure("browser", Path(sys.executable), self.main_version, "browser.txt", self.env)

    def molecule_venv(self):
        return venvs.ensure("molecule", Path(sys.executable), self.main_version, "molecule.txt", self.env)

    def molecule_vm_venv(self):
        return venvs.ensure("molecule-vm", Path(sys.executable), self.main_version, "molecule-vm.txt", self.env)

    def docsite_venv(self):
        return venvs.ensure("docsite", Path(sys.executable), self.main_version, "docsite.txt", self.env)

    def release_venv(self):
        return venvs.ensure("release", Path(sys.executable), self.main_version, "release.txt", self.env)

    def python_venv(self, version):
        """bin of the environment that runs the unit tests of module_utils on this version."""
        return venvs.ensure(f"python-{version}", self.pythons[version], version, "pythons.txt", self.env)

    def core_venv(self, core):
        """(version of Python, bin) of the environment of an ansible-core, or None where no Python runs it."""
        version = controller_for(core, self.pythons)
        if version is None:
            return None
        name = f"core-{core.name}"
        return version, venvs.ensure(name, self.pythons[version], version, f"{name}.txt", self.env)

    def write_matrix(self):
        """Write what integration tests need to know of interpreters and cores; returns the file."""
        cores = {}
        for core in CORES:
            made = self.core_venv(core)
            if made:
                cores[core.name] = {"python": made[0], "bin": str(made[1]), "targets": list(core.targets)}
        path = CACHE / "matrix.json"
        pythons = {version: str(path) for version, path in self.pythons.items()}
        path.write_text(json.dumps({"pythons": pythons, "cores": cores}, indent=2) + "\n")
        return path
