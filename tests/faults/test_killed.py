# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later

"""The interpreter killed at any moment: all lines or none, status 0, and nothing runs on."""

import os
import random
import signal
import subprocess
import time
from pathlib import Path

import pytest
from faults.case import NEVER, check, check_nothing_left

QUICK, WITH_MODULES = 420, 80


def start(case):
    """Start the launcher of the case as its user, without a namespace of its own; returns the process."""
    launcher = case.ground.launcher(case.directory / "guard", timeout=case.budget)
    return subprocess.Popen(
        ["setpriv", f"--reuid={case.user}", f"--regid={case.user}", "--clear-groups", "--", str(launcher)],
        env=case.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        start_new_session=True, cwd="/",
    )


def interpreter_of(process, name):
    """Wait for the interpreter that the launcher started, ``name`` its program; returns its pid, None if it is gone."""
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    while process.poll() is None:
        for pid in children.read_text().split():
            try:
                # The launcher's own copy becomes the interpreter.
                if os.readlink(f"/proc/{pid}/exe").startswith(os.path.realpath(name)):
                    return int(pid)
            except OSError:
                continue
    return None


def kill_once(case, delay):
    """Run the launcher, kill its interpreter after ``delay`` seconds; return (whether it was killed, status, output)."""
    with start(case) as process:
        pid = interpreter_of(process, case.ground.python)
        time.sleep(delay)
        killed = False
        # As long as the launcher has not waited for it, the pid is that of the interpreter.
        if pid is not None and process.poll() is None:
            try:
                os.kill(pid, signal.SIGKILL)
                killed = True
            except ProcessLookupError:
                killed = False
        output = process.communicate(timeout=NEVER)[0]
    return killed, process.returncode, output


def whole_run(case):
    """Return (output, seconds) of an undisturbed run."""
    begin = time.monotonic()
    with start(case) as process:
        output = process.communicate(timeout=NEVER)[0]
    assert process.returncode == 0
    return output, time.monotonic() - begin


@pytest.mark.parametrize("modules, times", [(False, QUICK), (True, WITH_MODULES)], ids=["failure", "reload"])
def test_killed_at_random_times(case, modules, times):
    case.archdetect() if modules else case.archdetect(cpupath="exit 1")
    runs = [whole_run(case) for _time in range(3)]
    whole = runs[0][0]
    assert whole
    # The first one finds cold files; kills that come after the end would be none.
    seconds = min(lasted for _output, lasted in runs)
    chosen = random.Random(20260101)
    killed = 0
    for _time in range(times):
        was_killed, status, output = kill_once(case, chosen.uniform(0, 1.1 * seconds))
        killed += was_killed
        assert status == 0
        assert output in (b"", whole)
    assert killed > times / 2
    assert case.lingering() == []


HELD = {"archdetect": ("cpupath", "sleep 600 & sleep 600"), "module tool": ("load", "sleep 600 & sleep 600"),
        "a crowd": ("cpupath", "for each in 1 2 3 4 5; do (trap '' TERM; sleep 600) & done; wait")}


@pytest.mark.parametrize("what", HELD)
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGSEGV], ids=lambda number: number.name)
def test_the_children_of_a_killed_interpreter_end_with_it(case, what, number):
    stage, code = HELD[what]
    (case.archdetect if stage == "cpupath" else case.lmod)(**{stage: code})
    with start(case) as process:
        pid = interpreter_of(process, case.ground.python)
        give_up = time.monotonic() + NEVER
        while not any("sleep 600" in command for _pid, _state, command in case.processes()):
            assert time.monotonic() < give_up
            time.sleep(0.01)
        os.kill(pid, number)
        output = process.communicate(timeout=NEVER)[0]
    assert (process.returncode, output) == (0, b"")
    assert case.lingering() == []


def test_an_interpreter_that_hangs_is_ended_by_the_budget(case):
    """A hang that no deadline covers: here it waits for itself."""
    library = case.directory / "library" / "arch_guard"
    subprocess.run(["cp", "-r", str(case.ground.library), str(library.parent)], check=True)
    (library / "verdict.py").write_text(
        (library / "verdict.py").read_text().replace("    loaded = clean(loaded_cpu)\n", "    import time; time.sleep(600)\n")
    )
    case.settings["library"] = str(library.parent)
    case.budget = 1
    ended = case.run()
    check(case, ended, "nothing")
    check_nothing_left(case, ended)
