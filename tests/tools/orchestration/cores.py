# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The ansible-core versions the collection is tested with."""

from dataclasses import dataclass


def _versions(first, last):
    return tuple(f"3.{minor}" for minor in range(first, last + 1))


@dataclass(frozen=True)
class Core:
    """One ansible-core: the Pythons it runs on, and those it can manage nodes with."""

    name: str
    controllers: tuple
    targets: tuple


# Oldest first.
CORES = (
    Core("2.16", _versions(10, 12), _versions(6, 12)),
    Core("2.18", _versions(11, 13), _versions(8, 13)),
    Core("2.19", _versions(11, 13), _versions(8, 13)),
    Core("2.21", _versions(12, 14), _versions(9, 14)),
)


def controller_for(core, pythons):
    """The newest version among `pythons` that `core` runs on, or None."""
    usable = [version for version in core.controllers if version in pythons]
    return usable[-1] if usable else None


def sanity_plan(pythons, cores=CORES):
    """[(core, versions)] so that every Python is checked: the newest core that runs here first, with all it can reach.

    Older cores follow for Pythons that only they reach, the oldest core first. Raises LookupError without any core.
    """
    usable = [core for core in cores if controller_for(core, pythons)]
    if not usable:
        raise LookupError("no ansible-core runs on the Pythons of this machine")
    newest = usable[-1]
    plan = [(newest, tuple(version for version in newest.targets if version in pythons))]
    left = [version for version in pythons if version not in newest.targets]
    for core in usable[:-1]:
        reached = tuple(version for version in left if version in core.targets)
        if reached:
            plan.append((core, reached))
            left = [version for version in left if version not in reached]
    return plan
