# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later

"""Facts from anywhere: the right shape comes through, all else is named."""

import copy

import pytest

from ansible_collections.eessi.arch_guard.plugins.plugin_utils.report import shape
from sample import fleet


def test_good_facts_come_through():
    told = fleet.without_waitpkg()
    checked = shape.Checker().checked(told)
    assert checked["cpu"]["candidates"] == told["cpu"]["candidates"]
    assert checked["cpuinfo"]["hypervisor"] is True
    assert checked["prolog"] == told["prolog"]


def test_facts_of_an_older_guard_have_less():
    told = fleet.facts()
    del told["cpuinfo"]["hypervisor"]
    assert shape.Checker().checked(told)["cpuinfo"]["hypervisor"] is None


def changed(path, value):
    told = copy.deepcopy(fleet.facts())
    part = told
    for name in path[:-1]:
        part = part[name]
    part[path[-1]] = value
    return told


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ([], "facts: not an object"),
        ({}, "facts.cpu: missing"),
        (changed(["cpu"], None), "facts.cpu: not an object"),
        (changed(["cpu", "status"], None), "facts.cpu.status: not of the right kind"),
        (changed(["cpu", "candidates"], [1]), "facts.cpu.candidates: not an object"),
        (changed(["cpuinfo", "logical_cpus"], True), "facts.cpuinfo.logical_cpus: not of the right kind"),
        (changed(["cpuinfo", "missing_march_flags"], {"x": [3]}), "facts.cpuinfo.missing_march_flags: not of the right kind"),
        (changed(["warnings"], "text"), "facts.warnings: not of the right kind"),
    ],
)
def test_bad_facts_are_named(told, said):
    with pytest.raises(shape.BadFacts) as error:
        shape.Checker().checked(told)
    assert str(error.value) == said


def test_every_string_is_one_printable_bounded_line():
    checker = shape.Checker()
    for evil in ("\x1b[31m\n", "\u202e", "\ud800", "x" * 5000):
        checked = checker.checked(changed(["cpu", "reason"], evil))["cpu"]["reason"]
        assert checked.isprintable()
        assert len(checked) <= shape.LONGEST + 3
        checked.encode("utf-8")
