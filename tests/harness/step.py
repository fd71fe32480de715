# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A step with several tasks on a node: what Slurm tells each of them, and many of them started at once."""

import os
import shutil
import subprocess
import time
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path

SHARED_MEMORY = Path("/dev/shm")
NUMBERS = count()


@dataclass(frozen=True)
class Step:
    """job, step, node: as Slurm names them. tasks: how many start on the node."""

    job: str
    node: str
    step: str = "0"
    tasks: int = 2
    port: str = "40000"

    @property
    def directory(self):
        """Where the tasks share, on a machine that has a /dev/shm to write to."""
        return SHARED_MEMORY / f"eessi-arch-guard.{self.job}.{self.step}.{self.node}"

    def variables(self, local=0):
        """The variables of the task with this local id; a value differs from task to task where Slurm's does."""
        return {
            "SLURM_JOB_ID": self.job, "SLURM_STEP_ID": self.step, "SLURMD_NODENAME": self.node, "SLURM_NODEID": "0",
            "SLURM_STEP_TASKS_PER_NODE": str(self.tasks), "SLURM_STEP_LAUNCHER_PORT": self.port,
            "SLURM_LOCALID": str(local), "SLURM_PROCID": str(local), "SLURM_TASK_PID": str(100000 + local),
        }

    def forget(self):
        """Remove what the tasks shared."""
        shutil.rmtree(self.directory, ignore_errors=True)


def ask_two_tasks(ask, environment):
    """Let two tasks of one step ask, one after the other; returns what each got, and how many answers they share.

    ask: function of an environment (name -> value) that returns an Applied. In what is returned the variables that tell
    the tasks from each other are as in `environment`.
    """
    step = Step(str(os.getpid()), f"two{next(NUMBERS)}")
    got = []
    try:
        for local in (0, 1):
            applied = ask({**environment, **step.variables(local)})
            after = {name: value for name, value in applied.environment.items() if name not in step.variables()}
            after.update((name, environment[name]) for name in step.variables() if name in environment)
            got.append(replace(applied, environment=after))
        answers = [path for path in step.directory.glob("*") if not path.suffix and path.name != "match"]
    finally:
        step.forget()
    return (*got, len(answers))


@dataclass(frozen=True)
class Cost:
    """wall: seconds. cpu: seconds, of the process and of all that it waited for."""

    wall: float
    cpu: float


@dataclass(frozen=True)
class Ended:
    """One of many: CPU seconds, exit status (negative: the signal) and what it wrote."""

    cpu: float
    status: int
    output: bytes


def start(argv, environment, output):
    """Start a program with its own session, stdout and stderr into the file `output`; returns (pid, time.monotonic)."""
    begin = time.monotonic()
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
    pid = os.posix_spawn(
        argv[0], argv, environment, setsid=True,
        file_actions=[
            (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0), (os.POSIX_SPAWN_OPEN, 1, os.fspath(output), flags, 0o600),
            (os.POSIX_SPAWN_DUP2, 1, 2),
        ],
    )
    return pid, begin


def measure(argv, environment):
    """Run a program and return its Cost. Raises subprocess.CalledProcessError unless it ends with status 0."""
    pid, begin = start([str(word) for word in argv], environment, os.devnull)
    _pid, status, usage = os.wait4(pid, 0)
    wall = time.monotonic() - begin
    if status:
        raise subprocess.CalledProcessError(os.waitstatus_to_exitcode(status), argv)
    return Cost(wall, usage.ru_utime + usage.ru_stime)


def run_at_once(argv, environments, directory):
    """Start a program once for each environment, all at once, and wait for all; returns (wall seconds, [Ended]).

    directory: for what they write.
    """
    argv = [str(word) for word in argv]
    outputs = [Path(directory) / f"task{number}" for number in range(len(environments))]
    begin = time.monotonic()
    pids = [start(argv, *each)[0] for each in zip(environments, outputs, strict=True)]
    ended = []
    for pid, output in zip(pids, outputs, strict=True):
        _pid, status, usage = os.wait4(pid, 0)
        ended.append(Ended(usage.ru_utime + usage.ru_stime, os.waitstatus_to_exitcode(status), output))
    wall = time.monotonic() - begin
    return wall, [Ended(each.cpu, each.status, each.output.read_bytes()) for each in ended]
