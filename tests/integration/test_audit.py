# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The audit as a newcomer runs it, and as an administrator does on a fleet."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from sample.interpreter import write_interpreter
from sample.nodes import CPUINFO
from sample.tree import build_repository

ROOT = Path(__file__).resolve().parents[2]
MOUNTED = Path("/cvmfs/software.eessi.io/versions").is_dir()
# What the virtual environment of the audit, made on the first run, may take on a slow line.
SECONDS = 600


def audit(*arguments):
    return subprocess.run(
        [sys.executable, ROOT / "tools" / "audit", *arguments],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=SECONDS,
    )


def rows_of(text):
    """The table as host -> its line, and the lines below the table."""
    lines = text.splitlines()
    start = next(number for number, line in enumerate(lines) if line.startswith("NODE "))
    end = lines.index("", start)
    return {line.split()[0]: line.split()[1:] for line in lines[start + 1 : end]}, lines[end + 1 :]


def page_of(text):
    """The path of the page, which the last line names."""
    last = text.splitlines()[-1]
    assert last.startswith("Report: /"), text
    return Path(last.removeprefix("Report: "))


@pytest.fixture(scope="module")
def sample():
    done = audit(*(["--sample"] if MOUNTED else []))
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_sample_says_what_it_is(sample):
    (intro,) = [line for line in sample.splitlines() if "a stub of EESSI's detection" in line]
    assert MOUNTED or "EESSI is not mounted here" in intro


@pytest.mark.parametrize(
    ("node", "cells"),
    [
        ("zen2", "ok x86_64/amd/zen2 the same none -"),
        ("zen4", "ok x86_64/amd/zen4 the same none -"),
        ("grace", "ok aarch64/nvidia/grace the same accel/nvidia/cc90 -"),
        ("sapphirerapids", "ok x86_64/intel/sapphirerapids the same none -"),
        (
            "sapphirerapids-vm",
            "ok x86_64/intel/icelake x86_64/intel/sapphirerapids none sapphirerapids (no waitpkg)",
        ),
        ("zen4-broken-gpu", "ok x86_64/amd/zen4 the same none (failed) -"),
    ],
)
def test_a_sample_node(sample, node, cells):
    # What comes after them tells of the guard on this machine.
    assert rows_of(sample)[0][node][: len(cells.split())] == cells.split()


def test_this_machine_is_among_the_samples(sample):
    rows = rows_of(sample)[0]
    assert len(rows) == 8
    assert rows["localhost"][0] == rows["login"][0] == "ok"


def test_the_sample_ends_with_its_page(sample):
    page = page_of(sample)
    assert "Login × compute" in page.read_text(encoding="utf-8")
    report = json.loads(page.with_name("report.json").read_text(encoding="utf-8"))
    assert report["totals"]["nodes"] == 8
    (matrix,) = report["matrix"]
    assert {kind for kind, pairs in matrix["pairs"].items() if pairs} == {"match", "reload", "reload pinned"}


def test_the_findings_of_the_sample(sample):
    lines = rows_of(sample)[1]
    # This machine may be another of the kind.
    (excluded,) = [line for line in lines if "sapphirerapids-vm" in line and "excluded" in line]
    for word in ("sapphirerapids is excluded", "waitpkg", "EESSI's own detection would pick it"):
        assert word in excluded
    assert any(line.startswith("zen4-broken-gpu: ") and "nvidia-smi failed" in line for line in lines)


@pytest.fixture
def fleet(tmp_path):
    """Run the audit on an inventory of hosts: name -> variables."""

    def run(hosts):
        inventory = tmp_path / "hosts.json"
        local = {"ansible_connection": "local", "ansible_python_interpreter": "{{ ansible_playbook_python }}"}
        inventory.write_text(json.dumps({"all": {"hosts": {name: local | own for name, own in hosts.items()}}}))
        return audit("--inventory", str(inventory))

    return run


def test_a_fleet_with_nodes_that_do_not_answer(fleet, tmp_path):
    prefix = str(build_repository(tmp_path / "eessi").prefix)
    hostile = {"EESSI_STUB_CPUPATH": "\\033[31mred", "EESSI_STUB_ACCELPATH": "\\033[2J"}
    done = fleet(
        {
            "node10": {"eessi_arch_guard_prefix": str(tmp_path / "nothing")},
            "node9": {
                "eessi_arch_guard_prefix": prefix,
                "eessi_arch_guard_proc_cpuinfo": str(CPUINFO / "zen2.cpuinfo"),
                "eessi_arch_guard_machine_type": "x86_64",
            },
            "hostile": {
                "eessi_arch_guard_prefix": prefix,
                "ansible_python_interpreter": str(write_interpreter(tmp_path / "bin/python", sys.executable, hostile)),
            },
            # A node whose temporary directory cannot be made counts as unreachable; so nothing needs ssh here.
            "gone": {"ansible_remote_tmp": "/proc/version/none"},
        }
    )
    assert done.returncode == 0, done.stdout + done.stderr
    rows, findings = rows_of(done.stdout)
    assert list(rows) == ["gone", "hostile", "node9", "node10"]
    # The first cell is the EESSI version, since they differ: what a prefix ends in, and none for a node that is away.
    assert rows["node9"][:3] == ["2025.06", "ok", "x86_64/amd/zen2"]
    assert rows["node10"][:2] == ["nothing", "archdetect-failed"]
    assert rows["hostile"][1] == "archdetect-failed"
    assert rows["gone"][1] == "unreachable"
    for name in ("node10", "hostile", "gone"):
        assert any(line.startswith(f"{name}: ") for line in findings), findings
    assert "gone" in page_of(done.stdout).read_text(encoding="utf-8")
    assert "\033" not in done.stdout + done.stderr


def test_where_ansible_cannot_run_the_audit_fails(fleet, tmp_path):
    done = audit("--inventory", str(tmp_path / "no-such-inventory"))
    assert (done.returncode, "audit: " in done.stderr) == (1, True)
    done = fleet({})
    assert (done.returncode, "audit: the inventory has no hosts" in done.stderr) == (1, True)


def test_where_no_module_could_start_the_audit_fails(fleet):
    done = fleet({"node": {"ansible_python_interpreter": "/nonexistent/python"}})
    assert done.returncode == 1
    assert rows_of(done.stdout)[0]["node"][0] == "failed"
