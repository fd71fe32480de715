# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later

"""Names of nodes."""

import pytest

from ansible_collections.eessi.arch_guard.plugins.plugin_utils.report import names


@pytest.mark.parametrize(
    ("listed", "short"),
    [
        ([], ""),
        (["login"], "login"),
        (["node1"], "node1"),
        (["node3", "node1", "node2", "node7"], "node[1-3,7]"),
        (["node9", "node10", "node11"], "node[9-11]"),
        (["node08", "node09", "node10"], "node[08-10]"),
        (["a1", "b1", "b2", "login"], "a1,b[1-2],login"),
        (["rack1-node1", "rack1-node2", "rack2-node1"], "rack1-node[1-2],rack2-node1"),
        (["n1-ib", "n2-ib"], "n[1-2]-ib"),
        (["n1", "n1"], "n1"),
        (["n0", "n1"], "n[0-1]"),
    ],
)
def test_short(listed, short):
    assert names.short(listed) == short


def test_numbers_count_as_numbers():
    assert sorted(["n10", "n9", "n", "1"], key=names.in_order) == ["1", "n", "n9", "n10"]
