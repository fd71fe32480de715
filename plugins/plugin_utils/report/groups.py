# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later

"""Records -> groups of nodes that are alike, and the odd one out."""

import json

from . import names
from .answer import OK

# A group this small beside one of its kind that is this many times as large stands out.
ODD_NODES = 3
ODD_RATIO = 4
# What differs between two groups of a kind, as the page names it.
NAMED = (
    ("hidden_flags", "hidden CPU flags"),
    ("excluded", "excluded targets"),
    ("unfiltered_target", "what EESSI alone picks"),
    ("cpu_target", "CPU target"),
    ("accelerator_target", "accelerator"),
    ("accelerator_installed", "accelerator software"),
    ("accelerator_failed", "accelerator that failed"),
    ("logical_cpus", "logical CPUs"),
    ("uniform", "CPUs that are alike"),
    ("virtual", "virtual machine"),
    ("guard", "guard"),
    ("guard_version", "guard version"),
    ("status", "status"),
    ("warnings", "notes"),
)


def fold(records):
    """Return the groups of ``records``, the largest first, and set ``group`` of each record to its group's id.

    A group is a dict: ``id`` (from 1), ``nodes`` (names in order), ``odd`` (bool), ``differs`` (for an odd one: a list
    of {what, here, there} that compares it with the largest group of its kind), and all else as in the records.
    """
    alike = {}
    for record in records:
        key = json.dumps([value for name, value in sorted(record.items()) if name != "node"], sort_keys=True)
        alike.setdefault(key, []).append(record)
    folded = sorted(alike.values(), key=lambda members: (-len(members), names.in_order(members[0]["node"])))
    groups = []
    for number, members in enumerate(folded, 1):
        group = {name: value for name, value in members[0].items() if name != "node"}
        group.update(id=number, nodes=[member["node"] for member in members], odd=False, differs=[])
        groups.append(group)
        for member in members:
            member["group"] = number
    _mark_odd(groups)
    return groups


def _mark_odd(groups):
    """Mark small groups beside large ones. The largest of a kind comes first in ``groups``."""
    largest = {}
    for group in groups:
        if group["outcome"] != OK:
            continue
        kinds = _kinds(group)
        others = [largest[kind] for kind in kinds if kind in largest]
        for kind in kinds:
            largest.setdefault(kind, group)
        if others and len(group["nodes"]) <= ODD_NODES:
            other = max(others, key=lambda candidate: len(candidate["nodes"]))
            if len(other["nodes"]) >= ODD_RATIO * len(group["nodes"]):
                group["differs"] = _differences(group, other)
                group["odd"] = bool(group["differs"])


def _kinds(group):
    """Return what makes one expect nodes to be alike: the processor that EESSI sees, or names that differ by a number."""
    common = group["role"], group["eessi_version"]
    stems = sorted({names.stem(node) for node in group["nodes"]})
    return [common + ("target", group["unfiltered_target"])] + [common + ("name", stem) for stem in stems]


def _differences(group, other):
    return [
        {"what": words, "here": _in_words(group[name]), "there": _in_words(other[name])}
        for name, words in NAMED if group[name] != other[name]
    ]


def _in_words(value):
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(item["target"] if isinstance(item, dict) else item for item in value) or "none"
    return "none" if value in (None, "") else str(value)
