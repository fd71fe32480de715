# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A cluster to play with on one machine: a shell on its login node, with `module` and `srun`, and the guard in place.

Everything is real but the machines and Slurm: Lmod, the module files and the guard are used as on a cluster. A node is
a file with the CPU flags of such a machine; `srun` and `mpirun` are stand-ins that run one program after the other.

  login    AMD Zen 4, where the shell is
  node001  AMD Zen 2                    node002  AMD Zen 4
  gpu001   AMD Zen 4 with a GPU of compute capability 12.0
  spr001   Intel Sapphire Rapids, a virtual machine that hides waitpkg
  arm001   NVIDIA Grace, for which this EESSI has no software

The modules are GROMACS/2025.2 and Python/3.13.1, which are there for each x86_64 node, and NAMD/3.0, which is there for
Zen 4 only. Their programs (gmx_mpi, python3, namd3) print the CPU target that they were built for.

Needs a checkout of the project, Python 3.11 or newer, and Lmod 8.6 or newer. `exit` removes everything.
"""

import argparse
import json
import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

# First of all, since it tells Python where the rest is.
from transcript import the_lmod

from harness.launcher import write_launcher
from harness.shell import Shell
from sample.eessi.build import install_eessi
from sample.modules import Software, write_for_targets
from sample.nodes import SampleNode, gpu_node
from sample.tree import CPU_TARGETS, build_repository

ROOT = Path(__file__).resolve().parents[2]
NODES = {
    "login": SampleNode("login", "x86_64", "zen4"),
    "node001": SampleNode("node001", "x86_64", "zen2"),
    "node002": SampleNode("node002", "x86_64", "zen4"),
    "gpu001": gpu_node("gpu001", "zen4", "12.0"),
    "spr001": SampleNode("spr001", "x86_64", "sapphirerapids-vm"),
    "arm001": SampleNode("arm001", "aarch64", "grace"),
}
ZEN4 = "x86_64/amd/zen4"
EVERYWHERE = ("x86_64/amd/zen2", ZEN4, "x86_64/intel/icelake", "x86_64/intel/sapphirerapids")
SOFTWARE = (
    (EVERYWHERE, Software("OpenMPI", "5.0.7")),
    (EVERYWHERE, Software("GROMACS", "2025.2", depends_on=("OpenMPI/5.0.7",), programs=("gmx_mpi",))),
    (EVERYWHERE, Software("Python", "3.13.1", programs=("python3",))),
    ((ZEN4,), Software("NAMD", "3.0", programs=("namd3",))),
)
PROGRAMS = ("srun", "mpirun")


def main():
    arguments = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False
    )
    arguments.add_argument("--directory", type=Path, help="an empty directory to build it in, which stays")
    chosen = arguments.parse_args()
    lmod = the_lmod()
    if chosen.directory:
        return start(chosen.directory.resolve(), lmod)
    with tempfile.TemporaryDirectory(prefix="eessi-arch-guard-") as work:
        return start(Path(work).resolve(), lmod)


def start(work, lmod):
    """Build the cluster below `work` and be a shell on its login node; returns the shell's status."""
    shell = make_shell(work, lmod)
    launcher = write_launcher(work / "opt" / "eessi-arch-guard")
    commands = work / "bin"
    commands.mkdir()
    (commands / launcher.name).symlink_to(launcher)
    state = work / "playground.json"
    state.write_text(json.dumps({"launcher": str(launcher), "lmod": [lmod.version, str(lmod.prefix)], "work": str(work)}))
    for name in PROGRAMS:
        words = [sys.executable, str(ROOT / "docs" / "examples" / "playground_start.py"), str(state), name]
        (commands / name).write_text(f'#!/bin/sh\nexec {shlex.join(words)} "$@"\n', encoding="utf-8")
        (commands / name).chmod(0o755)
    environment = shell.login(NODES["login"])
    environment["PATH"] = f"{commands}:{environment['PATH']}"
    # For with_guard.sh, which would look in /opt.
    environment["EESSI_ARCH_GUARD_PROGRAM"] = str(launcher)
    print("This is the login node. Compute nodes: " + ", ".join(name for name in NODES if name != "login"), flush=True)
    settings = work / "bashrc"
    settings.write_text(f". {shlex.quote(str(lmod.init_script))}\nPS1='login$ '\n", encoding="utf-8")
    return subprocess.call(["/bin/bash", "--noprofile", "--rcfile", str(settings)], env=environment, cwd=shell.home)


def make_shell(work, lmod):
    """Build the sample EESSI below `work`; returns the harness.shell.Shell of its user."""
    repository = build_repository(
        work / "cvmfs" / "software.eessi.io", cpu_targets=[name for name in CPU_TARGETS if not name.startswith("aarch64")]
    )
    for targets, software in SOFTWARE:
        write_for_targets(repository, targets, software)
    return Shell(lmod, work / "shells", [install_eessi(repository.root, repository.version)])


if __name__ == "__main__":
    os.environ.pop("BASH_ENV", None)
    sys.exit(main())
