# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later

"""Names of nodes: their order, and the short form that Slurm and people use for many of them."""

import re
from collections import OrderedDict
from functools import lru_cache

_PARTS = re.compile(r"([0-9]+)")
_LAST_NUMBER = re.compile(r"^(.*?)([0-9]+)([^0-9]*)$")


@lru_cache(maxsize=1 << 16)
def in_order(name):
    """Return the sort key by which node2 comes before node10."""
    return tuple((int(part), "") if part.isdecimal() else (0, part) for part in _PARTS.split(name))


def short(names):
    """Return ``names`` (list of str) as one hostlist: node[1-3,7],login.

    Of each name the last number becomes part of a range; leading zeros are kept.
    """
    ordered = sorted(set(names), key=in_order)
    found = [(name, _LAST_NUMBER.match(name)) for name in ordered]
    # node08 and node10 are one range of two digits, node8 and node10 are one of as many as it takes.
    padded = {_of_width(match) for _name, match in found if match and match.group(2)[0] == "0" and len(match.group(2)) > 1}
    patterns = OrderedDict()
    for name, match in found:
        if match:
            key = _of_width(match)
            patterns.setdefault(key if key in padded else key[:2] + (0,), []).append(match.group(2))
        else:
            patterns[name] = None
    return ",".join(key if digits is None else _pattern(key, digits) for key, digits in patterns.items())


def _of_width(match):
    head, digits, tail = match.groups()
    return head, tail, len(digits)


def stem(name):
    """Return ``name`` without its last number: what node1 and node2 have in common."""
    return _LAST_NUMBER.sub(r"\1#\3", name)


def _pattern(key, digits):
    head, tail, _width = key
    if len(digits) == 1:
        return head + digits[0] + tail
    ranges = []
    for number in digits:
        if ranges and int(number) == int(ranges[-1][-1]) + 1:
            ranges[-1] = [ranges[-1][0], number]
        else:
            ranges.append([number])
    return "%s[%s]%s" % (head, ",".join("-".join(pair) for pair in ranges), tail)
