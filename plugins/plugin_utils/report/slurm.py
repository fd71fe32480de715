# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later

"""Targets -> words for Feature= in slurm.conf, and what they differ from in a running Slurm."""

import re

from ...module_utils.arch_guard import march_flags, versions
from ...module_utils.arch_guard.settings import is_relative_subdirectory
from . import names

ACCELERATOR_WORD = re.compile(r"^(cc[0-9]+|gfx[0-9a-f]+)$")
_FIELD = re.compile(r"(?:^|\s)(NodeName|AvailableFeatures|Feature)=(\S+)")
NO_FEATURES = ("", "(null)", "N/A")


def words(records):
    """Return node -> list of words, for nodes that have a target; that of its newest EESSI version counts.

    Names and words that slurm.conf could take for something else are left out.
    """
    of_node = {}
    for record in records:
        plain = all(is_relative_subdirectory(text) for text in [record["node"]] + record["features"])
        if record["features"] and plain:
            of_node.setdefault(record["node"], {})[record["eessi_version"] or ""] = record["features"]
    return {node: found[versions.newest_of(found) or max(found)] for node, found in of_node.items()}


def parse(text):
    """Return node -> list of feature words, from the text of ``scontrol show node -o``; empty for any other text."""
    found = {}
    for line in text.splitlines():
        fields = dict(_FIELD.findall(line))
        if "NodeName" in fields:
            listed = fields.get("AvailableFeatures", fields.get("Feature", ""))
            found[fields["NodeName"]] = [] if listed in NO_FEATURES else listed.split(",")
    return found


def compare(wanted, told):
    """Return how ``told`` (node -> words, of Slurm) differs from ``wanted`` (node -> words).

    A dict: ``different`` (list of {node, add, remove}), ``not_in_slurm`` and ``without_facts`` (names in order). A word
    is removed only where it is one that names a target: other words of a site are its own.
    """
    by_name = _by_slurm_name(wanted, told)
    ours = _target_words(wanted)
    different = []
    for name in sorted(by_name, key=names.in_order):
        add = [word for word in wanted[by_name[name]] if word not in told[name]]
        remove = [
            word for word in told[name]
            if word not in wanted[by_name[name]] and _names_target(word, ours)
        ]
        if add or remove:
            different.append({"node": name, "add": add, "remove": remove})
    return {
        "different": different,
        "not_in_slurm": sorted(set(wanted) - set(by_name.values()), key=names.in_order),
        "without_facts": sorted(set(told) - set(by_name), key=names.in_order),
    }


def lines(wanted, told=None):
    """Return lines for slurm.conf (list of str), one for each set of words. Words of the site in ``told`` are kept."""
    by_name = _by_slurm_name(wanted, told) if told else {}
    slurm_name = {node: name for name, node in by_name.items()}
    ours = _target_words(wanted)
    nodes_of = {}
    for node, own in wanted.items():
        name = slurm_name.get(node, node)
        kept = [word for word in (told or {}).get(name, ()) if word not in own and not _names_target(word, ours)]
        nodes_of.setdefault(",".join(kept + own), []).append(name)
    ordered = sorted(nodes_of.items(), key=lambda item: (-len(item[1]), item[0]))
    return ["NodeName=%s Feature=%s" % (names.short(nodes), features) for features, nodes in ordered]


def _target_words(wanted):
    return set(march_flags.LEAF_MARCH).union(*wanted.values())


def _names_target(word, ours):
    return word in ours or bool(ACCELERATOR_WORD.match(word))


def _by_slurm_name(wanted, told):
    """Return Slurm's name -> the name in ``wanted``: the same, or the same up to the first dot."""
    by_short = {}
    for node in wanted:
        by_short.setdefault(node.split(".")[0], node)
    found = {}
    for name in told:
        node = name if name in wanted else by_short.get(name.split(".")[0])
        if node is not None:
            found[name] = node
    return found
