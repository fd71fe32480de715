# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Facts of nodes -> table and findings."""

import copy

import pytest

from audit import findings, table
from audit.ansible_run import HostResult

FACTS = {
    "cpu": {
        "status": "ok",
        "reason": "",
        "target": "x86_64/amd/zen4",
        "unfiltered_target": "x86_64/amd/zen4",
        "candidates": [{"name": "x86_64/amd/zen4", "installed": True, "excluded": False, "missing_flags": []}],
    },
    "accelerator": {"status": "ok", "reason": "", "target": "accel/nvidia/cc90", "archdetect_status": 0},
    "cpuinfo": {"missing_march_flags": {"x86_64/amd/zen4": []}},
    "warnings": [],
}
EXCLUDED = {
    "target": "x86_64/intel/icelake",
    "unfiltered_target": "x86_64/intel/sapphirerapids",
    "candidates": [
        {"name": "x86_64/intel/sapphirerapids", "installed": True, "excluded": True, "missing_flags": ["waitpkg"]},
        {"name": "x86_64/intel/icelake", "installed": True, "excluded": False, "missing_flags": []},
    ],
}
NO_GPU = {"status": "none", "reason": "nvidia-smi was not found", "target": None, "archdetect_status": 2}
BROKEN_GPU = {"status": "none", "reason": "nvidia-smi failed: no driver", "target": None, "archdetect_status": 3}
GARBAGE_GPU = {"status": "archdetect-failed", "reason": "accelpath printed 'x'", "target": None, "archdetect_status": 0}
NO_TARGET = {
    "status": "no-software-dir",
    "reason": "nothing there",
    "target": None,
    "unfiltered_target": None,
    "candidates": [],
}


def host(name="node", outcome="ok", message="", **parts):
    """A host with the facts above, each of `parts` laid over the part of that name."""
    facts = copy.deepcopy(FACTS)
    for part, change in parts.items():
        facts[part] = {**facts[part], **change} if isinstance(change, dict) else change
    return HostResult(name, outcome, message, facts)


@pytest.mark.parametrize(
    ("result", "cells"),
    [
        (host(), ("node", "ok", "x86_64/amd/zen4", "the same", "accel/nvidia/cc90", "-")),
        (
            host(cpu=EXCLUDED, accelerator=NO_GPU),
            ("node", "ok", EXCLUDED["target"], EXCLUDED["unfiltered_target"], "none", "sapphirerapids (no waitpkg)"),
        ),
        (host(accelerator=BROKEN_GPU), ("node", "ok", "x86_64/amd/zen4", "the same", "none (failed)", "-")),
        (host(accelerator=GARBAGE_GPU), ("node", "ok", "x86_64/amd/zen4", "the same", "archdetect-failed", "-")),
        (host(cpu=NO_TARGET, accelerator=NO_GPU), ("node", "no-software-dir", "-", "-", "none", "-")),
        (HostResult("gone", "unreachable", "no route"), ("gone", "unreachable", "-", "-", "-", "-")),
        (HostResult("old", "failed", "no Python"), ("old", "failed", "-", "-", "-", "-")),
    ],
)
def test_row(result, cells):
    assert table.row(result) == cells


def test_columns_stand_under_their_headings():
    lines = table.render([host("a"), host("a-long-name", cpu=EXCLUDED)])
    column = lines[0].index("CPU TARGET")
    assert [line[column:].split()[0] for line in lines] == ["CPU", "x86_64/amd/zen4", "x86_64/intel/icelake"]


@pytest.mark.parametrize(
    ("result", "words"),
    [
        (host(cpu=EXCLUDED), ["intel/sapphirerapids is excluded", "waitpkg", "EESSI's own detection would pick it"]),
        (host(accelerator=BROKEN_GPU), ["the accelerator was not found out: nvidia-smi failed: no driver"]),
        (host(accelerator=GARBAGE_GPU), ["the accelerator was not found out: accelpath printed 'x'"]),
        (host(cpu=NO_TARGET), ["no CPU target: nothing there"]),
        (host(cpuinfo={"missing_march_flags": {"x86_64/amd/zen4": ["pku"]}}), ["for information", "pku"]),
        (host(warnings=["the CPUs differ"]), ["the CPUs differ"]),
        (host(outcome="failed", message="fail_on"), ["the module failed: fail_on"]),
        (HostResult("gone", "unreachable", "no route"), ["could not be reached: no route"]),
        (HostResult("old", "failed", "no Python"), ["the module failed: no Python"]),
    ],
)
def test_a_finding(result, words):
    (text,) = findings.of_host(result)
    for word in words:
        assert word in text


def test_an_excluded_target_that_is_not_installed_is_no_finding():
    excluded = {**EXCLUDED, "unfiltered_target": EXCLUDED["target"]}
    assert findings.of_host(host(cpu=excluded)) == []


def test_nothing_found_is_said():
    assert findings.render([host(), host(accelerator=NO_GPU)]) == [findings.NOTHING_FOUND]


@pytest.mark.parametrize(
    ("count", "names"), [(1, "n0: "), (6, "n0, n1, n2, n3, n4, n5: "), (7, "n0, n1, n2, n3, n4 and 2 more: ")]
)
def test_hosts_with_the_same_finding_share_a_line(count, names):
    (line,) = findings.render([host(f"n{number}", warnings=["same"]) for number in range(count)])
    assert line == names + "same"


def test_no_control_character_of_a_node_reaches_the_terminal():
    evil = "\x1b[31m\r\n\u202e\x9b" + "x" * 5000
    candidate = {"name": f"a/{evil}", "installed": True, "excluded": True, "missing_flags": [evil]}
    results = [
        host(
            evil,
            cpu={
                "status": evil,
                "reason": evil,
                "target": evil,
                "unfiltered_target": f"a/{evil}",
                "candidates": [candidate],
            },
            accelerator={"status": evil, "reason": evil, "target": evil, "archdetect_status": 0},
            cpuinfo={"missing_march_flags": {evil: [evil]}},
            warnings=[evil],
        ),
        host(accelerator={"status": "ok", "target": evil}),
        HostResult(evil, "unreachable", evil),
    ]
    for line in table.render(results) + findings.render(results):
        assert line.isprintable()
        assert len(line) < 1000
