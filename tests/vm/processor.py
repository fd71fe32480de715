# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which processor each machine shows, and what stands for it."""

import subprocess
from dataclasses import dataclass
from pathlib import Path

from .qemu import PROGRAM

# QEMU's model of the processor that one node is, and flags by which a machine that can run it is known.
MODEL = "SapphireRapids"
MODEL_FLAGS = {"amx_bf16", "amx_int8", "amx_tile", "avx512_bf16", "avx512_fp16", "avx_vnni", "serialize"}
# The emulator is quickest with a model that has little; Debian runs on it.
EMULATED = "Nehalem"


@dataclass(frozen=True)
class Processor:
    """model: for -cpu of QEMU. cpuinfo: the sample that lies over /proc/cpuinfo, or None where QEMU itself shows it.

    means: in words which of the two it is, and on what.
    """

    model: str
    cpuinfo: str | None
    means: str


def processor(machine, accel, can_hide):
    """The Processor of a machines.Machine. accel: kvm or tcg. can_hide: see can_hide_waitpkg."""
    if accel == "kvm" and can_hide and machine.cpuinfo == "sapphirerapids-vm":
        return Processor(f"{MODEL},-waitpkg", None, f"a {MODEL} processor from which the hypervisor takes waitpkg")
    model = "host" if accel == "kvm" else EMULATED
    under = "the processor of this host" if accel == "kvm" else "an emulated processor"
    return Processor(model, machine.cpuinfo, f"{under}, with {machine.cpuinfo}.cpuinfo laid over /proc/cpuinfo")


def can_hide_waitpkg(cpuinfo=Path("/proc/cpuinfo"), qemu=PROGRAM):
    """Whether this host's processor and its QEMU can show a Sapphire Rapids processor without waitpkg."""
    words = set(cpuinfo.read_text(encoding="utf-8").split())
    if not words >= MODEL_FLAGS | {"GenuineIntel"}:
        return False
    known = subprocess.run([qemu, "-cpu", "help"], capture_output=True, text=True, check=True, timeout=30)
    return MODEL in known.stdout.split()
