# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later

"""Registered results of Ansible."""

from ansible_collections.eessi.arch_guard.plugins.plugin_utils.report import from_ansible, shape
from sample import fleet


def answers(result):
    return [
        (found.outcome, found.message, found.facts and found.facts["eessi"]["version"])
        for found in from_ansible.answers("node", result, shape.Checker())
    ]


def good(version=fleet.VERSION, **more):
    return dict({"ansible_facts": {"eessi_arch_guard": fleet.facts(version=version)}}, **more)


def test_facts():
    assert answers(good()) == [("ok", "", "2025.06")]


def test_a_loop_over_versions():
    assert answers({"results": [good("2023.06"), good("2025.06")]}) == [("ok", "", "2023.06"), ("ok", "", "2025.06")]


def test_a_host_that_is_away_is_told_once():
    away = {"unreachable": True, "msg": "no route"}
    assert answers({"results": [away, dict(away, msg="other words")]}) == [("unreachable", "no route", None)]


def test_failures():
    assert answers({"failed": True, "msg": "no Python"}) == [("failed", "no Python", None)]
    assert answers(good(failed=True, msg="fail_on")) == [("failed", "fail_on", "2025.06")]
    assert answers({"results": [good(), {"failed": True, "msg": "x"}]}) == [("ok", "", "2025.06"), ("failed", "x", None)]


def test_a_host_without_a_result():
    assert answers(None) == [("failed", from_ansible.NO_RESULT, None)]


def test_facts_of_another_kind():
    ((outcome, message, told),) = answers({"ansible_facts": {"eessi_arch_guard": {"cpu": 1}}})
    assert (outcome, told) == ("failed", None)
    assert "facts.cpu: not an object" in message
