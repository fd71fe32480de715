# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later

"""The module that changes slurm.conf, by real Ansible on a real file."""

import json
import os
import stat
import subprocess
from pathlib import Path

import pytest

from integration.test_module import CORES, PAIRS, PYTHONS

ROOT = Path(__file__).resolve().parents[2]
GUARD = "/opt/guard/eessi-arch-guard"


@pytest.fixture(params=sorted({PAIRS[0], PAIRS[-1]}), ids=str)
def wire(request):
    core, minor = request.param

    def run(path, *options, state="present"):
        environ = {name: value for name, value in os.environ.items() if not name.startswith("ANSIBLE_")}
        done = subprocess.run(
            [f"{CORES[core]}/ansible", "localhost", "-m", "eessi_arch_guard_wiring",
             "-a", json.dumps({"slurm_conf": str(path), "task_prolog": GUARD, "state": state}),
             "-e", json.dumps({"ansible_python_interpreter": PYTHONS[minor]}), *options],
            cwd=ROOT, env=environ, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=120,
        )
        before, _arrow, result = done.stdout.partition(" => ")
        assert result, done.stdout + done.stderr
        return {**json.loads(result), "status": done.returncode, "shown": before, "said": done.stdout + done.stderr}

    return run


def test_a_file_is_changed_in_place_and_comes_back(tmp_path, wire):
    text = b'Include more.conf\r\n#TaskProlog=/old\nTASKPROLOG = "/site/\\\nprolog" # \xe9\nPartitionName=p'
    (tmp_path / "more.conf").write_text("TaskProlog=included.sh\n")
    real = tmp_path / "real.conf"
    real.write_bytes(text)
    real.chmod(0o640)
    os.chown(real, 0 if os.geteuid() == 0 else -1, 1 if os.geteuid() == 0 else -1)
    owner = real.stat()
    path = tmp_path / "slurm.conf"
    path.symlink_to(real)

    looked = wire(path, "--check", "--diff")
    assert (looked["status"], looked["changed"], looked["previous"]) == (0, True, "/site/prolog")
    assert f"+TaskProlog={GUARD}" in looked["shown"]
    assert real.read_bytes() == text

    done = wire(path)
    assert (done["changed"], done["wired"], done["points_here"]) == (True, False, True)
    # Older versions break the lines of a warning anywhere.
    assert f"{tmp_path}/more.conf sets TaskProlog as well.".replace(" ", "") in "".join(done["said"].split())
    assert path.is_symlink()
    now = real.stat()
    assert (now.st_uid, now.st_gid, stat.S_IMODE(now.st_mode)) == (owner.st_uid, owner.st_gid, 0o640)

    again = wire(path)
    assert (again["changed"], again["wired"], again["previous"]) == (False, True, "/site/prolog")

    assert wire(path, state="absent")["changed"] is True
    assert real.read_bytes() == text
    back = wire(path, state="absent")
    assert (back["changed"], back["points_here"]) == (False, False)


def test_a_relative_program_stands_beside_the_file(tmp_path, wire):
    (tmp_path / "slurm.conf").write_text("TaskProlog=prolog.sh\n")
    assert wire(tmp_path / "slurm.conf", "--check")["previous"] == f"{tmp_path}/prolog.sh"


def test_a_node_without_the_file_is_no_error(tmp_path, wire):
    done = wire(tmp_path / "slurm.conf")
    assert (done["status"], done["changed"], done["exists"], done["points_here"]) == (0, False, False, False)
    assert list(tmp_path.iterdir()) == []


def test_a_path_that_ansible_cannot_hand_on_is_refused(tmp_path, wire):
    path = tmp_path / "slurm.conf"
    path.write_bytes(b"TaskProlog=/site/\xe9\n")
    done = wire(path)
    assert (done["status"], path.read_bytes()) == (2, b"TaskProlog=/site/\xe9\n")
    assert r"the path /site/\xe9 is no UTF-8" in done["msg"]


def test_what_slurm_refuses_is_not_changed(tmp_path, wire):
    path = tmp_path / "slurm.conf"
    path.write_text("TaskProlog=/a TaskEpilog=/b\n")
    done = wire(path)
    assert done["status"] == 2
    assert "Slurm refuses what follows TaskProlog in its line: TaskEpilog=/b" in done["msg"]
    # Where there is nothing to take back, such a file is in nobody's way.
    left = wire(path, state="absent")
    assert (left["status"], left["changed"], left["points_here"]) == (0, False, None)
    assert path.read_text() == "TaskProlog=/a TaskEpilog=/b\n"
