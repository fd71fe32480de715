# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later

"""Many tasks of one step under real Slurm: one detection a node, and one reload."""

import os
import shlex
from collections import Counter

import pytest

from ansible_collections.eessi.arch_guard.plugins.module_utils.arch_guard import shared_result
from harness.cluster import build_cluster
from harness.launcher import write_launcher
from harness.lmod import find_lmods
from harness.scenario import Scenario
from sample.modules import Software
from sample.nodes import SAMPLE_NODES
from sample.tree import build_repository

NODES = {node.name: node for node in SAMPLE_NODES}
# One that the user of the cluster may start.
PYTHON = "/usr/bin/python3"
TASKS = 64
PAIR = {"cpupath": 1, "accelpath": 1}


@pytest.fixture
def log(public_path):
    """A file that the user can write to, for what is started."""
    path = public_path / "starts"
    path.touch()
    path.chmod(0o666)
    return path


@pytest.fixture
def job(public_path, task_prolog, log):
    """The guard is the TaskProlog; the environment of a user who loaded EESSI for zen2."""
    task_prolog(f"exec {shlex.quote(str(write_launcher(public_path / 'guard', PYTHON)))}")
    repository = build_repository(public_path / "cvmfs")
    return {
        "EESSI_PREFIX": str(repository.prefix), "EESSI_INIT_PREFIX": str(repository.init_prefix), "EESSI_OS_TYPE": "linux",
        "EESSI_MACHINE_TYPE": "x86_64", "EESSI_SOFTWARE_SUBDIR": "x86_64/amd/zen2", "EESSI_STUB_LOG": str(log),
    }


def starts(log):
    found = Counter(log.read_text().split())
    log.write_text("")
    return found


def shown(result):
    assert result.returncode == 0, result.stderr
    return Counter(result.stdout.splitlines())


def many(cluster, job, *arguments, script):
    return shown(cluster.srun(*arguments, "--overcommit", "/bin/sh", "-c", script, env=job, timeout=120))


def test_64_tasks_that_need_nothing_cost_one_detection(cluster, job, log):
    script = 'echo "${EESSI_ARCH_GUARD_FAILED-no failure} $EESSI_SOFTWARE_SUBDIR"'
    said = many(cluster, job, "-w", "n-zen2", "-n", str(TASKS), script=script)
    assert said == {"no failure x86_64/amd/zen2": TASKS}
    assert starts(log) == PAIR


def test_64_tasks_on_each_of_two_nodes_cost_one_detection_each_and_say_it_once(cluster, job, log):
    script = 'echo "$SLURMD_NODENAME $EESSI_ARCH_GUARD_FAILED"'
    said = many(cluster, job, "-w", "n-zen2,n-zen4", "-N2", "-n", str(2 * TASKS), script=script)
    message = (
        "eessi-arch-guard: this node is x86_64/amd/zen4, the modules were loaded for x86_64/amd/zen2; "
        "LMOD_CMD is not set to the path of Lmod; environment left as it was"
    )
    assert said == {"n-zen2 ": TASKS, "n-zen4 x86_64/amd/zen2->x86_64/amd/zen4": TASKS, message: 1}
    assert starts(log) == {"cpupath": 2, "accelpath": 2}
    (left,) = cluster.shm("n-zen4").glob("eessi-arch-guard.*")
    assert left.stat().st_uid == cluster.uid
    assert left.stat().st_mode & 0o777 == 0o700


def test_the_next_step_detects_anew(cluster, job, log):
    script = "srun -n 8 --overcommit true; srun -n 8 --overcommit true"
    shown(cluster.salloc("-w", "n-zen2", "-n", "8", "--overcommit", "/bin/sh", "-c", script, env=job))
    assert starts(log) == {"cpupath": 2, "accelpath": 2}


def test_nothing_but_what_is_known_differs_from_task_to_task(cluster, task_prolog, public_path):
    public_path.chmod(0o777)
    task_prolog(f"env -0 >{shlex.quote(str(public_path))}/$SLURM_LOCALID")
    shown(cluster.srun("-w", "n-zen2", "-n", "4", "--overcommit", "true"))
    keys = set()
    for local in range(4):
        entries = (public_path / str(local)).read_bytes().split(b"\0")
        environment = dict(os.fsdecode(entry).split("=", 1) for entry in entries if entry)
        assert environment["SLURM_LOCALID"] == str(local)
        keys.add(shared_result.key(environment, [], []))
    assert len(keys) == 1


@pytest.mark.skipif(not find_lmods(), reason="no Lmod on this machine")
def test_64_tasks_of_a_reload_cost_one_reload(cluster, job, log, public_path):
    lmod = find_lmods()[0]
    eessi = build_cluster(public_path / "eessi", lmod)
    eessi.write(["x86_64/amd/zen2", "x86_64/amd/zen4"], Software("zlib", "1.3"))
    counting = public_path / "counting_lmod"
    counting.write_text(f'#!/bin/sh\necho lmod >>{shlex.quote(str(log))}\nexec {lmod.command} "$@"\n')
    counting.chmod(0o755)
    scenario = Scenario(NODES["zen2"], NODES["zen4"], (f"module load {eessi.eessi}", "module load zlib"))
    loaded = scenario.incoming(eessi.shell)
    # The node's own files say what it is.
    for name in ("EESSI_PROC_CPUINFO", "EESSI_MACHINE_TYPE", "HOME", "BASH_ENV"):
        loaded.pop(name, None)
    loaded |= {"EESSI_STUB_LOG": str(log), "LMOD_CMD": str(counting)}
    starts(log)
    script = 'echo "$EESSI_SOFTWARE_SUBDIR $EESSI_ARCH_GUARD_RELOADED ${EBROOTZLIB#*/software/linux/}"'
    said = many(cluster, loaded, "-w", "n-zen4", "-n", str(TASKS), script=script)
    label = "x86_64/amd/zen2->x86_64/amd/zen4"
    assert said == {
        f"x86_64/amd/zen4 {label} x86_64/amd/zen4/software/zlib/1.3": TASKS,
        "eessi-arch-guard: reloaded modules for x86_64/amd/zen4 (loaded for x86_64/amd/zen2)": 1,
    }
    counted = starts(log)
    assert (counted["lmod"], counted["cpupath"]) == (2, 2)
