# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which processor a machine shows, and what is said about it."""

import pytest

from sample.nodes import CPUINFO
from vm import machines, processor

MACHINES = {machine.name: machine for machine in machines.MACHINES}


@pytest.mark.parametrize("name, accel, can_hide, model, cpuinfo", [
    ("spr-vm", "kvm", True, "SapphireRapids,-waitpkg", None),
    ("spr-vm", "kvm", False, "host", "sapphirerapids-vm"),
    ("spr-vm", "tcg", False, "Nehalem", "sapphirerapids-vm"),
    # What the host's processor can show is no AMD, and hides nothing.
    ("zen4", "kvm", True, "host", "zen4"),
    ("control", "kvm", True, "host", "sapphirerapids"),
    ("control", "tcg", False, "Nehalem", "sapphirerapids"),
])
def test_the_hypervisor_hides_the_flag_where_it_can_and_a_file_elsewhere(name, accel, can_hide, model, cpuinfo):
    chosen = processor.processor(MACHINES[name], accel, can_hide)
    assert (chosen.model, chosen.cpuinfo) == (model, cpuinfo)
    assert ("the hypervisor takes waitpkg" in chosen.means) is (cpuinfo is None)
    assert (f"{cpuinfo}.cpuinfo laid over /proc/cpuinfo" in chosen.means) is (cpuinfo is not None)


@pytest.mark.parametrize("cpuinfo, models, expected", [
    ("sapphirerapids", "x86 Nehalem\nx86 SapphireRapids  Intel Xeon\n", True),
    # A guest that lacks waitpkg itself can hide it all the same.
    ("sapphirerapids-vm", "x86 SapphireRapids  Intel Xeon\n", True),
    # A QEMU from before that processor.
    ("sapphirerapids", "x86 Nehalem\nx86 Snowridge\n", False),
    ("zen4", "x86 SapphireRapids\n", False),
])
def test_which_host_can_hide_it(tmp_path, cpuinfo, models, expected):
    qemu = tmp_path / "qemu"
    qemu.write_text(f"#!/bin/sh\ncat <<'END'\n{models}END\n")
    qemu.chmod(0o755)
    assert processor.can_hide_waitpkg(CPUINFO / f"{cpuinfo}.cpuinfo", str(qemu)) is expected
