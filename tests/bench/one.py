# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""One task at a time: each way through the guard beside what it is compared with."""

from statistics import median

from bench.world import BARE_PAIR, INTERPRETER, OTHER, PURGE_AND_LOAD
from harness.step import Cost, measure

SHELL = ["/bin/bash", "--noprofile", "--norc", "-c"]


class Interleaved:
    """Programs that are run in turns, so that a noisy moment of the machine meets all of them alike."""

    def __init__(self):
        self._programs = {}
        self._costs = {}

    def add(self, name, argv, environment, before=lambda: None):
        """before: what has to be done before each run, not measured."""
        self._programs[name] = (argv, environment, before)
        self._costs[name] = []

    def run(self, rounds):
        for _round in range(rounds):
            for name, (argv, environment, before) in self._programs.items():
                before()
                self._costs[name].append(measure(argv, environment))

    def __getitem__(self, name):
        """The Cost of medians."""
        costs = self._costs[name]
        return Cost(median(cost.wall for cost in costs), median(cost.cpu for cost in costs))


def one(world, rounds, stacks):
    """Print the table; return the wall seconds of a further match."""
    match = world.job()
    without = {name: value for name, value in match.task().items() if not name.startswith("EESSI_")}
    runs = Interleaved()
    runs.add("sh", ["/bin/sh", "-c", ":"], without)
    runs.add("interpreter", [INTERPRETER, "-I", "-S", "-c", "pass"], without)
    runs.add("no eessi", [world.launcher], without)
    runs.add("bare pair", [*SHELL, BARE_PAIR + "; :"], match.task())
    runs.add("first match", [world.launcher], match.task(), match.step.forget)
    runs.add("further match", [world.launcher], match.task())
    alone = match.task() | {"SLURM_STEP_TASKS_PER_NODE": "1"}
    runs.add("lone match", [world.launcher], alone)
    runs.run(rounds)
    match.step.forget()

    show("", "ms", "beside", "ms", "ratio", "at most")
    row("job without EESSI", runs["no eessi"].wall, "sh -c :", runs["sh"].wall, 2.5)
    row("first match", runs["first match"].wall, "bare detection pair", runs["bare pair"].wall, 1.5)
    row("the only task of a node", runs["lone match"].wall, "bare detection pair", runs["bare pair"].wall, 1.5)
    row("further match (CPU)", runs["further match"].cpu, "interpreter start (CPU)", runs["interpreter"].cpu, 0.4)
    for modules in stacks:
        reload_rows(world, max(3, rounds // 2), modules, runs["bare pair"])
    return runs["further match"].wall


def reload_rows(world, rounds, modules, pair):
    """Print the rows of a reload of that many modules."""
    job = world.job(modules, OTHER)
    runs = Interleaved()
    runs.add("usual", [*SHELL, PURGE_AND_LOAD], job.task())
    runs.add("first", [world.launcher], job.task(), job.step.forget)
    runs.add("further", [world.launcher], job.task())
    runs.run(rounds)
    job.step.forget()
    usual = runs["usual"]
    row(f"first reload, {modules} modules", runs["first"].wall, "pair + purge and load", pair.wall + usual.wall, 1.25)
    row(f"further reload, {modules} modules (CPU)", runs["further"].cpu, "purge and load (CPU)", usual.cpu, 0.15)


def row(name, ours, other, theirs, limit):
    """Print a ratio beside its limit."""
    ratio = ours / theirs
    verdict = "within" if ratio <= limit else "OVER"
    show(name, f"{ours * 1000:.1f}", other, f"{theirs * 1000:.1f}", f"{ratio:.2f}", f"{limit} {verdict}")


def show(name, ours, other, theirs, ratio, limit):
    print(f"{name:34} {ours:>8}   {other:24} {theirs:>8} {ratio:>7}   {limit}", flush=True)
