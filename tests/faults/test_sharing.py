# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later

"""What can lie where the tasks of a step share their answer, and tasks whose first one hangs or dies."""

import os
import threading
import time

import pytest
from faults.case import Case, check, check_nothing_left
from faults.ground import SHORT_BUDGET

NAME = "eessi-arch-guard.1.0.node1"
OTHER_USER = 39999


def of(path, user, mode):
    """Give the path an owner and a mode."""
    os.chown(path, user, user, follow_symlinks=False)
    if not path.is_symlink():
        path.chmod(mode)


def entries(path, name):
    """Make a directory in which everything is there that a task could look for, with what is no answer in it."""
    path.mkdir()
    for number in range(3):
        (path / f"{number:08x}").write_bytes(b"eessi-arch-guard 1.0.0 1 9 9\nexport EVIL=1\n")
    (path / "match").write_text(name)


def a_foreign_directory(path, case):
    entries(path, "x\n")
    of(path, OTHER_USER, 0o777)


def an_open_directory(path, case):
    entries(path, "x\n")
    of(path, case.user, 0o777)


def a_link_to_a_foreign_directory(path, case):
    entries(case.directory / "elsewhere", "x\n")
    of(case.directory / "elsewhere", OTHER_USER, 0o777)
    path.symlink_to(case.directory / "elsewhere")


def a_link_to_an_own_directory(path, case):
    entries(case.directory / "elsewhere", "x\n")
    of(case.directory / "elsewhere", case.user, 0o700)
    path.symlink_to(case.directory / "elsewhere")


def a_dangling_link(path, case):
    path.symlink_to(case.directory / "nowhere")


def a_file(path, case):
    path.write_text("x")
    of(path, case.user, 0o600)


def a_fifo(path, case):
    os.mkfifo(path)
    of(path, case.user, 0o600)


def an_own_empty_directory(path, case):
    path.mkdir()
    of(path, case.user, 0o700)


def damaged_entries(path, case):
    entries(path, "x\n")
    for each in path.iterdir():
        of(each, case.user, 0o600)
    of(path, case.user, 0o700)


def a_directory_that_takes_nothing(path, case):
    path.mkdir()
    of(path, case.user, 0o500)


def fifos_as_entries(path, case):
    path.mkdir()
    for name in ("match", "00000000.lock"):
        os.mkfifo(path / name)
        of(path / name, case.user, 0o600)
    of(path, case.user, 0o700)


def a_match_of_a_megabyte(path, case):
    path.mkdir()
    (path / "match").write_text("x" * 1000000)
    of(path / "match", case.user, 0o600)
    of(path, case.user, 0o700)


THERE = (
    a_foreign_directory, an_open_directory, a_link_to_a_foreign_directory, a_link_to_an_own_directory, a_dangling_link,
    a_file, a_fifo, an_own_empty_directory, damaged_entries, a_directory_that_takes_nothing, fifos_as_entries,
    a_match_of_a_megabyte,
)


def share(case, tasks=4, local=0):
    """Make the case a task of a step with several on the node."""
    case.set(SLURM_STEP_TASKS_PER_NODE=str(tasks), SLURM_STEP_LAUNCHER_PORT="4000", SLURM_LOCALID=str(local))


@pytest.mark.parametrize("what", THERE, ids=lambda what: what.__name__)
def test_something_is_there_already(case, what):
    share(case)
    what(case.shm / NAME, case)
    ended = case.run()
    made = check(case, ended, "right")
    assert "EVIL" not in made.environment
    check_nothing_left(case, ended, f"shm/{NAME}")


@pytest.fixture
def tasks(ground):
    """Return a function that makes cases which are tasks of one step: one user, one /tmp, one /dev/shm."""
    made = []

    def make(number):
        directory = ground.root / "cases" / f"step{len(os.listdir(ground.root))}.{time.monotonic_ns()}"
        first = Case(ground, directory)
        for local in range(number):
            case = Case(ground, directory / f"task{local}")
            case.user, case.tmp, case.shm, case.home = first.user, first.tmp, first.shm, first.home
            case.set(HOME=str(first.home))
            share(case, number, local)
            made.append(case)
        return made

    yield make
    for case in made:
        case.end_processes()


def run_all(cases):
    """Run the cases at once; return what became of each."""
    ended = [None] * len(cases)

    def run(number):
        ended[number] = cases[number].run()

    threads = [threading.Thread(target=run, args=(number,)) for number in range(len(cases))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return ended


@pytest.mark.parametrize("hanging", ["cpupath", "accelpath"])
def test_a_detection_that_hangs_hangs_once_a_step(tasks, hanging):
    cases = tasks(4)
    # One script for all: what they depend on has to be the same.
    log = cases[0].file("log", "", 0o666)
    cases[0].archdetect(**{hanging: f"echo {hanging} >>{log}; sleep 600"})
    for case in cases:
        case.budget = 2 * SHORT_BUDGET
        case.environment["EESSI_INIT_PREFIX"] = cases[0].environment["EESSI_INIT_PREFIX"]
    ended = run_all(cases)
    said = []
    for case, each in zip(cases, ended, strict=True):
        assert each.status == 0
        assert each.seconds < case.budget + 2
        assert f"EESSI_ARCH_GUARD_FAILED={case.environment['EESSI_SOFTWARE_SUBDIR']}->archdetect-failed".encode() in each.output
        said += [line for line in each.output.splitlines() if line.startswith(b"print ")]
    assert log.read_text().split() == [hanging]
    assert len(said) == 1
    assert ended[-1].left == []


def test_a_first_task_that_dies_leaves_the_work_to_the_next(tasks):
    cases = tasks(3)
    mark = cases[0].directory / "mark"
    cases[0].directory.chmod(0o777)
    # The first that asks kills its interpreter; whoever comes next gets an answer.
    cases[0].archdetect(cpupath=f"mkdir {mark} && kill -KILL $PPID; echo x86_64/amd/zen2:x86_64/generic; exit")
    for case in cases:
        case.environment["EESSI_INIT_PREFIX"] = cases[0].environment["EESSI_INIT_PREFIX"]
    became = []
    for case, each in zip(cases, run_all(cases), strict=True):
        assert each.status == 0
        assert each.seconds < case.budget + 2
        became.append(b"export EESSI_ARCH_GUARD_RELOADED=" in each.output)
        if not became[-1]:
            assert each.output == b""
    assert sorted(became) == [False, True, True]
