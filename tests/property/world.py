# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The nodes of a story on disk: its EESSI repository, its trees of modules, and the shells of its user."""

import shutil
from pathlib import Path

from harness.shell import Shell
from property.model import ACCELERATOR, CPU, OWN_TARGETS, PRIVATE, SITE
from property.strategies import GENERIC, alias_of, version_alias_of
from sample.eessi.build import install_eessi, module_directory
from sample.modules import (
    add_name_alias,
    add_version_alias,
    default_by_link,
    hide,
    modules_of,
    write_software,
)
from sample.tree import VERSION, build_repository

# CPU targets that EESSI's detection gives, the best first.
ZEN2_TARGETS = ("x86_64/amd/zen2", GENERIC)
CANDIDATES = {
    "zen4": ("x86_64/amd/zen4", *ZEN2_TARGETS),
    "zen2": ZEN2_TARGETS,
    "sapphirerapids": ("x86_64/intel/sapphirerapids", "x86_64/intel/icelake", GENERIC),
    "sapphirerapids-vm": ("x86_64/intel/sapphirerapids", "x86_64/intel/icelake", GENERIC),
}
# And those of them that the guard does not take, for their want of waitpkg.
NOT_FIT = {"sapphirerapids-vm": ("x86_64/intel/sapphirerapids",)}

LOGIN, COMPUTE = "login", "compute"


class World:
    """Places below `work`, the same for each story, so that logins can be kept from one to the next."""

    def __init__(self, work, lmod):
        self.work = Path(work)
        self._root = self.work / "cvmfs"
        self._trees = self.work / "trees"
        self.shell = Shell(lmod, self.work / "shells", [module_directory(self._root), modules_of(self._trees / "site")])
        self._logins = {}
        self._story = None
        self._repository = None

    def tell(self, story):
        """Put everything on disk that `story` has, in place of the story before."""
        for directory in (self._root, self._trees, *self.shell.work.glob("run*")):
            shutil.rmtree(directory, ignore_errors=True)
        self._story = story
        accelerators = dict.fromkeys(story.cpu_targets, story.accelerators)
        self._repository = build_repository(self._root, VERSION, story.cpu_targets, accelerators)
        install_eessi(self._root, VERSION)
        modules_of(self._trees / "site").mkdir(parents=True)
        for module in story.modules:
            here = self.directory(module.place, LOGIN) or self.directory(CPU, LOGIN)
            self._write(here, module, module.software, module.is_default)
            if module.on_node is None:
                continue
            there = self.directory(module.on_node, COMPUTE)
            if there is not None and there != here:
                self._write(there, module, module.node_software, module.is_default_on_node)

    def login(self, node):
        """The environment after a login on `node`, which is entered."""
        if node not in self._logins:
            self._logins[node] = self.shell.login(node)
        return {**self._logins[node], **self.shell.enter(node)}

    def cpu_target(self, side):
        """The CPU target that the EESSI module takes on the login node, or the guard on the other."""
        cpu = (self._story.login if side == LOGIN else self._story.compute).cpuinfo
        not_fit = NOT_FIT.get(cpu, ()) if side == COMPUTE else ()
        return next(
            target for target in CANDIDATES[cpu] if target in self._story.cpu_targets and target not in not_fit
        )

    def is_pinned(self):
        """Whether the EESSI module by itself would take another target on the job's node than the guard."""
        takes = next(target for target in CANDIDATES[self._story.compute.cpuinfo] if target in self._story.cpu_targets)
        return takes != self.cpu_target(COMPUTE)

    def directory(self, place, side):
        """The directory of a place on one side, None where there is none."""
        target = self.cpu_target(side)
        if place == CPU:
            return self._repository.target(target)
        if place == ACCELERATOR:
            node = self._story.login if side == LOGIN else self._story.compute
            if node.nvidia_smi_status or not node.compute_caps:
                return None
            number = node.compute_caps[0].replace(".", "")
            exact, compatible = f"accel/nvidia/cc{number}", f"accel/nvidia/cc{number[:-1]}0"
            found = [one for one in (exact, compatible) if one in self._story.accelerators]
            return self._repository.target(target, found[0]) if found else None
        return self._trees / {SITE: "site", PRIVATE: "private", OWN_TARGETS: f"own/{target}", "": "empty"}[place]

    def used(self, place, side):
        """The directory that the user gives to `module use` for a tree of their own, as it is meant on one side."""
        here, there = (modules_of(self.directory(place, one)) for one in (LOGIN, side))
        return there if there.is_dir() else here

    @staticmethod
    def _write(directory, module, software, is_default):
        write_software(directory, software)
        add_name_alias(directory, alias_of(module), software.full_name)
        add_version_alias(directory, software.name, software.version, version_alias_of(module).partition("/")[2])
        if is_default:
            default_by_link(directory, software.name, software.version)
        if module.is_hidden:
            hide(directory, software.full_name)
