# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later

"""Many tasks of one step on a node: how often something is started for them, and what each of them gets."""

import itertools
import os
import random
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import pytest

from harness.cluster import build_cluster
from harness.launcher import LIBRARY, write_launcher
from harness.lmod import find_lmods
from harness.scenario import Scenario
from harness.step import Step, run_at_once, start
from sample.eessi.build import eessi_scripts
from sample.modules import Software
from sample.nodes import CPUINFO, SAMPLE_NODES, STUB_NVIDIA_SMI
from sample.tree import build_repository

NODES = {node.name: node for node in SAMPLE_NODES}
NOBODY = 65534
MANY = 256
LABEL = "x86_64/amd/zen2->x86_64/amd/zen4"
NUMBERS = itertools.count()


def can_unshare():
    trial = "mount -t tmpfs tmpfs /proc/driver"
    return subprocess.run(["unshare", "--mount", "sh", "-c", trial], capture_output=True, check=False).returncode == 0


needs_namespace = pytest.mark.skipif(not can_unshare(), reason="needs a mount namespace of its own, which root may have")
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file to another user")


class Job:
    """Tasks of one step of a job for which EESSI was loaded. `log`: what was started for them."""

    def __init__(self, work, repository, launcher, **variables):
        self.work = work
        self.launcher = launcher
        self.log = work / "starts"
        self.step = Step(str(os.getpid()), f"test{next(NUMBERS)}", tasks=MANY)
        self.environment = {
            "PATH": "/usr/bin:/bin", "HOME": "/home/u", "EESSI_PREFIX": str(repository.prefix),
            "EESSI_INIT_PREFIX": str(repository.init_prefix), "EESSI_OS_TYPE": "linux", "EESSI_MACHINE_TYPE": "x86_64",
            "EESSI_PROC_CPUINFO": str(CPUINFO / "zen4.cpuinfo"), "EESSI_STUB_NVIDIA_SMI": "none",
            "EESSI_SOFTWARE_SUBDIR": "x86_64/amd/zen4", "EESSI_STUB_LOG": str(self.log), **variables,
        }

    def task(self, local=0, **variables):
        return {**self.environment, **self.step.variables(local), **variables}

    def run(self, *environments, around=()):
        """Run a task for each environment, all at once; returns (seconds, what each wrote).

        around: words in front of the command.
        """
        seconds, ended = run_at_once([*around, self.launcher], environments, self.work)
        assert [task.status for task in ended] == [0] * len(environments)
        return seconds, [task.output for task in ended]

    def starts(self):
        """What was started since the last call, and how often."""
        found = Counter(self.log.read_text().split()) if self.log.exists() else Counter()
        self.log.unlink(missing_ok=True)
        return found


PAIR = {"cpupath": 1, "accelpath": 1}


def test_the_directory_is_there_before_the_interpreter_of_the_first_task(match, tmp_path):
    """The tasks that start in that time would all start one, where they saw nothing."""
    python = tmp_path / "python"
    python.write_text(
        f"#!/bin/sh\nstat -c %a {shlex.quote(str(match.step.directory))} >>{tmp_path}/seen\nexec {sys.executable} \"$@\"\n"
    )
    python.chmod(0o755)
    match.launcher = write_launcher(tmp_path / "noting", python=python)
    match.run(match.task(0))
    match.run(match.task(1))
    assert (tmp_path / "seen").read_text() == "700\n"


@pytest.fixture
def launcher(tmp_path):
    return write_launcher(tmp_path / "guard")


@pytest.fixture
def match(tmp_path, repository, launcher):
    """A job that needs nothing."""
    job = Job(tmp_path, repository, launcher)
    yield job
    job.step.forget()


@pytest.fixture
def failing(tmp_path, repository, launcher):
    """A job that would have to be reloaded, and cannot be: there is no module tool."""
    job = Job(tmp_path, repository, launcher, EESSI_SOFTWARE_SUBDIR="x86_64/amd/zen2")
    yield job
    job.step.forget()


def lines(label, *printed):
    exported = f"export EESSI_ARCH_GUARD_FAILED={label}\n"
    return (exported + "".join(f"print eessi-arch-guard: {text}\n" for text in printed)).encode()


NO_TOOL = lines(
    LABEL, "this node is x86_64/amd/zen4, the modules were loaded for x86_64/amd/zen2; "
    "LMOD_CMD is not set to the path of Lmod; environment left as it was"
)


# How often something is started

def test_tasks_that_need_nothing_cost_one_detection(match):
    match.environment |= {
        "EESSI_STUB_NVIDIA_SMI": str(STUB_NVIDIA_SMI), "EESSI_STUB_COMPUTE_CAP": "9.0", "EESSI_ACCEL_SUBDIR": "accel/nvidia/cc90",
    }
    _seconds, outputs = match.run(*(match.task(local, PMI_RANK=str(local)) for local in range(MANY)))
    assert outputs == [b""] * MANY
    assert match.starts() == {**PAIR, "nvidia-smi": 1}


def test_tasks_of_a_failure_cost_one_detection(failing):
    _seconds, outputs = failing.run(*map(failing.task, range(64)))
    assert outputs == [NO_TOOL] + [lines(LABEL)] * 63
    assert failing.starts() == PAIR


@pytest.mark.skipif(not find_lmods(), reason="no Lmod on this machine")
def test_tasks_of_a_reload_cost_one_reload(tmp_path, launcher):
    lmod = find_lmods()[0]
    cluster = build_cluster(tmp_path / "eessi", lmod)
    stack = (Software("zlib", "1.3"), Software("GCC", "12", depends_on=("zlib/1.3",)))
    cluster.write(["x86_64/amd/zen2", "x86_64/amd/zen4"], *stack)
    scenario = Scenario(NODES["zen2"], NODES["zen4"], (f"module load {cluster.eessi}", "module load GCC"))
    job = Job(tmp_path, cluster.repository, launcher)
    counting = tmp_path / "counting_lmod"
    counting.write_text(f'#!/bin/sh\necho lmod >>{shlex.quote(str(job.log))}\nexec {lmod.command} "$@"\n')
    counting.chmod(0o755)
    job.environment = scenario.incoming(cluster.shell) | {"EESSI_STUB_LOG": str(job.log), "LMOD_CMD": str(counting)}
    job.starts()

    alone = job.task(SLURM_STEP_TASKS_PER_NODE="1")
    _seconds, (spoken,) = job.run(alone)
    cost_of_one = job.starts()
    if eessi_scripts() is None:
        # The purge, the load for this node and the one for the old target; EESSI's module detects in both loads.
        assert cost_of_one == {"cpupath": 2, "accelpath": 2, "lmod": 2}
    assert cost_of_one["lmod"] == 2
    assert f"\nexport EESSI_ARCH_GUARD_RELOADED={LABEL}\n".encode() in spoken
    silent = b"".join(line for line in spoken.splitlines(keepends=True) if not line.startswith(b"print "))

    _seconds, outputs = job.run(*map(job.task, range(MANY)))
    assert job.starts() == cost_of_one
    # The lone task had one task told to it.
    told = (b"SLURM_STEP_TASKS_PER_NODE=1", b"SLURM_STEP_TASKS_PER_NODE=%d" % MANY)
    assert [output.replace(*told[::-1]) for output in outputs] == [spoken] + [silent] * (MANY - 1)
    _seconds, outputs = job.run(job.task(7), job.task(0))
    assert (outputs, job.starts()) == ([silent, spoken], {})
    job.step.forget()


def test_a_further_match_starts_no_interpreter(match, tmp_path):
    log = tmp_path / "interpreters"
    counting = tmp_path / "python"
    counting.write_text(f'#!/bin/sh\necho start >>{log}\nexec /usr/bin/env python3 "$@"\n')
    counting.chmod(0o755)
    match.launcher = write_launcher(tmp_path / "counting", python=str(counting))
    match.run(match.task())
    match.run(*map(match.task, range(1, 20)))
    assert log.read_text() == "start\n"


# Who shares

@pytest.mark.parametrize("variables", [
    {"SLURM_STEP_TASKS_PER_NODE": "1"}, {"SLURM_STEP_TASKS_PER_NODE": "1(x4)"}, {"SLURM_STEP_TASKS_PER_NODE": ""},
    {"SLURM_JOB_ID": ""}, {"SLURM_STEP_ID": ""}, {"SLURMD_NODENAME": ""}, {"SLURMD_NODENAME": "../x"}, {"SLURM_JOB_ID": "../7"},
    {"SLURM_STEP_ID": "0/../.."}, {"SLURM_STEP_ID": "0:1"},
])
def test_nothing_is_shared_without_a_step_of_several_tasks(failing, variables):
    before = set(os.listdir("/dev/shm")) | set(os.listdir("/tmp"))
    for _number in range(2):
        assert failing.run(failing.task(**variables))[1] == [NO_TOOL]
    assert failing.starts() == {"cpupath": 2, "accelpath": 2}
    after = set(os.listdir("/dev/shm")) | set(os.listdir("/tmp"))
    assert [name for name in after - before if failing.step.node in name] == []


@pytest.mark.parametrize("count", ["2", "256", "2(x3)", "1,2", "3(x2),1"])
def test_several_tasks_share(failing, count):
    for local in (1, 0, 2):
        expected = lines(LABEL) if local else NO_TOOL
        assert failing.run(failing.task(local, SLURM_STEP_TASKS_PER_NODE=count))[1] == [expected]
    assert failing.starts() == PAIR


PER_TASK = ("SLURM_PROCID", "SLURM_TASK_PID", "SLURM_GTIDS", "PMI_RANK", "PMI_FD", "PMIX_RANK", "OMPI_COMM_WORLD_RANK")


@pytest.mark.parametrize("kind", ["match", "failing"])
def test_what_differs_from_task_to_task_does_not_matter(kind, request):
    job = request.getfixturevalue(kind)
    for number in range(3):
        job.run(job.task(number, **{name: str(number) for name in PER_TASK}))
    assert job.starts() == PAIR


@pytest.mark.parametrize("kind", ["match", "failing"])
@pytest.mark.parametrize("changed", [
    # Another node of the same machine; another job of the same number; the same one, requeued.
    {"SLURMD_NODENAME": "other"}, {"SLURM_STEP_LAUNCHER_PORT": "40001"}, {"SLURM_RESTART_COUNT": "1"}, {"PATH": "/bin:/usr/bin"},
    {"EESSI_MACHINE_TYPE": ""}, {"NVIDIA_VISIBLE_DEVICES": "0"}, {"SLURM_STEP_ID": "1"}, {"SLURM_JOB_ID": "1"},
])
def test_what_the_answer_depends_on_is_not_shared(kind, request, changed):
    job = request.getfixturevalue(kind)
    job.run(job.task())
    if "SLURMD_NODENAME" in changed:
        changed = {"SLURMD_NODENAME": job.step.node + "b"}
    other = job.task(**changed)
    job.run(other)
    assert job.starts() == {"cpupath": 2, "accelpath": 2}
    Step(other["SLURM_JOB_ID"], other["SLURMD_NODENAME"], other["SLURM_STEP_ID"]).forget()


def test_a_target_that_is_loaded_for_one_task_is_not_that_of_another(match):
    match.run(match.task())
    assert match.run(match.task(EESSI_SOFTWARE_SUBDIR="x86_64/amd/zen2"))[1] == [NO_TOOL]


def in_namespace(*commands):
    """Words that run a command in a mount namespace of its own after `commands` (sh)."""
    script = "set -e\n" + "\n".join(commands) + '\nexec "$@"\n'
    return ["/usr/bin/unshare", "--mount", "sh", "-c", script, "sh"]


def gpus(*models):
    """Commands that let the driver know of these GPUs."""
    made = ["mount -t tmpfs tmpfs /proc/driver"]
    for number, model in enumerate(models):
        directory = f"/proc/driver/nvidia/gpus/0000:0{number}:00.0"
        made += [f"mkdir -p {directory}", f"printf 'Model: \\t {model}\\nIRQ: 1\\n' >{directory}/information"]
    return made


@needs_namespace
@pytest.mark.parametrize("models, times", [(("NVIDIA A100", "NVIDIA A100"), 1), (("NVIDIA A100", "Tesla T4"), 2), ((), 2)])
def test_tasks_that_are_bound_to_a_gpu_each(failing, models, times):
    tasks = [failing.task(local, CUDA_VISIBLE_DEVICES=str(local % 2), GPU_DEVICE_ORDINAL=str(local % 2)) for local in range(6)]
    _seconds, outputs = failing.run(*tasks, around=in_namespace(*gpus(*models)))
    assert outputs == [NO_TOOL] + [lines(LABEL)] * 5
    assert failing.starts() == {"cpupath": times, "accelpath": times}


def test_a_long_path_is_no_hindrance(failing, match):
    long_path = "/usr/bin:/bin:" + ":".join(f"/opt/{number:05}" for number in range(11000))
    for _number in range(2):
        assert failing.run(failing.task(PATH=long_path))[1] == [NO_TOOL]
        assert match.run(match.task(PATH=long_path))[1] == [b""]
    assert failing.starts() + match.starts() == {"cpupath": 2, "accelpath": 2}


# What is found in the place of an answer

def spoil(path, how):
    kept = path.with_name(path.name + ".kept")
    path.rename(kept)
    if how == "link":
        path.symlink_to(kept)
    elif how == "link to nothing":
        path.symlink_to("/nothing")
    elif how == "directory":
        path.mkdir()
    elif how == "fifo":
        os.mkfifo(path)
    elif how == "cut":
        path.write_bytes(kept.read_bytes()[:-1])
    elif how == "empty":
        path.touch()
    elif how == "longer":
        path.write_bytes(b"x" + kept.read_bytes())
    elif how == "zeros":
        path.write_bytes(bytes(len(kept.read_bytes())))
    elif how == "other user":
        path.write_bytes(kept.read_bytes())
        os.chown(path, NOBODY, NOBODY)
    else:
        raise ValueError(how)


WAYS = ["link", "link to nothing", "directory", "fifo", "cut", "empty", "longer", "zeros"]
WAYS.append(pytest.param("other user", marks=needs_root))


@pytest.mark.parametrize("how", WAYS)
def test_a_spoiled_line_of_the_start_scripts_is_as_good_as_none(match, how):
    match.run(match.task())
    spoil(match.step.directory / "match", how)
    seconds, outputs = match.run(match.task(EESSI_SOFTWARE_SUBDIR="x86_64/amd/zen2"), match.task())
    assert outputs == [NO_TOOL, b""]
    assert seconds < 5


@pytest.mark.parametrize("how", WAYS)
def test_a_spoiled_entry_is_as_good_as_none(failing, how):
    failing.run(failing.task())
    (entry,) = [path for path in failing.step.directory.iterdir() if path.suffix == "" and path.name != "match"]
    spoil(entry, how)
    seconds, outputs = failing.run(failing.task())
    assert (outputs, failing.starts()) == ([NO_TOOL], {"cpupath": 2, "accelpath": 2})
    assert seconds < 5


@pytest.mark.parametrize("how", ["open", "link", "file", "fifo", pytest.param("other user", marks=needs_root)])
def test_a_directory_that_is_not_ours_alone_is_not_used(failing, match, tmp_path, how):
    for job, expected in ((failing, NO_TOOL), (match, b"")):
        place = job.step.directory
        real = tmp_path / f"real{next(NUMBERS)}"
        real.mkdir(0o700)
        if how == "link":
            place.symlink_to(real)
        elif how == "file":
            place.touch()
        elif how == "fifo":
            os.mkfifo(place)
        else:
            place.mkdir(0o700)
            if how == "open":
                place.chmod(0o777)
            else:
                os.chown(place, NOBODY, NOBODY)
        try:
            seconds, outputs = job.run(job.task(0), job.task(0))
            assert outputs == [expected] * 2
            assert seconds < 6
            assert list(real.iterdir()) == []
            assert not place.is_dir() or list(place.iterdir()) == []
        finally:
            place.rmdir() if place.is_dir() and not place.is_symlink() else place.unlink()
        assert job.starts() == {"cpupath": 2, "accelpath": 2}


@needs_root
def test_a_line_that_another_user_left_in_his_directory_is_not_believed(failing):
    # The guard runs as root here; what matters is that the directory is not its own.
    failing.run(failing.task())
    (failing.step.directory / "match").write_text("anything\n")
    os.chown(failing.step.directory, NOBODY, NOBODY)
    assert failing.run(failing.task())[1] == [NO_TOOL]


@needs_namespace
def test_what_was_left_before_a_reboot_is_not_used(failing, match, tmp_path):
    boot = tmp_path / "boot_id"
    boot.write_text("00000000-0000-0000-0000-000000000000\n")
    after_reboot = in_namespace(f"mount --bind {boot} /proc/sys/kernel/random/boot_id")
    for job, expected in ((failing, NO_TOOL), (match, b"")):
        assert job.run(job.task())[1] == [expected]
        assert job.run(job.task(), around=after_reboot)[1] == [expected]
        assert job.starts() == {"cpupath": 2, "accelpath": 2}


# The place itself

@pytest.fixture
def outside_tmp():
    """A directory that stays when something is mounted over /tmp and /dev/shm."""
    with tempfile.TemporaryDirectory(dir="/var/tmp") as directory:
        yield Path(directory)


def launcher_outside_tmp(directory):
    """A launcher that needs nothing of /tmp, wherever this checkout and its environment lie."""
    library = directory / "library"
    shutil.copytree(LIBRARY / "arch_guard", library / "arch_guard")
    return write_launcher(directory / "guard", python=os.path.realpath(sys.executable), library=library)


PLACES = {
    "full": ["mount -t tmpfs -o size=8k tmpfs /dev/shm", "dd if=/dev/zero of=/dev/shm/filler bs=1k >/dev/null 2>&1 || :"],
    "no inodes": ["mount -t tmpfs -o nr_inodes=1 tmpfs /dev/shm"],
    "read-only": ["mount -t tmpfs -o ro tmpfs /dev/shm", "mount -t tmpfs -o ro tmpfs /tmp"],
    "missing": [
        "touch {work}/null", "mount --bind /dev/null {work}/null", "mount -t tmpfs tmpfs /dev", "touch /dev/null",
        "mount --bind {work}/null /dev/null", "mount -t tmpfs -o ro tmpfs /tmp",
    ],
}


@needs_namespace
@pytest.mark.parametrize("place", PLACES)
def test_a_place_that_takes_nothing_changes_nothing(outside_tmp, place):
    repository = build_repository(outside_tmp / "cvmfs")
    launcher = launcher_outside_tmp(outside_tmp)
    cpuinfo = shutil.copy(CPUINFO / "zen4.cpuinfo", outside_tmp)
    job = Job(outside_tmp, repository, launcher, EESSI_SOFTWARE_SUBDIR="x86_64/amd/zen2", EESSI_STUB_CPUPATH_SLEEP="1",
              EESSI_PROC_CPUINFO=str(cpuinfo))
    # In one namespace: the tasks would meet, had they a place to.
    script = "".join(f'env SLURM_LOCALID={local} {in_words(launcher)} >"$0/out{local}" 2>&1 &\n' for local in range(16))
    namespace = in_namespace(*(command.format(work=outside_tmp) for command in PLACES[place]))
    begin = time.monotonic()
    subprocess.run([*namespace, "sh", "-c", script + "wait\n", outside_tmp], env=job.task(), check=True, timeout=60)
    seconds = time.monotonic() - begin
    outputs = [(outside_tmp / f"out{local}").read_bytes() for local in range(16)]
    assert outputs == [NO_TOOL] + [lines(LABEL)] * 15
    assert job.starts() == {"cpupath": 16, "accelpath": 16}
    # Not one after the other: that would take sixteen seconds.
    assert seconds < 13


def in_words(path):
    return shlex.quote(str(path))


@needs_namespace
def test_where_there_is_no_shared_memory_tmp_is_used(outside_tmp):
    launcher = launcher_outside_tmp(outside_tmp)
    cpuinfo = shutil.copy(CPUINFO / "zen4.cpuinfo", outside_tmp)
    job = Job(outside_tmp, build_repository(outside_tmp / "cvmfs"), launcher, EESSI_SOFTWARE_SUBDIR="x86_64/amd/zen2",
              EESSI_PROC_CPUINFO=str(cpuinfo))
    script = f"{in_words(launcher)}; {in_words(launcher)}; ls /tmp"
    done = subprocess.run(
        [*in_namespace("mount -t tmpfs -o ro tmpfs /dev/shm", "mount -t tmpfs tmpfs /tmp"), "sh", "-c", script],
        env=job.task(), capture_output=True, check=True, timeout=60,
    )
    assert done.stdout == NO_TOOL * 2 + os.fsencode(job.step.directory.name) + b"\n"
    assert job.starts() == PAIR


def test_what_ended_steps_left_is_removed(failing):
    old = Step(failing.step.job, failing.step.node + "old").directory
    old.mkdir(0o700)
    (old / "0badcafe").write_bytes(b"x" * 1000)
    os.utime(old, (1, 1))
    failing.run(failing.task())
    assert not old.exists()
    files = list(failing.step.directory.iterdir())
    assert 0 < sum(path.stat().st_size for path in files) < 10000


# A first task that hangs or is killed

FIRST_HANGS = """\
echo "${@: -1}" >>"$EESSI_STUB_LOG"
if mkdir "$EESSI_STUB_LOG.first.${@: -1}" 2>/dev/null; then sleep 50; fi
case $* in
    *cpupath) echo x86_64/generic ;;
    *) exit 2 ;;
esac
"""


def kill_interpreter(pid):
    """Kill the interpreter that the start script `pid` runs, once it is there and has begun; and the script."""
    end = time.monotonic() + 20
    while True:
        assert time.monotonic() < end
        found = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        if found:
            os.kill(int(found[0]), signal.SIGKILL)
            break
        time.sleep(0.005)
    os.killpg(pid, signal.SIGKILL)
    os.waitpid(pid, 0)


def test_a_first_task_that_is_killed_holds_nobody(tmp_path, launcher, script_repository):
    job = Job(tmp_path, script_repository(FIRST_HANGS), launcher, EESSI_SOFTWARE_SUBDIR="x86_64/amd/zen2")
    pid, _begin = start([str(launcher)], job.task(), tmp_path / "first")
    end = time.monotonic() + 20
    while not Path(f"{job.log}.first.cpupath").exists() or not Path(f"{job.log}.first.accelpath").exists():
        assert time.monotonic() < end
        time.sleep(0.01)
    others = [start([str(launcher)], job.task(local), tmp_path / f"other{local}")[0] for local in range(1, 9)]
    time.sleep(0.5)
    begin = time.monotonic()
    kill_interpreter(pid)
    assert [os.waitstatus_to_exitcode(os.waitpid(other, 0)[1]) for other in others] == [0] * 8
    assert time.monotonic() - begin < 8
    label = "x86_64/amd/zen2->x86_64/generic"
    assert [(tmp_path / f"other{local}").read_bytes() for local in range(1, 9)] == [lines(label)] * 8
    assert job.starts() == {"cpupath": 2, "accelpath": 2}
    assert (tmp_path / "first").read_bytes() == b""
    job.step.forget()


def test_a_detection_that_hangs_costs_one_limit(tmp_path, repository):
    budget = 4
    launcher = write_launcher(tmp_path / "guard", timeout=budget)
    job = Job(tmp_path, repository, launcher, EESSI_STUB_CPUPATH_SLEEP="50", EESSI_STUB_ACCELPATH_SLEEP="50")
    seconds, outputs = job.run(*map(job.task, range(16)))
    # Starting 16 tasks takes its time as well.
    assert seconds < budget + 1.5
    label = "x86_64/amd/zen4->archdetect-failed"
    assert [output.partition(b"print ")[0] for output in outputs] == [lines(label)] * 16
    assert [b"print " in output for output in outputs] == [True] + [False] * 15
    assert job.starts() == PAIR
    job.step.forget()


def test_whichever_task_is_killed_the_others_get_their_lines(failing):
    noise = random.Random(5)
    for number in range(12):
        failing.step.forget()
        outputs = [failing.work / f"out{number}.{local}" for local in range(4)]
        pids = [start([str(failing.launcher)], failing.task(local), output)[0] for local, output in enumerate(outputs)]
        time.sleep(noise.random() * 0.25)
        victim = noise.randrange(4)
        os.killpg(pids[victim], signal.SIGKILL)
        statuses = [os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid in pids]
        for local, (status, output) in enumerate(zip(statuses, outputs, strict=True)):
            expected = lines(LABEL) if local else NO_TOOL
            if local == victim:
                assert output.read_bytes() in (b"", expected)
            else:
                assert (status, output.read_bytes()) == (0, expected)
