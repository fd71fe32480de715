# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the facts say about an installed guard. Runs on Python 3.6 too."""

import hashlib
import json
import os

import pytest

from ansible_collections.eessi.arch_guard.plugins.module_utils.arch_guard import installation

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="needs root")
NOTHING = {"installed": False, "version": None, "path": None, "intact": None, "wired": None}


class Place(object):
    """An installed guard: two files and their record."""

    def __init__(self, root):
        self.folder = root / "guard"
        self.folder.mkdir(mode=0o755)
        self.launcher = self.folder / "eessi-arch-guard"
        self.library = self.folder / "cli.py"
        self.slurm_conf = root / "slurm.conf"
        self.prologs = root / "task_prolog.d"
        self.record = root / "record.json"
        files = {}
        for path, mode in ((self.launcher, 0o755), (self.library, 0o644)):
            path.write_text("text of %s\n" % path.name)
            path.chmod(mode)
            files[str(path)] = hashlib.sha256(path.read_bytes()).hexdigest()
        self.told = {
            "version": "1.2.3", "launcher": str(self.launcher), "wiring": "none", "files": files,
            "slurm_conf": str(self.slurm_conf), "task_prolog_dir": str(self.prologs),
        }

    def describe(self, usual=(), **told):
        self.record.write_text(json.dumps(dict(self.told, **told)))
        return installation.describe(str(self.record), usual)


@pytest.fixture
def place(tmp_path):
    return Place(tmp_path)


def test_nothing_is_installed(tmp_path):
    assert installation.describe(str(tmp_path / "none")) == NOTHING


@as_root
def test_an_installed_guard(place):
    assert place.describe() == {
        "installed": True, "version": "1.2.3", "path": str(place.launcher), "intact": True, "wired": None,
    }


DAMAGE = {
    "other text": lambda place: place.library.write_text("other\n"),
    "missing": lambda place: place.library.unlink(),
    "writable by others": lambda place: place.library.chmod(0o666),
    "folder writable by others": lambda place: place.folder.chmod(0o777),
    "owner": lambda place: os.chown(str(place.library), 1, 1),
    "not executable": lambda place: place.launcher.chmod(0o644),
}


@as_root
@pytest.mark.parametrize("name", sorted(DAMAGE))
def test_damage_is_seen(place, name):
    DAMAGE[name](place)
    assert place.describe()["intact"] is False


@as_root
def test_a_link_in_place_of_a_file_is_damage(place, tmp_path):
    place.library.rename(tmp_path / "elsewhere")
    place.library.symlink_to(tmp_path / "elsewhere")
    assert place.describe()["intact"] is False


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"made_directories": []}', "\xff"])
def test_a_damaged_record_is_a_damaged_guard(tmp_path, text):
    record = tmp_path / "record.json"
    record.write_bytes(text.encode("latin-1"))
    assert installation.describe(str(record)) == dict(NOTHING, installed=True, intact=False)


@pytest.mark.parametrize("text, wired", [
    ("", False),
    ("TaskProlog={launcher}\n", True),
    ("taskprolog = {launcher}\n", True),
    ("#TaskProlog={launcher}\n", False),
    ("TaskProlog=guard/eessi-arch-guard\n", True),
    ("TaskProlog={launcher}\nTaskProlog=/other\n", False),
    ("TaskProlog={launcher} TaskEpilog=/b\n", None),
    ("Include missing.conf\n", None),
])
def test_whether_taskprolog_leads_to_it(place, text, wired):
    place.slurm_conf.write_text(text.format(launcher=place.launcher))
    assert place.describe()["wired"] is wired


def test_the_file_of_a_configless_node_counts_too(place, tmp_path):
    usual = tmp_path / "conf" / "slurm.conf"
    usual.parent.mkdir()
    usual.write_text("TaskProlog=%s\n" % place.launcher)
    assert place.describe(usual=(str(tmp_path / "none"), str(usual)))["wired"] is True


def test_a_link_in_the_directory_of_task_prologs(place):
    place.slurm_conf.write_text("TaskProlog=/site/runs-them-all\n")
    assert place.describe(wiring="task_prolog_d")["wired"] is False
    place.prologs.mkdir()
    (place.prologs / "10-other").write_text("")
    assert place.describe(wiring="task_prolog_d")["wired"] is False
    (place.prologs / "50-eessi-arch-guard").symlink_to(place.launcher)
    assert place.describe(wiring="task_prolog_d")["wired"] is True
    place.slurm_conf.write_text("")
    assert place.describe(wiring="task_prolog_d")["wired"] is False
