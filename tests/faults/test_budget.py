# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later

"""The budget holds whatever hangs, and however often."""

import itertools

import pytest
from faults.case import check
from faults.ground import SHORT_BUDGET, ZEN2
from faults.mount import Mount

SPR = "x86_64/intel/sapphirerapids"
# Each of these places hangs in a way that no signal ends.
PLACES = ("archdetect", "cpuinfo", "walk", "module tool", "unloading", "loading")


def hang(case, place, directory):
    """Let one place hang."""
    stuck = f"read -r line <{directory}/x"
    if place == "archdetect":
        case.archdetect(accelpath=stuck, cpupath=f"(echo {SPR}:{ZEN2}); exec >&- 2>&-; {stuck}")
    elif place == "cpuinfo":
        case.set(EESSI_PROC_CPUINFO=f"{directory}/cpuinfo")
    elif place == "walk":
        case.environment["EESSI_PREFIX"] = str(directory)
    elif place == "module tool":
        case.set(LMOD_CMD=f"{directory}/lmod")
    else:
        case.lmod(**{"purge" if place == "unloading" else "load": stuck})


@pytest.mark.parametrize("places", [
    *itertools.combinations(PLACES[:4], 2), PLACES[:4], ("cpuinfo", "unloading"), ("cpuinfo", "loading"), ("walk", "loading"),
], ids=" and ".join)
@pytest.mark.parametrize("shared", [False, True], ids=["alone", "shared"])
def test_hang_after_hang(case, places, shared):
    case.budget = SHORT_BUDGET
    if shared:
        case.set(SLURM_STEP_TASKS_PER_NODE="4", SLURM_STEP_LAUNCHER_PORT="4000")
    with Mount() as mount:
        directory = case.directory / "mount"
        directory.mkdir()
        case.setup.append(" ".join(mount.mount_command(directory)))
        case.descriptors.append(mount.descriptor)
        # cpuinfo is asked for where a candidate depends on it.
        case.archdetect(cpupath=f"echo {SPR}:{ZEN2}")
        for place in places:
            hang(case, place, directory)
        ended = case.run()
        check(case, ended, "failed")
        mount.abort()
        assert case.lingering() == []


@pytest.mark.parametrize("number", [5, 60])
def test_many_modules_that_cannot_be_looked_up(case, number):
    """The reason of a failed load is looked for in files, and each of them may hang."""
    case.budget = SHORT_BUDGET
    with Mount() as mount:
        directory = case.directory / "mount"
        directory.mkdir()
        case.setup.append(" ".join(mount.mount_command(directory)))
        case.descriptors.append(mount.descriptor)
        case.archdetect()
        names = [f"many/{each}" for each in range(number)]
        case.lmod(load=f'case "$*" in *many*) exit 1 ;; esac; exec "{case.ground.incoming["LMOD_CMD"]}" "$@"')
        for environment in (case.environment, case.expected):
            environment["LOADEDMODULES"] = ":".join([environment["LOADEDMODULES"], *names])
            environment["_LMFILES_"] = ":".join([environment["_LMFILES_"], *(f"{directory}/{name}.lua" for name in names)])
            environment["MODULEPATH"] += f":{directory}"
        ended = case.run()
        check(case, ended, "failed")
        mount.abort()
        assert case.lingering() == []


@pytest.mark.parametrize("stage", ["purge", "load"])
def test_code_without_end_is_cut_before_it_fills_the_memory(case, stage):
    """The shell that would run the code keeps all of it in memory, which is that of the job."""
    case.lmod(**{stage: "exec yes 'export A=1'"})
    ended = case.run()
    made = check(case, ended, "failed")
    assert "did not answer in time" not in made.printed[0]
    assert ended.seconds < case.budget / 2
    assert case.lingering() == []
