# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The playbooks audit and report, run by their names as an administrator does, with each ansible-core that is here."""

import csv
import json
import os
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest

from harness.launcher import write_launcher
from integration.test_module import CORES, PYTHONS
from sample import fleet
from sample.nodes import CPUINFO
from sample.tree import build_repository

ROOT = Path(__file__).resolve().parents[2]
SCHEMA = json.loads((ROOT / "docs" / "reference" / "report.schema.json").read_text(encoding="utf-8"))
FILES = {"report.html", "report.csv", "report.json", "slurm_features.txt"}
NEWEST = sorted(CORES)[-1]


@pytest.fixture
def play(tmp_path):
    """Return a function that runs a playbook of the collection on hosts (name -> variables)."""

    def run(name, hosts, *options, core=NEWEST, **variables):
        inventory = tmp_path / "hosts.json"
        inventory.write_text(json.dumps({"all": {"hosts": hosts}}))
        variables.setdefault("eessi_arch_guard_report_dir", str(tmp_path / "report"))
        environ = {key: value for key, value in os.environ.items() if not key.startswith(("ANSIBLE_", "EESSI_", "SLURM"))}
        environ.update(EESSI_STUB_NVIDIA_SMI="none", ANSIBLE_CONFIG=str(ROOT / "ansible.cfg"), LC_ALL="C.UTF-8")
        command = [f"{CORES[core]}/ansible-playbook", f"eessi.arch_guard.{name}", "-i", inventory, "-e", json.dumps(variables)]
        return subprocess.run(
            [*command, *options],
            cwd=ROOT, env=environ, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=300,
        )

    return run


@pytest.fixture
def report_of(tmp_path):
    """Return a function that reads the report, which must be as the schema says, and be whole."""

    def read():
        assert {path.name for path in (tmp_path / "report").iterdir()} == FILES
        report = json.loads((tmp_path / "report" / "report.json").read_text(encoding="utf-8"))
        jsonschema.Draft202012Validator(SCHEMA).validate(report)
        return report

    return read


def local(python=None, **more):
    return {"ansible_connection": "local", "ansible_python_interpreter": python or "{{ ansible_playbook_python }}", **more}


def kind(name):
    return {"eessi_arch_guard_proc_cpuinfo": str(CPUINFO / f"{name}.cpuinfo"), "eessi_arch_guard_machine_type": "x86_64"}


@pytest.fixture
def hosts(tmp_path):
    """A fleet with two EESSI versions, of which the older lacks zen4; one host is away and one has no Python."""
    root = tmp_path / "eessi"
    new = build_repository(root, "2025.06")
    old = build_repository(root, "2023.06", cpu_targets=("x86_64/amd/zen2", "x86_64/intel/icelake"), accel_targets={})
    versions = {"eessi_arch_guard_prefixes": [str(old.prefix), str(new.prefix)]}
    return {
        "login1": local(**versions, **kind("zen4")),
        "cn1": local(**versions, **kind("zen2")),
        "vm1": local(**versions, **kind("sapphirerapids-vm")),
        # A node whose temporary directory cannot be made counts as unreachable; so nothing needs ssh here.
        "gone1": local(ansible_remote_tmp="/proc/version/none"),
        "bare1": local("/nonexistent/python"),
    }


@pytest.mark.parametrize("core", sorted(CORES))
def test_audit(play, hosts, report_of, tmp_path, core):
    done = play("audit", hosts, core=core, login_hosts=["login*"])
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"Report: {tmp_path}/report/report.html" in done.stdout.splitlines()
    report = report_of()
    assert {(node["node"], node["eessi_version"]): (node["status"], node["cpu_target"]) for node in report["nodes"]} == {
        ("login1", "2023.06"): ("ok", "x86_64/amd/zen2"),
        ("login1", "2025.06"): ("ok", "x86_64/amd/zen4"),
        ("cn1", "2023.06"): ("ok", "x86_64/amd/zen2"),
        ("cn1", "2025.06"): ("ok", "x86_64/amd/zen2"),
        ("vm1", "2023.06"): ("ok", "x86_64/intel/icelake"),
        ("vm1", "2025.06"): ("ok", "x86_64/intel/icelake"),
        ("gone1", None): ("unreachable", None),
        ("bare1", None): ("failed", None),
    }
    kinds = {found["eessi_version"]: {name for name, pairs in found["pairs"].items() if pairs} for found in report["matrix"]}
    assert kinds == {"2023.06": {"match", "reload", "unknown"}, "2025.06": {"reload", "reload pinned", "unknown"}}
    with (tmp_path / "report" / "report.csv").open(encoding="utf-8", newline="") as file:
        assert [row["node"] for row in csv.DictReader(file)] == [node["node"] for node in report["nodes"]]


def test_check_mode_writes_nothing_and_says_so(play, hosts, tmp_path):
    done = play("audit", hosts, "--check", "--diff")
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"check mode, nothing is written; else the page would be {tmp_path}/report/report.html" in done.stdout
    assert not (tmp_path / "report").exists()


def test_a_fleet_of_which_nothing_answers_fails_and_is_reported(play, report_of):
    done = play("audit", {"gone1": local(ansible_remote_tmp="/proc/version/none")})
    assert done.returncode != 0
    assert "no node answered with facts" in done.stdout
    assert report_of()["totals"]["unreachable"] == 1


@pytest.mark.parametrize("core", sorted(CORES))
def test_report_from_lines(play, report_of, tmp_path, core):
    facts = tmp_path / "facts.jsonl"
    facts.write_text(fleet.lines(fleet.fleet(50)) + "srun: error: node vanished\n", encoding="utf-8")
    scontrol = tmp_path / "nodes.txt"
    scontrol.write_text("NodeName=cn00000 AvailableFeatures=zen2 State=IDLE\n", encoding="utf-8")
    done = play(
        "report", {}, core=core, facts_file=str(facts), login_hosts="login1,login2", eessi_arch_guard_scontrol_file=str(scontrol)
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"1 of 51 lines could not be read, the first is line 51 of {facts}: no JSON" in done.stdout
    report = report_of()
    assert (report["totals"]["nodes"], report["totals"]["login"]) == (50, 2)
    assert report["slurm"]["difference"]["different"] == [{"node": "cn00000", "add": ["zen4"], "remove": ["zen2"]}]


def test_report_of_what_the_launcher_prints(play, report_of, tmp_path):
    repository = build_repository(tmp_path / "eessi")
    launcher = write_launcher(tmp_path / "bin", python=PYTHONS.get(6, sys.executable))
    environ = {
        "PATH": "/usr/bin:/bin", "SLURMD_NODENAME": "cn7", "EESSI_PREFIX": str(repository.prefix),
        "EESSI_STUB_NVIDIA_SMI": "none", "EESSI_PROC_CPUINFO": str(CPUINFO / "zen2.cpuinfo"), "EESSI_MACHINE_TYPE": "x86_64",
    }
    done = subprocess.run([launcher, "facts"], env=environ, capture_output=True, check=True, timeout=60)
    (tmp_path / "facts.jsonl").write_bytes(b"0: " + done.stdout)
    played = play("report", {}, facts_file=str(tmp_path / "facts.jsonl"))
    assert played.returncode == 0, played.stdout + played.stderr
    (node,) = report_of()["nodes"]
    assert (node["node"], node["cpu_target"]) == ("cn7", "x86_64/amd/zen2")


@pytest.mark.parametrize(
    ("variables", "said"),
    [
        ({"facts_file": "/nonexistent/facts"}, "a file with facts cannot be read"),
        (
            {"facts_file": "/dev/null", "eessi_arch_guard_scontrol_file": "/nonexistent/nodes"},
            "the answer of scontrol cannot be read",
        ),
    ],
)
def test_files_that_are_not_there_are_named(play, variables, said):
    done = play("report", {}, **variables)
    assert done.returncode != 0
    assert said in done.stdout + done.stderr
