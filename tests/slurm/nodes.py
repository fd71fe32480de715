# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The machines of the test cluster."""

from dataclasses import dataclass, field
from pathlib import Path

from sample.nodes import CPUINFO, STUB_NVIDIA_SMI


@dataclass(frozen=True)
class Node:
    """One machine.

    cpuinfo: the file that this machine has as /proc/cpuinfo.
    programs: name -> file; what this machine alone has in /usr/bin.
    """

    name: str
    cpuinfo: Path
    programs: dict[str, Path] = field(default_factory=dict)


# The first is the login node: commands run there unless told otherwise.
NODES = (
    Node("n-zen4", CPUINFO / "zen4.cpuinfo"),
    Node("n-zen2", CPUINFO / "zen2.cpuinfo"),
    Node("n-spr-vm", CPUINFO / "sapphirerapids-vm.cpuinfo"),
    Node("n-gpu", CPUINFO / "zen4.cpuinfo", {"nvidia-smi": STUB_NVIDIA_SMI}),
)
