# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later

"""What an administrator is told, and what to do about it."""

import pytest

from ansible_collections.eessi.arch_guard.plugins.plugin_utils.report import answer
from sample import fleet

BARE = fleet.without_waitpkg()
BARE["cpuinfo"] = dict(BARE["cpuinfo"], hypervisor=False)
UNINSTALLED = fleet.without_waitpkg()
UNINSTALLED["cpu"] = dict(UNINSTALLED["cpu"], unfiltered_target=fleet.ICELAKE)


@pytest.mark.parametrize(
    ("thing", "code", "severity", "text", "advice"),
    [
        (fleet.without_waitpkg(), "excluded", "warning", "intel/sapphirerapids is excluded", "hypervisor hides the flag"),
        (fleet.without_waitpkg(), "excluded", "warning", "does not show waitpkg", "-overcommit cpu-pm=on"),
        (BARE, "excluded", "warning", "EESSI's own detection would pick it", "firmware setting"),
        (fleet.no_target(), "archdetect-failed", "error", "no CPU target: no EESSI on this node", "Mount EESSI"),
        (fleet.no_target(status="no-software-dir", reason="none"), "no-software-dir", "error", "none", "built for the processor"),
        (fleet.broken_gpu(), "accelerator-failed", "error", "not found out: nvidia-smi failed: Driver", "reboot"),
        (fleet.facts(guard=fleet.ABSENT), "guard-absent", "warning", "not installed", "eessi.arch_guard.deploy"),
        (fleet.facts(guard=fleet.prolog("0.9")), "guard-outdated", "warning", "another version", "deploy"),
        (fleet.facts(guard=fleet.prolog(intact=False)), "guard-changed", "error", "were changed", "who changed them"),
        (fleet.facts(guard=fleet.prolog(wired=False)), "guard-not-wired", "warning", "TaskProlog", "TaskProlog"),
        (fleet.facts(guard=fleet.prolog(intact=None)), "guard-unknown", "warning", "cannot be told", "mount"),
        (fleet.facts(hidden=["pku", "umip"]), "hidden-flags", "information", "pku, umip in x86_64/amd/zen4", "Nothing is wrong"),
        (fleet.facts(warnings=["the GPUs differ"]), "note", "information", "the GPUs differ", "explain"),
        (
            fleet.facts(gpu=dict(fleet.NO_GPU, status="ok", target="accel/nvidia/cc120")),
            "accelerator-without-software", "information", "has no software for accel/nvidia/cc120", "EESSI",
        ),
        (answer.Answer("n", answer.UNREACHABLE, "no route"), "unreachable", "error", "could not be reached: no route", "srun"),
        (answer.Answer("n", answer.FAILED, "no Python"), "module-failed", "error", "the module failed: no Python", "Python 3.6"),
    ],
)
def test_a_finding(report, thing, code, severity, text, advice):
    made = report(thing)
    (finding,) = [found for found in made["findings"] if found["code"] == code]
    assert finding["severity"] == severity
    assert text in finding["text"]
    assert advice in finding["advice"]
    assert code in made["nodes"][0]["findings"]
    assert len(made["findings"]) == 1


def test_an_excluded_target_without_a_guard_is_an_error_and_would_hurt(report):
    made = report(fleet.without_waitpkg(guard=fleet.ABSENT), fleet.without_waitpkg("vm2"))
    assert [(found["code"], found["severity"], found["nodes"]) for found in made["findings"]] == [
        ("excluded-unguarded", "error", ["vm1"]), ("excluded", "warning", ["vm2"]), ("guard-absent", "warning", ["vm1"]),
    ]
    assert made["totals"]["would_hurt"] == 1


@pytest.mark.parametrize("thing", [fleet.facts(), UNINSTALLED, fleet.facts(guard=fleet.prolog(wired=None))])
def test_nothing_to_tell(report, thing):
    assert report(thing)["findings"] == []


def test_a_login_node_needs_no_guard(report):
    made = report(fleet.facts("login1", guard=fleet.ABSENT), login_hosts=["login*"])
    assert (made["findings"], made["totals"]["unguarded"]) == ([], 0)


def test_nodes_with_the_same_finding_share_it(report):
    made = report(*[fleet.facts("node%d" % number, guard=fleet.ABSENT) for number in (10, 9)])
    assert [found["nodes"] for found in made["findings"]] == [["node9", "node10"]]
