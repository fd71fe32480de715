# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The sample tree and the sample nodes are what they say they are."""

import pytest

from ansible_collections.eessi.arch_guard.plugins.module_utils.arch_guard import cpuinfo
from ansible_collections.eessi.arch_guard.plugins.module_utils.arch_guard.missing_flags import missing_march_flags
from sample.nodes import CPUINFO, SAMPLE_NODES
from sample.tree import STUB_ARCHDETECT, build_repository


def flags_of(name):
    info = cpuinfo.parse((CPUINFO / f"{name}.cpuinfo").read_bytes(), False)
    assert (info.logical_cpus, info.uniform, info.problem) == (2, True, "")
    return info.flags


@pytest.mark.parametrize(
    ("name", "target", "missing"),
    [
        ("zen2", "x86_64/amd/zen2", []),
        ("zen4", "x86_64/amd/zen4", []),
        ("sapphirerapids", "x86_64/intel/sapphirerapids", []),
        ("sapphirerapids-vm", "x86_64/intel/sapphirerapids", ["waitpkg"]),
        ("sapphirerapids-vm", "x86_64/intel/icelake", []),
    ],
)
def test_a_sample_cpu_has_the_flags_of_its_march(name, target, missing):
    assert missing_march_flags(target, flags_of(name)) == missing


def test_the_virtual_machine_is_the_same_cpu_with_flags_hidden():
    machine, guest = flags_of("sapphirerapids"), flags_of("sapphirerapids-vm")
    assert guest - machine == {"hypervisor"}
    assert "waitpkg" in machine - guest


def test_every_sample_cpuinfo_is_used():
    assert {path.stem for path in CPUINFO.iterdir()} == {node.cpuinfo for node in SAMPLE_NODES}


def test_a_repository(tmp_path):
    made = build_repository(
        tmp_path, "1.0", ["x86_64/generic", "aarch64/a64fx"], {"aarch64/a64fx": ["accel/amd/gfx90a"]}
    )
    assert made.prefix == tmp_path / "versions" / "1.0"
    assert made.archdetect.read_bytes() == STUB_ARCHDETECT.read_bytes()
    for directory in (
        made.target("x86_64/generic") / "software",
        made.target("aarch64/a64fx", "accel/amd/gfx90a") / "modules" / "all",
        made.compat("aarch64"),
    ):
        assert directory.is_dir()
    with pytest.raises(FileExistsError):
        build_repository(tmp_path, "1.0")


def test_an_accelerator_needs_its_cpu_target(tmp_path):
    with pytest.raises(ValueError, match="x86_64/amd/zen4"):
        build_repository(tmp_path, "1.0", ["x86_64/generic"], {"x86_64/amd/zen4": ["accel/nvidia/cc90"]})
