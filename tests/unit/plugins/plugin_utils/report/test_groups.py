# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later

"""Alike nodes stand together, and the odd one stands out."""

from ansible_collections.eessi.arch_guard.plugins.plugin_utils.report import answer
from sample import fleet


def numbered(count, make, name="node"):
    return [make("%s%d" % (name, number)) for number in range(1, count + 1)]


def test_alike_nodes_are_one_group(report):
    made = report(*numbered(3, fleet.facts), *numbered(2, lambda name: fleet.facts(name, fleet.ZEN2), "old"))
    assert [(group["id"], group["nodes"]) for group in made["groups"]] == [
        (1, ["node1", "node2", "node3"]), (2, ["old1", "old2"]),
    ]
    assert [node["group"] for node in made["nodes"]] == [1, 1, 1, 2, 2]


def test_one_with_hidden_flags_is_odd(report):
    made = report(*numbered(5, fleet.facts), fleet.facts("other", hidden=["pku"]))
    (odd,) = [group for group in made["groups"] if group["odd"]]
    assert odd["nodes"] == ["other"]
    assert odd["differs"] == [{"what": "hidden CPU flags", "here": "pku", "there": "none"}]


def test_one_of_another_target_among_names_of_a_row_is_odd(report):
    made = report(*numbered(5, fleet.facts), fleet.facts("node6", fleet.ZEN2))
    (odd,) = [group for group in made["groups"] if group["odd"]]
    assert odd["nodes"] == ["node6"]
    assert {"what": "CPU target", "here": fleet.ZEN2, "there": fleet.ZEN4} in odd["differs"]


def test_a_virtual_machine_among_machines_is_odd(report):
    made = report(*numbered(5, lambda name: fleet.facts(name, fleet.SPR)), fleet.without_waitpkg("guest"))
    (odd,) = [group for group in made["groups"] if group["odd"]]
    assert {"what": "CPU target", "here": fleet.ICELAKE, "there": fleet.SPR} in odd["differs"]


def test_a_small_fleet_of_kinds_has_no_odd_one(report):
    others = [fleet.facts("b1", fleet.ZEN2), fleet.facts("c1", fleet.GRACE), fleet.facts("c2", fleet.GRACE)]
    made = report(fleet.facts("a1"), *others)
    assert not any(group["odd"] for group in made["groups"])


def test_nodes_that_are_away_for_the_same_reason_are_alike(report):
    away = [answer.Answer(name, answer.UNREACHABLE, "connect to host %s: no route" % name) for name in ("node1", "node2")]
    (group,) = report(*away)["groups"]
    assert group["nodes"] == ["node1", "node2"]
    assert group["reason"] == "connect to host (this node): no route"


def test_one_beside_a_few_is_not_odd(report):
    made = report(*numbered(3, fleet.facts), fleet.facts("other", hidden=["pku"]))
    assert not any(group["odd"] for group in made["groups"])
