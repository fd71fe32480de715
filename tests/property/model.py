# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""One example of the property test, as plain values that read well in a report: a story of a user and two nodes."""

from dataclasses import MISSING, dataclass, fields, is_dataclass

from sample.modules import Software
from sample.nodes import SampleNode

# Where a module can be: below the CPU or accelerator target of EESSI, in the site's own tree, in a tree of the user's,
# or in one of the user's that has a directory for each CPU target.
CPU, ACCELERATOR, SITE, PRIVATE, OWN_TARGETS = "cpu", "accelerator", "site", "private", "own-targets"
# Places that are not the same on each node.
OF_A_TARGET = (CPU, ACCELERATOR, OWN_TARGETS)


@dataclass(frozen=True)
class Module:
    """One version of a module. place, on_node: where it is for the login node and for the other one (None: nowhere).

    node_software: what it is there.
    """

    software: Software
    place: str
    on_node: str | None
    node_software: Software
    is_hidden: bool = False
    is_default: bool = False
    is_default_on_node: bool = False


@dataclass(frozen=True)
class Load:
    """`module load` of names, each a full name, a name without version, or an alias."""

    names: tuple[str, ...]


@dataclass(frozen=True)
class Unload:
    name: str


@dataclass(frozen=True)
class Use:
    """`module use` of the tree of a place, or of a directory without any modules (place "")."""

    place: str
    at_end: bool = False


@dataclass(frozen=True)
class Do:
    """A command of bash that the user gives, no module command. effect: what it comes to where it has any."""

    command: str
    effect: str | None = None


@dataclass(frozen=True, repr=False)
class Story:
    """cpu_targets, accelerators: what EESSI has installed. events: what the user does on the login node.

    looks_on: whether the state is also judged by what module commands do from there on, which takes long.
    is_shared: whether two tasks of one step ask, and the second gets the answer of the first.
    """

    login: SampleNode
    compute: SampleNode
    cpu_targets: tuple[str, ...]
    accelerators: tuple[str, ...]
    modules: tuple[Module, ...]
    events: tuple[Load | Unload | Use | Do, ...]
    looks_on: bool
    is_shared: bool

    def __repr__(self):
        parts = [f"  {part.name}={_short(getattr(self, part.name))}" for part in fields(self)]
        return "\n".join(("Story(", *parts, ")"))


def _short(value):
    """As repr, without the fields that are as by default."""
    if isinstance(value, tuple) and value and is_dataclass(value[0]):
        return "\n    ".join(("(", *(f"{_short(one)}," for one in value))) + "\n  )"
    if not is_dataclass(value):
        return repr(value)
    parts = [f"{part.name}={_short(getattr(value, part.name))}" for part in fields(value)
             if getattr(value, part.name) != _default(part)]
    return f"{type(value).__name__}({', '.join(parts)})"


def _default(part):
    return part.default_factory() if part.default_factory is not MISSING else part.default
