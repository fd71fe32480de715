# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later

"""The file that a failing accelpath leaves."""

import os
import time

import pytest

from ansible_collections.eessi.arch_guard.plugins.module_utils.arch_guard import leftovers


def leave(directory, name="nvidia_smi_out.aBc12", text="NVIDIA-SMI has failed\nmore\n"):
    """Make a file as the script leaves it."""
    path = directory / name
    path.write_text(text)
    return path


def test_the_file_is_removed_and_its_first_line_kept(tmp_path):
    since = time.time()
    left = leave(tmp_path)
    assert leftovers.remove(since, str(tmp_path)) == b"NVIDIA-SMI has failed"
    assert not left.exists()


def test_older_files_and_others_stay(tmp_path):
    old = leave(tmp_path, "nvidia_smi_out.old00")
    other = leave(tmp_path, "other")
    time.sleep(0.05)
    assert leftovers.remove(time.time(), str(tmp_path)) == b""
    assert old.exists() and other.exists()


def test_two_files_cannot_be_told_apart_and_stay(tmp_path):
    since = time.time()
    files = [leave(tmp_path), leave(tmp_path, "nvidia_smi_out.other")]
    assert leftovers.remove(since, str(tmp_path)) == b""
    assert all(path.exists() for path in files)


@pytest.mark.parametrize("text", ["", "\n", "NVIDIA H100, 4, 535.104.05, 9.0\nNVIDIA H100, 4, 535.104.05, 9.0\n"])
def test_the_file_of_another_accelpath_that_is_at_work_stays(tmp_path, text):
    since = time.time()
    others = leave(tmp_path, text=text)
    assert leftovers.remove(since, str(tmp_path)) == b""
    assert others.exists()


def test_links_and_directories_are_not_touched(tmp_path):
    since = time.time()
    target = tmp_path / "target"
    target.write_text("secret")
    (tmp_path / "nvidia_smi_out.link0").symlink_to(target)
    (tmp_path / "nvidia_smi_out.dir00").mkdir()
    os.mkfifo(str(tmp_path / "nvidia_smi_out.fifo0"))
    assert leftovers.remove(since, str(tmp_path)) == b""
    assert len(list(tmp_path.iterdir())) == 4


def test_a_directory_that_cannot_be_read(tmp_path):
    assert leftovers.remove(0, str(tmp_path / "absent")) == b""


def test_a_second_name_of_another_file_is_left_alone(tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("root:hash\n")
    (tmp_path / "tmp").mkdir()
    since = time.time()
    os.link(str(secret), str(tmp_path / "tmp" / "nvidia_smi_out.abcde"))
    assert leftovers.remove(since, str(tmp_path / "tmp")) == b""
    assert (tmp_path / "tmp" / "nvidia_smi_out.abcde").exists()
