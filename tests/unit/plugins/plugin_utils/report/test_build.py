# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later

"""The report as data."""

import io
import json
import os

import jsonschema
import pytest

from ansible_collections.eessi.arch_guard.plugins.plugin_utils.report import answer, build, from_lines, shape
from sample import fleet

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", "..", "..", ".."))


@pytest.fixture(scope="module")
def schema():
    with open(os.path.join(ROOT, "docs", "reference", "report.schema.json"), encoding="utf-8") as file:
        found = json.load(file)
    jsonschema.Draft202012Validator.check_schema(found)
    return jsonschema.Draft202012Validator(found)


def test_a_fleet_is_as_the_schema_says(report, schema):
    gone = answer.Answer("gone", answer.UNREACHABLE, "no route")
    made = report(*fleet.fleet(300), gone, login_hosts=["login*"], scontrol="NodeName=cn00000 AvailableFeatures=zen2\n")
    schema.validate(json.loads(json.dumps(made)))
    with pytest.raises(jsonschema.ValidationError):
        schema.validate(dict(made, nodes=[{}]))


def test_a_report_on_nothing_is_as_the_schema_says(report, schema):
    schema.validate(json.loads(json.dumps(report())))


def test_a_report_from_files_is_as_the_schema_says(schema):
    text = fleet.lines(fleet.fleet(5)) + "damaged\n" * 300
    read = from_lines.read([("facts", io.BytesIO(text.encode()))], shape.Checker())
    made = build.build(read.answers, "2026-01-02T03:04:05Z", build.source_of_files(["facts"], read))
    schema.validate(json.loads(json.dumps(made)))
    assert (made["source"]["lines"], made["source"]["damaged"]) == (305, 300)
    assert len(made["source"]["damaged_lines"]) == build.NAMED_DAMAGE


def test_totals_count_nodes(report):
    made = report(
        fleet.facts("login1", guard=fleet.ABSENT),
        fleet.facts("n1", version="2023.06", guard=fleet.ABSENT), fleet.facts("n1", version="2025.06", guard=fleet.ABSENT),
        fleet.without_waitpkg("vm1", guard=fleet.prolog("0.9")),
        fleet.no_target("n2"), fleet.broken_gpu("n3"),
        answer.Answer("n4", answer.UNREACHABLE, "x"), answer.Answer("n5", answer.FAILED, "y"),
        login_hosts=["login*"],
    )
    assert made["totals"] == {
        "nodes": 7, "login": 1, "answered": 5, "unreachable": 1, "failed": 1, "would_hurt": 1, "unguarded": 1,
        "outdated": 1, "accelerator_failed": 1,
    }


def test_targets_are_counted_for_each_version(report):
    made = report(
        fleet.facts("n1", version="2023.06"), fleet.facts("n2", version="2023.06", accelerator="accel/nvidia/cc90"),
        fleet.facts("n1", fleet.ZEN2), fleet.no_target("n2"),
    )
    assert made["targets"] == [
        {
            "eessi_version": "2023.06", "cpu": [{"target": fleet.ZEN4, "nodes": 2}],
            "accelerator": [{"target": None, "nodes": 1}, {"target": "accel/nvidia/cc90", "nodes": 1}],
        },
        {
            "eessi_version": "2025.06", "cpu": [{"target": None, "nodes": 1}, {"target": fleet.ZEN2, "nodes": 1}],
            "accelerator": [{"target": None, "nodes": 2}],
        },
    ]


@pytest.mark.parametrize(("pattern", "role"), [("login*", "login"), ("login1", "login"), ("ogin", "compute"), ("", "compute")])
def test_login_hosts(report, pattern, role):
    assert report(fleet.facts("login1.cluster"), login_hosts=[pattern])["nodes"][0]["role"] == role


def test_node_names_are_in_the_order_of_their_numbers(report):
    made = report(*[fleet.facts(name) for name in ("n10", "n9", "a1")])
    assert [node["node"] for node in made["nodes"]] == ["a1", "n9", "n10"]
