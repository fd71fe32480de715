# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a program that the guard starts can do, at each place where one is started."""

from contextlib import nullcontext

import pytest
from faults.case import check, check_nothing_left
from faults.ground import SHORT_BUDGET
from faults.mount import Mount

RIGHT = {
    "cpupath": "echo x86_64/amd/zen2:x86_64/generic; exit",
    "accelpath": "exit 2",
    "purge": ":", "load": ":", "reference": ":",
}
# Lines of bash; {right} is what the program would have done.
PROGRAMS = {
    "hangs": "sleep 600",
    "ignores signals": "trap '' TERM INT HUP QUIT; while :; do sleep 60; done",
    "is stopped": "kill -STOP $$",
    "cannot be killed": "read -r line <{mount}/never",
    "hangs with its output closed": "exec >&- 2>&-; sleep 600",
    "leaves a crowd": "for each in 1 2 3 4 5 6 7 8 9; do sleep 600 & done; wait",
    "writes without end": "while :; do echo x86_64/generic; done",
    "complains without end": "while :; do echo complaint >&2; done",
    "writes 70 KB": "head -c 70000 /dev/zero | tr '\\0' a; exit 0",
    "writes a NUL": "printf 'a=b\\0c'; exit 0",
    "writes an ESC": "printf 'echo \\033[31mx; false'; exit 0",
    "writes no UTF-8": "printf 'echo \\377\\376; false'; exit 0",
    "writes many lines": "printf 'false\\nunset HOME\\n'; exit 0",
    "is killed": "kill -KILL $$",
    "crashes": "kill -SEGV $$",
    "ends with 1": "exit 1",
    "ends with 255": "exit 255",
    "says nothing": "exit 0",
    "kills who started it": "kill -KILL $PPID; exit 1",
    "complains and works": "echo complaint >&2; {right}",
    "reads its input": "cat; {right}",
    "leaves a daemon": "setsid sleep 30 & {right}",
    "fills the error pipe": "head -c 200000 /dev/zero >&2; {right}",
}
HANGING = (
    "hangs", "ignores signals", "is stopped", "cannot be killed", "hangs with its output closed", "leaves a crowd",
    "complains without end",
)
# What takes the whole time somewhere.
SLOW = (*HANGING, "leaves a daemon", "writes without end")
HARMLESS = ("complains and works", "reads its input", "leaves a daemon", "fills the error pipe")
# An accelpath that fails tells that there is no accelerator, and so does one that says nothing.
NO_ACCELERATOR = ("is killed", "crashes", "ends with 1", "ends with 255", "says nothing")


def expected(stage, fault):
    """What must become of the job."""
    if fault == "leaves a daemon" and stage in ("purge", "load"):
        # What the module tool prints is whole only when nobody can add to it any more.
        return "failed"
    if fault in HARMLESS or stage == "reference":
        return "right"
    if fault == "kills who started it":
        return "nothing" if stage in ("cpupath", "accelpath") else "failed"
    return "right" if stage == "accelpath" and fault in NO_ACCELERATOR else "failed"


@pytest.mark.parametrize("fault", PROGRAMS)
@pytest.mark.parametrize("stage", RIGHT)
def test_program(case, stage, fault):
    code = PROGRAMS[fault].replace("{right}", RIGHT[stage])
    with Mount() if "{mount}" in code else nullcontext() as mount:
        if mount is not None:
            directory = case.directory / "mount"
            directory.mkdir()
            case.setup.append(" ".join(mount.mount_command(directory)))
            case.descriptors.append(mount.descriptor)
            code = code.replace("{mount}", str(directory))
        reached = case.file("reached", "", mode=0o666)
        code = f"echo {stage} >{reached}\n{code}"
        if stage in ("cpupath", "accelpath"):
            case.archdetect(**{stage: code})
        else:
            case.lmod(**{stage: code})
        if fault in SLOW and expected(stage, fault) == "failed":
            case.budget = SHORT_BUDGET
        elif fault in SLOW and stage == "reference":
            # The modules have to be there by then.
            case.budget = 2 * SHORT_BUDGET
        if stage == "reference":
            # A value that only a comparison with the old target tells from a module's.
            case.set(EBROOTGROMACS="/home/user/mine")
        ended = case.run()
        check(case, ended, expected(stage, fault))
        assert reached.read_text() == f"{stage}\n"
        if mount is not None:
            assert {state for _pid, state, _command in ended.left} == {"D"}
            mount.abort()
            ended.left[:] = case.lingering()
        if fault == "leaves a daemon":
            # Whoever leaves one wants it to stay; it only must not hold anybody.
            assert all("sleep 30" in command for _pid, _state, command in ended.left), ended.left
            ended.left.clear()
        check_nothing_left(case, ended)
