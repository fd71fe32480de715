# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later

"""The module as an administrator runs it: by real Ansible, on every Python and ansible-core that is here."""

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
import yaml

from integration.conftest import shape_of, strings_of
from sample.nodes import CPUINFO

ROOT = Path(__file__).resolve().parents[2]
MODULE = ROOT / "plugins" / "modules" / "eessi_arch_guard.py"
SPR, ICL = "x86_64/intel/sapphirerapids", "x86_64/intel/icelake"
# The Pythons of nodes that each ansible-core reaches.
TARGETS = {"2.16": (6, 12), "2.18": (8, 13), "2.19": (8, 13), "2.21": (9, 14)}


def matrix():
    """Return (pythons, cores): minor version -> interpreter, ansible-core version -> directory of its programs."""
    if "ARCH_GUARD_TEST_MATRIX" in os.environ:
        found = json.loads(Path(os.environ["ARCH_GUARD_TEST_MATRIX"]).read_text())
        return (
            {int(version.split(".")[1]): path for version, path in found["pythons"].items()},
            {version: core["bin"] for version, core in found["cores"].items()},
        )
    return {sys.version_info.minor: sys.executable}, {"2.19": str(Path(shutil.which("ansible") or "/none/x").parent)}


PYTHONS, CORES = matrix()
PAIRS = [
    (core, minor) for core, (first, last) in sorted(TARGETS.items()) if core in CORES
    for minor in sorted(PYTHONS) if first <= minor <= last
]


def ansible(core, minor, arguments="", *options):
    """Run the module on localhost; return (facts or None, the whole result, exit status, seconds)."""
    environ = {name: value for name, value in os.environ.items() if not name.startswith(("ANSIBLE_", "EESSI_"))}
    environ["EESSI_STUB_NVIDIA_SMI"] = "none"
    begin = time.monotonic()
    done = subprocess.run(
        [f"{CORES[core]}/ansible", "localhost", "-m", "eessi_arch_guard", "-a", arguments, *options,
         "-e", json.dumps({"ansible_python_interpreter": PYTHONS[minor]})],
        cwd=ROOT, env=environ, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=120,
    )
    seconds = time.monotonic() - begin
    assert " => " in done.stdout, done.stdout + done.stderr
    result = json.loads(done.stdout.partition(" => ")[2])
    return result.get("ansible_facts", {}).get("eessi_arch_guard"), result, done.returncode, seconds


@pytest.fixture
def any_pair():
    """One pair of ansible-core and Python, the newest."""
    return PAIRS[-1]


@pytest.mark.parametrize("core, minor", PAIRS, ids=str)
def test_facts_on_each_python_and_core(core, minor, repository):
    hidden = f"prefix={repository.prefix} machine_type=x86_64 proc_cpuinfo={CPUINFO}/sapphirerapids-vm.cpuinfo"
    facts, result, status, _seconds = ansible(core, minor, hidden)
    assert (status, result["changed"]) == (0, False), result
    assert (facts["cpu"]["target"], facts["cpu"]["excluded"]) == (ICL, [SPR])
    assert "deprecations" not in result and "warnings" not in result


def test_each_python_of_this_machine_is_reached_by_a_core():
    assert {minor for _core, minor in PAIRS} == {minor for minor in PYTHONS if 6 <= minor <= 14}


def test_check_mode_says_the_same(any_pair, repository):
    arguments = f"prefix={repository.prefix} machine_type=x86_64 proc_cpuinfo={CPUINFO}/zen4.cpuinfo"
    facts, result, status, _seconds = ansible(*any_pair, arguments, "--check", "--diff")
    assert (status, result["changed"], facts["cpu"]["target"]) == (0, False, "x86_64/amd/zen4")
    assert facts == ansible(*any_pair, arguments)[0]


@pytest.mark.parametrize("fail_on, status", [
    ("", 0), ("no-software-dir", 0), ("archdetect-failed", 2), ("archdetect-failed,no-software-dir", 2),
])
def test_a_broken_node_fails_only_when_asked_to(any_pair, repository, fail_on, status):
    arguments = "prefix=/no/such/version" + (f" fail_on={fail_on}" if fail_on else "")
    facts, result, exit_status, _seconds = ansible(*any_pair, arguments)
    assert exit_status == status
    assert facts["cpu"]["status"] == "archdetect-failed"
    assert shape_of(facts) == shape_of(ansible(*any_pair, f"prefix={repository.prefix}")[0])
    if status:
        assert result["msg"].startswith("cpu: archdetect-failed: /no/such/version/init/eessi_archdetect.sh")


def test_no_directory_is_a_status_of_its_own(any_pair, script_repository):
    repository = script_repository('[ "$1" = accelpath ] && exit 2\necho x86_64/amd/zen4\n')
    facts, result, status, _seconds = ansible(*any_pair, f"prefix={repository.prefix} fail_on=no-software-dir")
    assert (status, facts["cpu"]["status"]) == (2, "no-software-dir")
    assert result["msg"].startswith("cpu: no-software-dir: no software directory under ")


def test_a_detection_that_hangs_is_reported_in_time(any_pair, script_repository):
    _facts, _result, _status, usual = ansible(*any_pair, "prefix=/no/such/version")
    repository = script_repository("trap '' TERM; sleep 600\n")
    facts, _result, status, seconds = ansible(*any_pair, f"prefix={repository.prefix} timeout=2")
    assert (status, facts["cpu"]["status"]) == (0, "archdetect-failed")
    assert facts["cpu"]["reason"].endswith("cpupath did not answer in time")
    assert seconds - usual < 4


def test_the_verdict_for_modules_loaded_elsewhere(any_pair, repository):
    node = f"prefix={repository.prefix} machine_type=x86_64 proc_cpuinfo={CPUINFO}/zen2.cpuinfo"
    facts = ansible(*any_pair, node)[0]
    assert (facts["verdict"], facts["label"]) == (None, None)
    facts = ansible(*any_pair, node + " loaded_cpu=x86_64/amd/zen4")[0]
    assert (facts["verdict"], facts["label"]) == ("reload", "x86_64/amd/zen4->x86_64/amd/zen2")
    facts = ansible(*any_pair, node + " loaded_cpu=x86_64/amd/zen2 loaded_accelerator=''")[0]
    assert (facts["verdict"], facts["label"]) == ("match", "")
    facts = ansible(*any_pair, node + " loaded_cpu=x86_64/amd/zen2 loaded_accelerator=accel/nvidia/cc80")[0]
    assert facts["label"] == "x86_64/amd/zen2 accel/nvidia/cc80->x86_64/amd/zen2 no accel"


def test_an_option_that_does_not_exist_is_refused(any_pair):
    _facts, result, status, _seconds = ansible(*any_pair, "fail_on=nonsense")
    assert status == 2
    assert "value of fail_on must be one or more of: archdetect-failed, no-software-dir" in result["msg"]


def test_documented_facts_are_those_that_come(any_pair, repository):
    documented = yaml.safe_load(MODULE.read_text().partition('RETURN = r"""')[2].partition('"""')[0])

    def keys_of(entry):
        if entry["type"] != "dict" or "contains" not in entry:
            return "..."
        return {name: keys_of(part) for name, part in entry["contains"].items()}

    facts = ansible(*any_pair, f"prefix={repository.prefix}")[0]
    assert shape_of({"eessi_arch_guard": facts}) == keys_of(documented["ansible_facts"])
    assert all(text.isprintable() for text in strings_of(facts))


def test_the_full_name_works_too(any_pair, repository):
    core, minor = any_pair
    done = subprocess.run(
        [f"{CORES[core]}/ansible", "localhost", "-m", "eessi.arch_guard.eessi_arch_guard", "-a", f"prefix={repository.prefix}",
         "-e", json.dumps({"ansible_python_interpreter": PYTHONS[minor]})],
        cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=120,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert '"eessi_arch_guard"' in done.stdout
