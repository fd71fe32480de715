# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The suite of the virtual machines: which releases, and that the machines end whatever happens."""

import os
from pathlib import Path

import pytest

from orchestration import process, vm_suite
from orchestration.outcome import Unavailable


class Context:
    def __init__(self, **env):
        self.env = {"PATH": "/usr/bin:/bin", **env}

    def molecule_vm_venv(self):
        return "bin"


@pytest.fixture
def calls(monkeypatch):
    """What was run, in order; `calls.status` is what molecule exits with, `calls.error` what it raises."""

    class Calls(list):
        status = 0
        error = None

    made = Calls()

    def run_scenario(bin_dir, log, name, directory, env, limit, show):
        made.append(f"{name} {env['VM_RELEASE']} in {directory.name}")
        if made.error is not None:
            raise made.error
        return made.status

    def run(command, log, *, env, show):
        made.append(f"{command[-2]} {command[-1]}")
        return 0

    monkeypatch.setattr(vm_suite, "run_scenario", run_scenario)
    monkeypatch.setattr(process, "run", run)
    monkeypatch.setattr(vm_suite, "why_not", lambda env: None)
    return made


LOG = Path("/nowhere/vm.log")
BOTH = "stable oldstable"


def down(release):
    return f"down {vm_suite.DIRECTORY / release / 'run'}"


def test_both_releases(calls):
    outcome = vm_suite.vm(Context(VM_RELEASES=BOTH), LOG)
    assert (outcome.passed, outcome.failed) == (2, 0)
    for release in ("stable", "oldstable"):
        ran, ended = (calls.index(call) for call in (f"vm {release} in {release}", down(release)))
        assert ran < ended


@pytest.mark.parametrize("asked, release", [({"VM_RELEASES": "oldstable"}, "oldstable"), ({}, "stable")])
def test_one_release(calls, asked, release):
    assert vm_suite.vm(Context(**asked), LOG).passed == 1
    assert calls == [f"vm {release} in {release}", down(release)]


def test_a_failure_is_one_for_each_release(calls):
    calls.status = 2
    outcome = vm_suite.vm(Context(VM_RELEASES=BOTH), LOG)
    assert (outcome.passed, outcome.failed) == (0, 2)
    assert outcome.problems[0] == "stable: molecule exited 2, the end of the machines 0, see /nowhere/vm-stable.log"


def test_the_machines_end_when_it_is_broken_off(calls):
    calls.error = KeyboardInterrupt()
    with pytest.raises(KeyboardInterrupt):
        vm_suite.vm(Context(VM_RELEASES=BOTH), LOG)
    assert {down("stable"), down("oldstable")} <= set(calls)


def test_where_there_are_no_programs(monkeypatch, tmp_path):
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    with pytest.raises(Unavailable, match="need programs that are not installed: mkfs.ext4 mmdebstrap qemu"):
        vm_suite.vm(Context(PATH=str(tmp_path)), LOG)


def test_machines_of_the_sites_own_need_neither_root_nor_programs(calls, monkeypatch):
    monkeypatch.setattr(vm_suite, "why_not", lambda env: "not root")
    assert vm_suite.vm(Context(VM_MACHINES="/machines.json"), LOG).passed == 1
    assert len(calls) == 2
