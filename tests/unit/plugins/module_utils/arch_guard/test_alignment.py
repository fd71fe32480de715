# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later

"""Lists side by side."""

import itertools

import pytest

from ansible_collections.eessi.arch_guard.plugins.module_utils.arch_guard.alignment import aligned


def weight(item):
    """Stand for what matters: capital letters."""
    return 10 if item.isupper() else 1


@pytest.mark.parametrize("one, other, pairs", [
    ("", "", []),
    ("a", "", []),
    ("abc", "abc", [(0, 0), (1, 1), (2, 2)]),
    ("abc", "ac", [(0, 0), (2, 1)]),
    # The heavier one stays.
    ("aB", "Ba", [(1, 0)]),
    ("Ba", "aB", [(0, 1)]),
    ("abcB", "Babc", [(3, 0)]),
    # The one nearer to the end.
    ("ab", "aab", [(0, 1), (1, 2)]),
    ("aab", "ab", [(1, 0), (2, 1)]),
    ("xa", "xaxa", [(0, 2), (1, 3)]),
])
def test_aligned(one, other, pairs):
    assert aligned(list(one), list(other), weight) == pairs


def test_it_is_the_heaviest_of_all_there_are():
    """All pairs of words of three letters and four."""
    for one in itertools.product("abB", repeat=3):
        for other in itertools.product("abB", repeat=4):
            pairs = aligned(list(one), list(other), weight)
            assert [one[here] for here, _there in pairs] == [other[there] for _here, there in pairs]
            assert all(a[0] < b[0] and a[1] < b[1] for a, b in zip(pairs, pairs[1:]))
            chosen = sum(weight(one[here]) for here, _there in pairs)
            others = {word for length in range(4) for word in itertools.combinations(other, length)}
            common = [word for length in range(4) for word in itertools.combinations(one, length) if word in others]
            assert chosen == max(sum(map(weight, word)) for word in common)
