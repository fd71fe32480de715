# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later

"""Files of facts, as srun and clush bring them."""

import io
import json

import pytest

from ansible_collections.eessi.arch_guard.plugins.plugin_utils.report import from_lines, shape
from sample import fleet

GOOD = json.dumps(fleet.facts("node1"))


def read(*texts):
    files = [("file%d" % number, io.BytesIO(text.encode("utf-8", "surrogateescape"))) for number, text in enumerate(texts, 1)]
    return from_lines.read(files, shape.Checker())


def test_one_line_a_node():
    found = read(fleet.lines([fleet.facts("node1"), fleet.facts("node2")]), "\n" + fleet.lines([fleet.facts("node3")]))
    assert [answer.node for answer in found.answers] == ["node1", "node2", "node3"]
    assert (found.lines, found.repeated, found.damaged) == (3, 0, [])


@pytest.mark.parametrize(
    ("line", "node"),
    [("0: " + GOOD, "node1"), ("17:" + GOOD, "node1"), ("cn7: " + json.dumps(dict(fleet.facts(), node=None)), "cn7")],
)
def test_what_srun_and_clush_put_in_front(line, node):
    (answer,) = read(line).answers
    assert answer.node == node


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("slurmstepd: error: Exec format error", "no JSON"),
        (GOOD[: len(GOOD) // 2], "no JSON"),
        ("[1]", "facts: not an object"),
        ("{}", "facts.cpu: missing"),
        ("[" * 100000, "no JSON: nested too deeply"),
        (json.dumps(dict(fleet.facts(), node=None)), "no name"),
        (json.dumps(dict(fleet.facts(), node=5)), "no name"),
        ("\udcff\udcfe" + GOOD, "no JSON"),
        ('{"a":' + "9" * (from_lines.LONGEST_LINE + 9), "longer than"),
        ("9" * 5000, "no JSON"),
    ],
)
def test_a_damaged_line_is_named_and_the_others_count(line, said):
    found = read("%s\n\n%s\n%s\n" % (GOOD, line, json.dumps(fleet.facts("node2"))))
    assert [answer.node for answer in found.answers] == ["node1", "node2"]
    (bad,) = found.damaged
    assert (bad.file, bad.line) == ("file1", 3)
    assert bad.reason.startswith(said)
    assert bad.reason.isprintable() and bad.start.isprintable() and len(bad.start) < 80


@pytest.mark.parametrize("front", ["", "0: ", "node1: "])
def test_what_the_guard_says_in_front_of_the_facts_is_no_damage(front):
    said = "eessi-arch-guard: reloaded modules for x86_64/amd/zen2 (loaded for x86_64/amd/zen4)"
    found = read(f"{front}{said}\n{front}{GOOD}\n")
    assert [answer.node for answer in found.answers] == ["node1"]
    assert (found.lines, found.damaged) == (1, [])


def test_the_last_line_of_a_node_and_version_counts():
    found = read(fleet.lines([fleet.facts("a"), fleet.facts("a", fleet.ZEN2), fleet.facts("a", version="2023.06")]))
    assert [(answer.facts["eessi"]["version"], answer.facts["cpu"]["target"]) for answer in found.answers] == [
        ("2025.06", fleet.ZEN2), ("2023.06", fleet.ZEN4),
    ]
    assert found.repeated == 1
