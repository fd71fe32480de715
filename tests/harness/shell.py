# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Shells of a user on sample nodes: a login with Lmod, and commands run from any environment."""

import itertools
import os
import shlex
import subprocess
from dataclasses import dataclass
from pathlib import Path

from harness.lmod import Lmod

TIME_LIMIT = 120
SYSTEM_PATH = ("/usr/local/bin", "/usr/bin", "/bin")


class ShellError(Exception):
    """A shell that did not come to the end of its commands."""


@dataclass(frozen=True)
class Step:
    """What one command left: exported environment (functions as BASH_FUNC_*), its text on both outputs, exit status."""

    command: str
    environment: dict[str, str]
    text: str
    status: int


def slurm_ids(job=1, step=0, local=0, node="node1"):
    """The variables by which Slurm tells a task which one it is."""
    return {
        "SLURM_JOB_ID": str(job), "SLURM_STEP_ID": str(step), "SLURM_LOCALID": str(local), "SLURM_PROCID": str(local),
        "SLURM_NODEID": "0", "SLURMD_NODENAME": node,
    }


class Shell:
    """A user's shells. All files lie below `work` (made where missing): home/, node/bin/ and the shells' output.

    modulepath: directories that MODULEPATH has at login.
    variables: name -> value, further variables that every login has.

    node/bin stands for the machine's own directory of programs, the same place on every node, so a shell must not
    run while another node is entered: one Shell, one node at a time.
    """

    def __init__(self, lmod: Lmod, work, modulepath, variables=None):
        self.lmod = lmod
        self.work = Path(work)
        self.home = self.work / "home"
        self.node_bin = self.work / "node" / "bin"
        self._modulepath = ":".join(map(str, modulepath))
        self._variables = dict(variables or {})
        self._runs = itertools.count()
        for directory in (self.home, self.node_bin):
            directory.mkdir(parents=True, exist_ok=True)

    def enter(self, node):
        """Make the machine's programs those of `node` (a SampleNode); returns the variables that tell its kind."""
        nvidia_smi = self.node_bin / "nvidia-smi"
        nvidia_smi.unlink(missing_ok=True)
        stub = node.stub_environment()
        if stub["EESSI_STUB_NVIDIA_SMI"] != "none":
            # EESSI's own script finds the program on PATH, the stub may be told where it is.
            exports = "".join(f"export {name}={shlex.quote(value)}\n" for name, value in sorted(stub.items()))
            nvidia_smi.write_text(
                f'#!/bin/sh\n{exports}exec {shlex.quote(stub["EESSI_STUB_NVIDIA_SMI"])} "$@"\n', encoding="utf-8"
            )
            nvidia_smi.chmod(0o755)
        return {
            "EESSI_PROC_CPUINFO": str(node.cpuinfo_path),
            "EESSI_MACHINE_TYPE": node.machine_type,
            "EESSI_STUB_NVIDIA_SMI": "none" if stub["EESSI_STUB_NVIDIA_SMI"] == "none" else str(nvidia_smi),
        }

    def login(self, node):
        """The exported environment of a user who has just logged in on `node`, Lmod included."""
        environment = {
            "HOME": str(self.home), "USER": "user", "LOGNAME": "user", "SHELL": "/bin/bash", "TERM": "dumb",
            "LANG": "C.UTF-8", "PATH": ":".join([str(self.node_bin), *SYSTEM_PATH]),
            "MODULEPATH": self._modulepath,
            # As Lmod's own profile sets it.
            "BASH_ENV": str(self.lmod.init_script),
            **self._variables, **self.enter(node),
        }
        return self.run([], environment)

    def arrive(self, environment, node, **variables):
        """An environment as Slurm hands it to a task on `node`; variables: what Slurm sets there (see slurm_ids)."""
        return {**environment, **self.enter(node), **variables}

    def run(self, commands, environment):
        """The exported environment after `commands` (bash); raises ShellError if one of them fails."""
        steps = self.steps([":", *commands], environment)
        for step in steps:
            if step.status != 0:
                raise ShellError(f"status {step.status} from {step.command}: {step.text}")
        return steps[-1].environment

    def steps(self, commands, environment):
        """Run `commands` (bash, each may have many lines) one after the other in one shell; one Step for each.

        BASH_ENV is honoured, as bash does. Raises ShellError if the shell ends before them.
        """
        output = self.work / f"run{next(self._runs)}"
        output.mkdir()
        script = output / "script"
        # A bash that reads a script takes the prompts away; that of a user who types does not.
        prompts = "".join(
            f"export {name}={shlex.quote(environment[name])}\n" for name in ("PS1", "PS2") if name in environment
        )
        script.write_text(prompts + "".join(
            f"{{\n{command}\n}} >{shlex.quote(str(output))}/{number}.text 2>&1\n"
            f"echo $? >{shlex.quote(str(output))}/{number}.status\n"
            f"/usr/bin/env -0 >{shlex.quote(str(output))}/{number}.environment\n"
            for number, command in enumerate(commands)
        ), encoding="utf-8", errors="surrogateescape")
        done = subprocess.run(
            ["/bin/bash", "--noprofile", "--norc", script], env=environment, cwd=self.home, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=TIME_LIMIT, check=False,
        )
        try:
            return [_step(output, number, command) for number, command in enumerate(commands)]
        except FileNotFoundError as error:
            said = os.fsdecode(done.stdout)
            raise ShellError(f"the shell ended early, status {done.returncode}, {error.filename}: {said}") from error


def _step(output, number, command):
    entries = (output / f"{number}.environment").read_bytes().split(b"\0")
    return Step(
        command,
        dict(os.fsdecode(entry).split("=", 1) for entry in entries if entry),
        os.fsdecode((output / f"{number}.text").read_bytes()),
        int((output / f"{number}.status").read_text(encoding="ascii")),
    )
