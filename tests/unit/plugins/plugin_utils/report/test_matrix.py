# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later

"""Login x compute: the guard's own verdicts."""

import pytest

from ansible_collections.eessi.arch_guard.plugins.plugin_utils.report import answer
from sample import fleet

LOGIN = fleet.facts("login1")


def only_cell(report, compute, login=LOGIN):
    (matrix,) = report(login, compute, login_hosts=["login*"])["matrix"]
    ((cell,),) = matrix["cells"]
    assert {kind for kind, pairs in matrix["pairs"].items() if pairs} == {cell["kind"]}
    return cell


@pytest.mark.parametrize(
    ("compute", "kind", "label"),
    [
        (fleet.facts(), "match", ""),
        (fleet.facts(target=fleet.ZEN2), "reload", "x86_64/amd/zen4->x86_64/amd/zen2"),
        (
            fleet.facts(accelerator="accel/nvidia/cc90"), "reload",
            "x86_64/amd/zen4 no accel->x86_64/amd/zen4 accel/nvidia/cc90",
        ),
        (fleet.without_waitpkg(), "reload pinned", "x86_64/amd/zen4->x86_64/intel/icelake"),
        (fleet.no_target(status="no-software-dir", reason="none"), "no directory", "x86_64/amd/zen4->no-software-dir"),
        (fleet.no_target(), "detection failed", "x86_64/amd/zen4->archdetect-failed"),
        (
            fleet.facts(gpu=dict(fleet.NO_GPU, status="archdetect-failed", reason="accelpath printed 'x'")),
            "detection failed", "x86_64/amd/zen4->archdetect-failed",
        ),
        (answer.Answer("gone", answer.UNREACHABLE, "no route"), "unknown", ""),
    ],
)
def test_a_pair(report, compute, kind, label):
    cell = only_cell(report, compute)
    assert (cell["kind"], cell["label"]) == (kind, label)
    assert bool(cell["reason"]) == (kind in ("no directory", "detection failed", "unknown"))


def test_a_login_node_brings_what_eessi_alone_picks(report):
    cell = only_cell(report, fleet.facts(target=fleet.SPR), fleet.without_waitpkg("login1"))
    assert cell["kind"] == "match"


def test_a_login_node_that_is_lost(report):
    cell = only_cell(report, fleet.facts(), fleet.no_target("login1"))
    assert cell["kind"] == "unknown"
    assert "what is loaded on the login node is not known" in cell["reason"]


def test_alike_nodes_share_a_row_and_a_column(report):
    nodes = [fleet.facts("login1"), fleet.facts("login2"), fleet.facts("n1"), fleet.facts("n2"), fleet.facts("n3", fleet.ZEN2)]
    (matrix,) = report(*nodes, login_hosts=["login1", "login2"])["matrix"]
    assert [side["nodes"] for side in matrix["logins"]] == [["login1", "login2"]]
    assert [side["nodes"] for side in matrix["computes"]] == [["n1", "n2"], ["n3"]]
    assert (matrix["pairs"]["match"], matrix["pairs"]["reload"]) == (4, 2)


def test_each_version_has_its_own(report):
    nodes = [fleet.facts(name, version=version) for name in ("login1", "n1") for version in ("2023.06", "2025.06")]
    nodes.append(fleet.facts("n2", fleet.ZEN2, version="2025.06"))
    old, new = report(*nodes, login_hosts=["login1"])["matrix"]
    assert (old["eessi_version"], [side["nodes"] for side in old["computes"]]) == ("2023.06", [["n1"]])
    assert (new["eessi_version"], [side["nodes"] for side in new["computes"]]) == ("2025.06", [["n1"], ["n2"]])


def test_without_login_nodes_there_is_none(report):
    assert report(fleet.facts())["matrix"] == []
