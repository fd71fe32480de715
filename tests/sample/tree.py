# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A sample EESSI repository: the directories of one EESSI version, without any software in them."""

import shutil
from dataclasses import dataclass
from pathlib import Path

STUBS = Path(__file__).resolve().parents[1] / "stubs"
STUB_ARCHDETECT = STUBS / "eessi_archdetect.sh"

VERSION = "2025.06"
CPU_TARGETS = (
    "aarch64/generic",
    "aarch64/neoverse_n1",
    "aarch64/neoverse_v1",
    "aarch64/nvidia/grace",
    "x86_64/generic",
    "x86_64/amd/zen2",
    "x86_64/amd/zen3",
    "x86_64/amd/zen4",
    "x86_64/amd/zen5",
    "x86_64/intel/haswell",
    "x86_64/intel/skylake_avx512",
    "x86_64/intel/cascadelake",
    "x86_64/intel/icelake",
    "x86_64/intel/sapphirerapids",
)
ACCEL_TARGETS = {
    "aarch64/nvidia/grace": ("accel/nvidia/cc90",),
    "x86_64/amd/zen2": ("accel/nvidia/cc80",),
    "x86_64/amd/zen3": ("accel/nvidia/cc80",),
    "x86_64/amd/zen4": ("accel/nvidia/cc80", "accel/nvidia/cc90", "accel/nvidia/cc120"),
    "x86_64/intel/icelake": ("accel/nvidia/cc80",),
    "x86_64/intel/sapphirerapids": ("accel/nvidia/cc90",),
}


@dataclass(frozen=True)
class Repository:
    """Paths of a sample repository; `prefix` is what EESSI_PREFIX names on a node that has it mounted."""

    root: Path
    version: str
    os_type: str = "linux"

    @property
    def prefix(self):
        return self.root / "versions" / self.version

    @property
    def init_prefix(self):
        return self.prefix / "init"

    @property
    def archdetect(self):
        return self.init_prefix / "eessi_archdetect.sh"

    def target(self, *parts):
        """The directory of a CPU target, or of a CPU target and its accelerator target."""
        return self.prefix.joinpath("software", self.os_type, *parts)

    def compat(self, machine_type):
        """The compatibility layer of one machine type."""
        return self.prefix / "compat" / self.os_type / machine_type


def build_repository(root, version=VERSION, cpu_targets=CPU_TARGETS, accel_targets=None, init_script=STUB_ARCHDETECT):
    """Make the directories of one EESSI version below `root` and return its Repository.

    cpu_targets: names such as "x86_64/amd/zen4".
    accel_targets: CPU target -> names such as "accel/nvidia/cc80" (None: those of ACCEL_TARGETS).
    init_script: the script to stand at init/eessi_archdetect.sh.
    Raises FileExistsError if this version is there already, ValueError for an accelerator without its CPU target.
    """
    repository = Repository(Path(root), version)
    if accel_targets is None:
        accel_targets = {cpu: accels for cpu, accels in ACCEL_TARGETS.items() if cpu in cpu_targets}
    strangers = sorted(set(accel_targets) - set(cpu_targets))
    if strangers:
        raise ValueError(f"accelerator targets for CPU targets that are not in the tree: {', '.join(strangers)}")

    repository.init_prefix.mkdir(parents=True)
    shutil.copy(init_script, repository.archdetect)
    repository.archdetect.chmod(0o755)
    for machine_type in sorted({cpu.split("/", maxsplit=1)[0] for cpu in cpu_targets}):
        repository.compat(machine_type).mkdir(parents=True)
    for cpu in cpu_targets:
        _make_target(repository.target(cpu))
        for accel in accel_targets.get(cpu, ()):
            _make_target(repository.target(cpu, accel))
    return repository


def _make_target(directory):
    for name in ("software", "modules/all", ".lmod"):
        (directory / name).mkdir(parents=True)
