# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later

"""A few lines for a terminal."""

import copy
import re

import pytest

from ansible_collections.eessi.arch_guard.plugins.plugin_utils.report import answer, findings, terminal
from sample import fleet


@pytest.mark.parametrize(
    ("thing", "cells"),
    [
        (fleet.facts("n", accelerator="accel/nvidia/cc90"), (fleet.ZEN4, "the same", "accel/nvidia/cc90", "-", "active")),
        (fleet.without_waitpkg("n"), (fleet.ICELAKE, fleet.SPR, "none", "sapphirerapids (no waitpkg)", "active")),
        (fleet.broken_gpu("n"), (fleet.ZEN4, "the same", "none (failed)", "-", "active")),
        (fleet.no_target("n"), ("-", "-", "archdetect-failed", "-", "active")),
        (answer.Answer("n", answer.UNREACHABLE, "no route"), ("-", "-", "-", "-", "-")),
    ],
)
def test_row(report, thing, cells):
    (node,) = report(thing)["nodes"]
    assert terminal.row("n", node) == ("n", node["status"]) + cells


def test_columns_stand_under_their_headings(report):
    lines = terminal.table(report(fleet.facts("a"), fleet.without_waitpkg("a-long-name")))
    column = lines[0].index("CPU TARGET")
    assert [line[column:].split()[0] for line in lines] == ["CPU", fleet.ZEN4, fleet.ICELAKE]


def test_several_versions_have_a_column(report):
    lines = terminal.table(report(fleet.facts("a", version="2023.06"), fleet.facts("a", version="2025.06")))
    assert [line.split()[:2] for line in lines] == [["NODE", "EESSI"], ["a", "2023.06"], ["a", "2025.06"]]


def test_a_large_fleet_has_a_row_for_each_group(report):
    lines = terminal.render(report(*fleet.fleet(10000)))
    assert len(lines) < 40
    assert max(len(line) for line in lines) < 250
    assert any(re.match(r"cn\[00000-00006,\S* \.\.\. \(\d{4}\)  ok ", line) for line in lines), lines


def test_many_groups_are_cut(report):
    made = report(*[fleet.facts("n%d" % number, hidden=["f%d" % number]) for number in range(50)])
    lines = terminal.render(made)
    assert "... and 30 more groups of nodes that are alike" in lines
    assert "... and 38 more findings in the report" in lines


def test_nothing_found_is_said(report):
    assert terminal.sentences(report(fleet.facts())) == [findings.NOTHING_FOUND]


def test_damaged_lines_are_said(report):
    made = report(fleet.facts())
    made["source"].update(
        damaged=2, lines=9, damaged_lines=[{"file": "facts", "line": 3, "reason": "no JSON", "start": "x"}]
    )
    assert terminal.sentences(made) == ["2 of 9 lines could not be read, the first is line 3 of facts: no JSON"]


def test_no_control_character_of_a_node_reaches_the_terminal(report):
    evil = "\x1b[31m\r\n\u202e\x9b" + "x" * 5000
    told = copy.deepcopy(fleet.without_waitpkg(evil, warnings=[evil], hidden=[evil]))
    told["cpu"].update(status=evil, reason=evil, target=evil, unfiltered_target=evil)
    told["cpu"]["candidates"][0].update(name=evil, missing_flags=[evil])
    told["accelerator"].update(status=evil, reason=evil)
    for line in terminal.render(report(told)):
        assert line.isprintable()
        assert len(line) < 1000
