# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later

"""Words for Feature=, and the difference to a running Slurm."""

from ansible_collections.eessi.arch_guard.plugins.plugin_utils.report import slurm
from sample import fleet

SCONTROL = """\
NodeName=n1 Arch=x86_64 CoresPerSocket=1 AvailableFeatures=zen4,rack7 ActiveFeatures=zen4 NodeAddr=n1 State=IDLE
NodeName=n2 Arch=x86_64 AvailableFeatures=zen2,cc80,rack7 ActiveFeatures=zen2,cc80,rack7 Reason=NodeName=n9 is odd [root]
NodeName=n3 AvailableFeatures=(null) ActiveFeatures=(null)
NodeName=spare AvailableFeatures=zen4
"""
NODES = [
    fleet.facts("n1"), fleet.facts("n2", accelerator="accel/nvidia/cc90"), fleet.facts("n3.cluster", fleet.ZEN2),
    fleet.facts("new1", fleet.GRACE, accelerator="accel/amd/gfx90a"),
]


def test_words_of_the_nodes(report):
    assert report(*NODES)["slurm"] == {
        "lines": [
            "NodeName=new1 Feature=grace,gfx90a", "NodeName=n3.cluster Feature=zen2", "NodeName=n1 Feature=zen4",
            "NodeName=n2 Feature=zen4,cc90",
        ],
        "difference": None,
    }


def test_the_difference_to_a_running_slurm(report):
    made = report(*NODES, scontrol=SCONTROL)["slurm"]
    assert made["difference"] == {
        "different": [
            {"node": "n2", "add": ["zen4", "cc90"], "remove": ["zen2", "cc80"]},
            {"node": "n3", "add": ["zen2"], "remove": []},
        ],
        "not_in_slurm": ["new1"],
        "without_facts": ["spare"],
    }


def test_words_of_the_site_stay(report):
    lines = report(*NODES, scontrol=SCONTROL)["slurm"]["lines"]
    assert "NodeName=n2 Feature=rack7,zen4,cc90" in lines
    assert "NodeName=n1 Feature=rack7,zen4" in lines
    assert "NodeName=n3 Feature=zen2" in lines


def test_alike_nodes_share_a_line(report):
    made = report(*[fleet.facts("n%d" % number) for number in range(1, 12)])
    assert made["slurm"]["lines"] == ["NodeName=n[1-11] Feature=zen4"]


def test_the_newest_version_counts(report):
    made = report(fleet.facts("n1", fleet.ZEN2, version="2023.06"), fleet.facts("n1", version="2025.06"))
    assert made["slurm"]["lines"] == ["NodeName=n1 Feature=zen4"]


def test_login_nodes_lost_nodes_and_names_that_are_none_have_no_line(report):
    made = report(
        fleet.facts("login1"), fleet.no_target("n1"), fleet.facts("n2 Feature=evil"), fleet.facts("n3", "x86_64/a,b c"),
        login_hosts=["login1"],
    )
    assert made["slurm"]["lines"] == []


def test_text_that_is_no_answer_of_scontrol():
    assert slurm.parse("slurm_load_node error: Unable to contact slurm controller\n") == {}
