# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Only a machine that has nothing at all where EESSI would be is one without EESSI."""

from audit import mount


def test_nothing_there(tmp_path):
    (tmp_path / "file").touch()
    assert mount.is_there(tmp_path / "missing") is False
    assert mount.is_there(tmp_path / "file" / "below") is False


def test_there(tmp_path):
    assert mount.is_there(tmp_path) is True


def test_a_mount_that_gives_an_error_is_there(tmp_path):
    (tmp_path / "loop").symlink_to("loop")
    assert mount.is_there(tmp_path / "loop" / "below") is True


def test_a_mount_that_gives_no_answer_in_time_is_there(tmp_path):
    assert mount.is_there(tmp_path / "missing", seconds=0) is True
