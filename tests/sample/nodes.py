# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Sample nodes: what a machine of each kind would tell EESSI's detection."""

from dataclasses import dataclass
from pathlib import Path

from sample.tree import STUBS

CPUINFO = Path(__file__).resolve().parent / "cpuinfo"
STUB_NVIDIA_SMI = STUBS / "nvidia-smi"


@dataclass(frozen=True)
class SampleNode:
    """One machine.

    cpuinfo: name of a file in the folder cpuinfo/, without its ending.
    compute_caps: compute capability of each GPU; none: a node without GPU and without nvidia-smi.
    nvidia_smi_status: exit status of nvidia-smi; other than 0: a node whose GPU driver is broken.
    """

    name: str
    machine_type: str
    cpuinfo: str
    compute_caps: tuple[str, ...] = ()
    nvidia_smi_status: int = 0

    @property
    def cpuinfo_path(self):
        return CPUINFO / f"{self.cpuinfo}.cpuinfo"

    def stub_environment(self):
        """Variables that make the stub scripts answer as on this machine, whatever GPU the real one has."""
        if not self.compute_caps and not self.nvidia_smi_status:
            return {"EESSI_STUB_NVIDIA_SMI": "none"}
        return {
            "EESSI_STUB_NVIDIA_SMI": str(STUB_NVIDIA_SMI),
            "EESSI_STUB_COMPUTE_CAP": ",".join(self.compute_caps),
            "EESSI_STUB_NVIDIA_SMI_STATUS": str(self.nvidia_smi_status),
        }


def gpu_node(name, cpuinfo, *compute_caps, machine_type="x86_64"):
    """A machine of the kind `cpuinfo` with one GPU for each compute capability."""
    return SampleNode(name, machine_type, cpuinfo, compute_caps)


SAMPLE_NODES = (
    SampleNode("zen2", "x86_64", "zen2"),
    SampleNode("zen4", "x86_64", "zen4"),
    gpu_node("grace", "grace", "9.0", machine_type="aarch64"),
    SampleNode("sapphirerapids", "x86_64", "sapphirerapids"),
    SampleNode("sapphirerapids-vm", "x86_64", "sapphirerapids-vm"),
    # 18: the library of nvidia-smi and the loaded kernel driver differ, as after an update without a reboot.
    SampleNode("zen4-broken-gpu", "x86_64", "zen4", ("9.0",), nvidia_smi_status=18),
)
