# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The playground of the tutorial: a cluster on one machine that leaves nothing behind."""

import os
import pty
import select
import subprocess
import sys

import pytest

from docs.markdown import ROOT
from harness.lmod import find_lmods

PLAYGROUND = ROOT / "docs" / "examples" / "playground.py"
TIME_LIMIT = 120

pytestmark = pytest.mark.skipif(not find_lmods(), reason="no Lmod on this machine")


@pytest.fixture
def start(tmp_path):
    """Return a function that gives commands to a playground and checks that it leaves no file."""

    def run(*commands):
        done = subprocess.run(
            [sys.executable, PLAYGROUND], text=True, capture_output=True, timeout=TIME_LIMIT, check=False, cwd=tmp_path,
            env={"PATH": os.environ["PATH"], "HOME": str(tmp_path), "TMPDIR": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"},
            input="".join(f"{command}\n" for command in commands),
        )
        assert list(tmp_path.iterdir()) == []
        return done

    return run


def test_it_leaves_nothing_and_ends_with_the_status_of_its_shell(start):
    done = start("module -q load EESSI/2025.06 GROMACS/2025.2", "srun gmx_mpi", "exit 3")
    assert done.returncode == 3
    assert done.stdout.splitlines()[-1] == "x86_64/amd/zen2"


def test_a_gpu_is_seen_on_its_node_only(start):
    where = [f"srun -w {node} sh -c 'command -v nvidia-smi'" for node in ("node002", "gpu001")]
    done = start("module -q load EESSI/2025.06", *where, "command -v nvidia-smi")
    assert done.returncode == 1
    assert "accel/nvidia/cc120 (loaded for x86_64/amd/zen4 no accel)" in done.stdout
    assert done.stdout.count("/nvidia-smi") == 1


@pytest.mark.parametrize("command, told", [
    ("srun -w nowhere true", "invalid choice: 'nowhere'"),
    ("srun", "which program?"),
    ("srun -w login true", "invalid choice: 'login'"),
])
def test_what_srun_does_not_know_is_said(start, command, told):
    done = start(command)
    assert done.returncode == 2
    assert told in done.stderr


def test_a_task_that_fails_hands_its_status_on(start):
    assert start("srun sh -c 'exit 7'").returncode == 7


def test_a_reader_at_a_terminal_has_modules_and_a_prompt(tmp_path):
    outer, inner = pty.openpty()
    os.write(outer, b"module -t avail GROMACS\nexit\n")
    process = subprocess.Popen(
        [sys.executable, PLAYGROUND], stdin=inner, stdout=inner, stderr=inner, cwd=tmp_path, start_new_session=True,
        env={"PATH": os.environ["PATH"], "HOME": str(tmp_path), "TMPDIR": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"},
    )
    os.close(inner)
    said = b""
    with process:
        try:
            while select.select([outer], [], [], TIME_LIMIT)[0]:
                said += os.read(outer, 4096)
        except OSError:
            # The end of a terminal that nobody holds any more.
            os.close(outer)
        assert process.wait(TIME_LIMIT) == 0
    assert b"login$ " in said
    assert b"command not found" not in said
    assert list(tmp_path.iterdir()) == []
