# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later

"""Answer of accelpath -> accelerator target."""

import pytest

from ansible_collections.eessi.arch_guard.plugins.module_utils.arch_guard import accelerator

ANSWERS = [
    # status, stdout, expected status, target
    (0, b"accel/nvidia/cc80\n", "ok", "accel/nvidia/cc80"),
    (0, b"accel/nvidia/cc80", "ok", "accel/nvidia/cc80"),
    (0, b"accel/nvidia/cc120\n", "ok", "accel/nvidia/cc120"),
    (0, b"accel/nvidia/cc01\n", "ok", "accel/nvidia/cc01"),
    (0, b"accel/amd/gfx90a\n", "ok", "accel/amd/gfx90a"),
    (0, b"accel/amd/gfx90A\n", "ok", "accel/amd/gfx90A"),
    (0, b"accel/amd/gfx1100\n", "ok", "accel/amd/gfx1100"),
    (0, b"", "none", ""),
    (0, b"\n", "none", ""),
    (1, b"accel/nvidia/cc80\n", "none", ""),
    (2, b"", "none", ""),
    (3, b"noise", "none", ""),
    (139, b"", "none", ""),
    (0, b"accel/nvidia/cc\n", "archdetect-failed", ""),
    (0, b"accel/nvidia/cc8x\n", "archdetect-failed", ""),
    (0, b"accel/nvidia/cc 80\n", "archdetect-failed", ""),
    (0, b" accel/nvidia/cc80\n", "archdetect-failed", ""),
    (0, b"accel/nvidia/cc80 \n", "archdetect-failed", ""),
    (0, b"accel/nvidia/cc80\r\n", "archdetect-failed", ""),
    (0, b"accel/nvidia/cc80\n\n", "archdetect-failed", ""),
    (0, b"accel/nvidia/cc80\naccel/nvidia/cc90\n", "archdetect-failed", ""),
    (0, b"ERROR: ld.so: object 'libdarshan.so' cannot be preloaded\naccel/nvidia/cc80\n", "archdetect-failed", ""),
    (0, b"accel/nvidia/cc[N/A]\n", "archdetect-failed", ""),
    (0, b"accel/nvidia/cc[Not Supported]\n", "archdetect-failed", ""),
    (0, b"accel/nvidia/ccNo devices were found\n", "archdetect-failed", ""),
    (0, b"accel/nvidia/ccWARNING: infoROM is corrupted at gpu 0000:B3:00.0\n", "archdetect-failed", ""),
    (0, "accel/nvidia/cc\u0668\u0660\n".encode("utf-8"), "archdetect-failed", ""),
    (0, b"accel/nvidia/cc80\0\n", "archdetect-failed", ""),
    (0, b"accel/nvidia/cc8/../0\n", "archdetect-failed", ""),
    (0, b"accel/amd/gfx\n", "archdetect-failed", ""),
    (0, b"accel/amd/gfx90g\n", "archdetect-failed", ""),
    (0, b"accel/intel/pvc\n", "archdetect-failed", ""),
    (0, b"accel/nvidia/cc90a\n", "archdetect-failed", ""),
    (0, b"\x1b[31maccel/nvidia/cc80\n", "archdetect-failed", ""),
    (0, b"x" * 65538, "archdetect-failed", ""),
]


@pytest.mark.parametrize("status, stdout, expected, target", ANSWERS)
def test_from_answer(status, stdout, expected, target):
    found = accelerator.from_answer(status, stdout)
    assert (found.status, found.target, found.archdetect_status) == (expected, target, status)
    assert bool(found.reason) == (expected != "ok")
    assert found.reason.isprintable() and len(found.reason) < 300


def test_what_was_printed_is_quoted_as_one_clean_line():
    found = accelerator.from_answer(0, b"accel/nvidia/cc\x1b[2J\nx\n")
    assert found.reason == "accelpath printed 'accel/nvidia/cc\\x1b[2J\\nx'"


def test_what_nvidia_smi_said_is_kept():
    found = accelerator.from_answer(3, b"", b"Failed to initialize NVML: Driver/library version mismatch")
    assert found.reason == "nvidia-smi failed: Failed to initialize NVML: Driver/library version mismatch"


@pytest.mark.parametrize("target, names", [
    ("accel/nvidia/cc86", ["accel/nvidia/cc86", "accel/nvidia/cc80"]),
    ("accel/nvidia/cc80", ["accel/nvidia/cc80"]),
    ("accel/nvidia/cc121", ["accel/nvidia/cc121", "accel/nvidia/cc120"]),
    ("accel/amd/gfx90a", ["accel/amd/gfx90a", "accel/amd/gfx900"]),
])
def test_directories_that_the_module_tries(target, names):
    found = accelerator.directories("/e/software/linux", "x86_64/amd/zen4", target)
    assert [name for name, _path in found] == names
    assert found[0][1] == "/e/software/linux/x86_64/amd/zen4/%s/modules/all" % target
