# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A user who loads modules on one node and whose job runs on another; and what the job's environment should be."""

import re
from dataclasses import dataclass
from typing import NamedTuple

from sample.nodes import SampleNode

# What differs between two shells by nature, and what Lmod keeps for itself (see behaves_alike for that).
NO_VARIABLE = re.compile(r"SHLVL|_|PWD|OLDPWD|BASH_FUNC_.*|_ModuleTable.*|__LMOD_.*", re.DOTALL)
GUARD_VARIABLES = ("EESSI_ARCH_GUARD_RELOADED", "EESSI_ARCH_GUARD_FAILED")


@dataclass(frozen=True)
class Scenario:
    """All commands are lines of bash.

    before: what the user does before loading. loads: module commands. after: what the user does then, without modules.
    """

    login: SampleNode
    compute: SampleNode
    loads: tuple[str, ...]
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()

    def incoming(self, shell, **variables):
        """The environment that Slurm hands to a task on the compute node; that node is entered.

        variables: what Slurm sets (see slurm_ids). Raises ShellError if a command fails on the login node.
        """
        environment = shell.run([*self.before, *self.loads, *self.after], shell.login(self.login))
        return shell.arrive(environment, self.compute, **variables)

    def fresh(self, shell, **variables):
        """The environment of a user who gives the same commands on the compute node. Raises ShellError as incoming."""
        return self._on_compute(shell, self.loads, variables)

    def fresh_from_list(self, shell, incoming, **variables):
        """The same, but the modules that are loaded in `incoming` are loaded by one command, in their order."""
        names = incoming.get("LOADEDMODULES", "").replace(":", " ")
        return self._on_compute(shell, (f"module load {names}",) if names else (), variables)

    def _on_compute(self, shell, loads, variables):
        environment = shell.run([*self.before, *loads, *self.after], shell.login(self.compute))
        return {**environment, **variables}


class Difference(NamedTuple):
    """A variable with its two values; None: not set. step: the follow-up command after which they differ."""

    name: str
    actual: str | None
    fresh: str | None
    step: str = ""


def compare(actual, fresh, ignore=()):
    """The variables in which two environments (name -> value) differ, as Differences sorted by name.

    ignore: names to leave out beside those that differ by nature.
    """
    names = {name for name in {*actual, *fresh} if not NO_VARIABLE.fullmatch(name)} - set(ignore)
    return [
        Difference(name, actual.get(name), fresh.get(name))
        for name in sorted(names) if actual.get(name) != fresh.get(name)
    ]


def follow_ups(environment):
    """Module commands that show whether Lmod's bookkeeping is sound: unload and load, at both ends of the list."""
    loaded = environment.get("LOADEDMODULES", "").split(":")
    chosen = dict.fromkeys(name for name in (loaded[-1], *loaded[1:2]) if name)
    again = [f"module {action} {name}" for name in chosen for action in ("unload", "load")]
    return ["module -t list", "module list", *again, "module purge", "module --force purge"]


def behaves_alike(shell, actual, fresh, commands=None, ignore=()):
    """The differences after each of `commands` (default: follow_ups of `fresh`), run in both environments.

    Compared are the environment, the exit status and the text (as the names "(status)" and "(text)").
    The node on which both live must be entered.
    """
    commands = follow_ups(fresh) if commands is None else commands
    differences = []
    for ours, theirs in zip(shell.steps(commands, actual), shell.steps(commands, fresh), strict=True):
        found = compare(ours.environment, theirs.environment, ignore)
        if ours.status != theirs.status:
            found.append(Difference("(status)", str(ours.status), str(theirs.status)))
        if ours.text != theirs.text:
            found.append(Difference("(text)", ours.text, theirs.text))
        differences += [difference._replace(step=ours.command) for difference in found]
    return differences
