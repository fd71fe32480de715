# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later

"""The table, read back by Python's csv."""

import csv
import io

from ansible_collections.eessi.arch_guard.plugins.plugin_utils.report import answer, csv_text
from sample import fleet


def rows(report):
    return {row["node"]: row for row in csv.DictReader(io.StringIO(csv_text.render(report)))}


def test_a_row_for_each_node(report):
    found = rows(report(
        fleet.without_waitpkg(hidden=["pku", "umip"], warnings=["one, two", 'three "quoted"']),
        fleet.facts("n1", accelerator="accel/nvidia/cc90"), answer.Answer("gone", answer.UNREACHABLE, "no route, sorry"),
    ))
    assert list(found) == ["gone", "n1", "vm1"]
    vm = found["vm1"]
    assert (vm["cpu_target"], vm["unfiltered_target"], vm["pin"]) == (fleet.ICELAKE, fleet.SPR, fleet.ICELAKE)
    assert (vm["excluded"], vm["hidden_flags"], vm["virtual"]) == ("x86_64/intel/sapphirerapids(waitpkg)", "pku umip", "yes")
    assert vm["warnings"] == 'one, two; three "quoted"'
    assert (found["n1"]["features"], found["n1"]["guard"], found["n1"]["logical_cpus"]) == ("zen4 cc90", "active", "128")
    assert (found["gone"]["status"], found["gone"]["reason"], found["gone"]["virtual"]) == ("unreachable", "no route, sorry", "")


def test_no_cell_is_a_formula(report):
    for evil in ("=cmd()", "+1", "-1", "@x"):
        (row,) = rows(report(answer.Answer(evil, answer.FAILED, evil))).values()
        assert (row["node"], row["reason"]) == ("'" + evil, "'" + evil if len(evil) < 3 else "(this node)")
