# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is measured: a guard as the role installs it, and jobs on an EESSI with real Lmod."""

import compileall
import os
import shutil
import subprocess
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from harness.cluster import build_cluster
from harness.launcher import LIBRARY, write_launcher
from harness.lmod import find_lmods
from harness.scenario import Scenario
from harness.step import Step
from sample.eessi.build import eessi_scripts
from sample.modules import Software
from sample.nodes import SAMPLE_NODES, gpu_node

# The platform's own, as the role takes it.
INTERPRETER = "/usr/bin/python3"
NODES = {node.name: node for node in SAMPLE_NODES}
LOGIN, OTHER, GPU = NODES["zen4"], NODES["zen2"], gpu_node("gpu", "zen4", "9.0")
TARGETS = ("x86_64/amd/zen2", "x86_64/amd/zen4", "x86_64/amd/zen4/accel/nvidia/cc90")
# As a user would ask, and as a TaskProlog of the usual kind would reload.
BARE_PAIR = 'bash "$EESSI_INIT_PREFIX/eessi_archdetect.sh" -a cpupath; bash "$EESSI_INIT_PREFIX/eessi_archdetect.sh" accelpath'
PURGE_AND_LOAD = """\
modules=${LOADEDMODULES//:/ }
eval "$("$LMOD_CMD" bash --force purge)"
eval "$("$LMOD_CMD" bash load $modules)"
[ -n "$LOADEDMODULES" ]
"""
# The sample's stub counts its starts itself; EESSI's own script has to be made to.
COUNTING = """\
#!/usr/bin/env bash
[ -z "$EESSI_STUB_LOG" ] || printf '%s\\n' "${!#}" >>"$EESSI_STUB_LOG"
. "${BASH_SOURCE[0]}.own"
"""


@dataclass(frozen=True)
class Job:
    """A job's environment on the node it runs on (name -> value), and where its tasks share."""

    environment: dict[str, str]
    step: Step

    def task(self, local=0):
        return {**self.environment, **self.step.variables(local)}


class World:
    """Everything lies below `work`, whose path must be of letters, digits, `_` and `/` (see install_eessi)."""

    def __init__(self, work):
        self.work = Path(work)
        self.scripts = eessi_scripts()
        self.launcher = self._install()
        self._lmod = find_lmods()[0]
        self._cluster = build_cluster(self.work / "eessi", self._lmod)
        self.log = self.work / "starts"
        self._count_lmod = self._write("counting_lmod", f'#!/bin/sh\necho lmod >>{self.log}\nexec {self._lmod.command} "$@"\n')
        if self.scripts is not None:
            script = self._cluster.repository.archdetect
            script.rename(f"{script}.own")
            self._write(script, COUNTING)
        self._steps = 0

    def describe(self):
        """In one line: with what it is measured."""
        detection = "the stub" if self.scripts is None else f"EESSI's own script ({self.scripts})"
        version = subprocess.run([INTERPRETER, "--version"], capture_output=True, text=True, check=True).stdout.strip()
        return f"detection: {detection}; {version}; Lmod {self._lmod.version}; {len(os.sched_getaffinity(0))} CPUs"

    def job(self, modules=3, node=LOGIN, tasks=2, **variables):
        """A job on `node` whose user loaded EESSI and a stack so that `modules` are loaded, on LOGIN."""
        name = f"stack{modules}"
        stack = [
            Software(f"{name}part{number}", "1.0", depends_on=(f"{name}part{number - 1}/1.0",) if number > 1 else (),
                     prepend_path={"PATH": ("bin",), "LD_LIBRARY_PATH": ("lib",), "CMAKE_PREFIX_PATH": ("",)})
            for number in range(1, modules)
        ]
        self._cluster.write(TARGETS, *stack)
        login = GPU if node is GPU else LOGIN
        scenario = Scenario(login, node, (f"module load {self._cluster.eessi}", f"module load {stack[-1].full_name}"))
        incoming = scenario.incoming(self._cluster.shell)
        if len(incoming["LOADEDMODULES"].split(":")) != modules:
            raise ValueError(f"not {modules} modules: {incoming['LOADEDMODULES']}")
        incoming.pop("BASH_ENV", None)
        self._steps += 1
        return Job({**incoming, **variables}, Step(str(os.getpid()), f"bench{self._steps}", tasks=tasks))

    def counting(self, job):
        """The same job, its starts written to `log`."""
        return Job({**job.environment, "EESSI_STUB_LOG": str(self.log), "LMOD_CMD": str(self._count_lmod)}, job.step)

    def starts(self):
        """How often each program was started since the last call."""
        counted = Counter(self.log.read_text().split()) if self.log.exists() else Counter()
        self.log.unlink(missing_ok=True)
        return counted

    def _install(self):
        library = self.work / "library"
        shutil.copytree(LIBRARY / "arch_guard", library / "arch_guard", ignore=shutil.ignore_patterns("__pycache__"))
        subprocess.run([INTERPRETER, "-m", compileall.__name__, "-q", library], check=True)
        return write_launcher(self.work / "guard", INTERPRETER, library)

    def _write(self, name, text):
        path = self.work / name
        path.write_text(text)
        path.chmod(0o755)
        return path
