# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later

"""The edge to files and directories, with real ones."""

import os
import time

import pytest

from ansible_collections.eessi.arch_guard.plugins.module_utils.arch_guard.errors import CannotRead
from ansible_collections.eessi.arch_guard.plugins.module_utils.arch_guard.node import Node

NODE = Node({})


def soon(seconds=5):
    """Return a deadline."""
    return time.monotonic() + seconds


@pytest.mark.parametrize("size, kept, cut", [(0, 0, False), (99, 99, False), (100, 100, False), (101, 100, True)])
def test_read_up_to_a_limit(tmp_path, size, kept, cut):
    path = tmp_path / "file"
    path.write_bytes(b"x" * size)
    assert NODE.read(str(path), 100, soon()) == (b"x" * kept, cut)


@pytest.mark.parametrize("more, cut, flags", [(b"", False, {"fpu"}), (b" waitpkg", True, {"fpu", "waitpkg"})])
def test_cpuinfo_ends_at_16_mebibyte(tmp_path, more, cut, flags):
    first, last = b"flags : fpu waitpkg\n", b"flags : fpu"
    filling = 16 * 1024 * 1024 - len(first) - len(last)
    (tmp_path / "cpuinfo").write_bytes(first + b"x" * (filling - 1) + b"\n" + last + more)
    info = NODE.cpu_info(str(tmp_path / "cpuinfo"), soon(20))
    # A last line that goes on beyond the limit is no evidence of a missing flag.
    assert (info.cut, info.flags) == (cut, flags)


def test_an_endless_device_ends():
    data, cut = NODE.read("/dev/zero", 1000, soon())
    assert (len(data), cut) == (1000, True)


def test_a_fifo_that_nobody_writes_does_not_hold(tmp_path):
    os.mkfifo(str(tmp_path / "fifo"))
    begin = time.monotonic()
    assert NODE.read(str(tmp_path / "fifo"), 100, soon()) == (b"", False)
    assert time.monotonic() - begin < 4


@pytest.mark.parametrize("name, said", [
    ("absent", "No such file or directory (ENOENT)"),
    ("", "Is a directory (EISDIR)"),
    ("file/below", "Not a directory (ENOTDIR)"),
])
def test_what_cannot_be_read_is_named(tmp_path, name, said):
    (tmp_path / "file").write_bytes(b"")
    path = os.path.join(str(tmp_path), name)
    with pytest.raises(CannotRead) as raised:
        NODE.read(path, 100, soon())
    assert str(raised.value) == "%s: %s" % (path, said)
    info = NODE.cpu_info(path, soon())
    assert (info.problem, info.flags, info.flags_lines) == ("%s: %s" % (path, said), frozenset(), 0)


def test_a_name_with_a_nul():
    with pytest.raises(CannotRead) as raised:
        NODE.read("/a\0b", 100, soon())
    assert str(raised.value).startswith("/a\\x00b: ") and "embedded null" in str(raised.value)


def test_directories(tmp_path):
    (tmp_path / "there").mkdir()
    (tmp_path / "file").write_bytes(b"")
    (tmp_path / "dangling").symlink_to("absent")
    (tmp_path / "link").symlink_to("there")
    (tmp_path / "loop").symlink_to("loop")
    names = ["absent", "file", "file/x", "dangling", "link", "loop", "there"]
    paths = [str(tmp_path / name) for name in names]
    found = NODE.directories(paths, [False] * len(paths), soon())
    assert found == [
        (False, ""), (False, ""), (False, ""), (False, ""), (True, ""),
        (None, "%s: Too many levels of symbolic links (ELOOP)" % paths[5]), (True, ""),
    ]
    # The look-up ends where it may: at the first directory, and at one that cannot be told.
    assert len(NODE.directories(paths, [True] * len(paths), soon())) == 5
    assert len(NODE.directories(paths, [False] * 5 + [True, True], soon())) == 6
    assert NODE.directories([], [], soon()) == []


def test_a_directory_that_does_not_answer_is_named(monkeypatch):
    real = os.stat

    def stat(path, *args, **keywords):
        if path == b"/hung":
            time.sleep(60)
        return real(path, *args, **keywords)

    monkeypatch.setattr(os, "stat", stat)
    begin = time.monotonic()
    found = NODE.directories(["/", "/hung", "/tmp"], [False] * 3, soon(0.5))
    assert found == [(True, ""), (None, "/hung: no answer in time")]
    assert time.monotonic() - begin < 2.5


def test_entries(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    assert sorted(NODE.entries(str(tmp_path), soon())) == ["a", "b"]
    with pytest.raises(CannotRead):
        NODE.entries(str(tmp_path / "c"), soon())


def test_gpu_models(tmp_path):
    for number, model in enumerate(["NVIDIA RTX A6000", "Tesla T4"]):
        (tmp_path / ("0000:0%d" % number)).mkdir()
        (tmp_path / ("0000:0%d" % number) / "information").write_text("Model: \t\t %s\nIRQ: 1\n" % model)
    assert NODE.gpu_models(soon(), str(tmp_path)) == ["NVIDIA RTX A6000", "Tesla T4"]
    assert NODE.gpu_models(soon(), str(tmp_path / "absent")) == []
