# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The stand-ins of srun and mpirun in the playground: start a program on one of its nodes.

srun [-w NODE] [-n TASKS] PROGRAM [ARGUMENT ...]     each task passes the guard, as with Slurm
mpirun [-w NODE] [-n TASKS] PROGRAM [ARGUMENT ...]   the environment is taken along and no task passes the guard
"""

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

from playground import NODES

from harness.applier import apply, run_as_task_prolog
from harness.lmod import Lmod
from harness.shell import Shell, slurm_ids

TIME_LIMIT = 120


def main(state, starter, words):
    """Start what `words` say for the playground described by the file `state`; returns the status of the last task."""
    chosen = _arguments(starter, words)
    known = json.loads(Path(state).read_text(encoding="utf-8"))
    version, prefix = known["lmod"]
    shell = Shell(Lmod(version, Path(prefix)), Path(known["work"]) / "shells", [])
    status = 0
    try:
        for task in range(chosen.n):
            environment = shell.arrive(dict(os.environ), NODES[chosen.w])
            if starter == "srun":
                environment.update(slurm_ids(step=os.getpid(), local=task, node=chosen.w))
                status, environment = _pass_the_guard(known["launcher"], environment)
            if status == 0:
                done = subprocess.run(chosen.program, env=environment, stdin=subprocess.DEVNULL, check=False)
                status = done.returncode
    finally:
        shell.enter(NODES["login"])
    return status


def _pass_the_guard(launcher, environment):
    """(status, environment) after the TaskProlog; what it prints is the first output of the task."""
    status, output = run_as_task_prolog([launcher], environment, TIME_LIMIT)
    applied = apply(output, environment)
    sys.stdout.buffer.write(applied.written)
    sys.stdout.flush()
    return status, applied.environment


def _arguments(starter, words):
    parser = argparse.ArgumentParser(prog=starter, allow_abbrev=False)
    parser.add_argument("-w", choices=[name for name in NODES if name != "login"], default="node001", help="the node")
    parser.add_argument("-n", type=int, default=1, help="how many tasks")
    parser.add_argument("program", nargs=argparse.REMAINDER)
    chosen = parser.parse_args(words)
    if not chosen.program:
        parser.error("which program?")
    return chosen


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2], sys.argv[3:]))
