# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the examples share: a job that moves between two sample nodes, and what the guard prints for it.

Everything is real but the two machines: Lmod, the module files, and the guard's launcher are used as on a cluster.
The nodes are files with the CPU flags of such machines, and stubs of eessi_archdetect.sh and nvidia-smi.
Needs a checkout of the project, Python 3.11 or newer, and Lmod 8.6 or newer.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests"))

from harness.launcher import write_launcher
from harness.lmod import MORE_VARIABLE, find_lmods
from harness.scenario import Scenario
from harness.shell import Shell, ShellError
from sample.eessi.build import install_eessi
from sample.modules import Software, write_for_targets
from sample.nodes import SampleNode, gpu_node
from sample.tree import build_repository

__all__ = ["SampleNode", "Software", "Story", "gpu_node", "parser", "tell", "the_lmod"]

# Lmod keeps its own books in variables, encoded and many lines long.
BOOKKEEPING = re.compile(rb"(?:export|unset) (?:_ModuleTable|__LMOD_)")
LMOD_VARIABLE = "LMOD_PKG"
NO_LMOD = "Lmod is not installed: apt-get install lmod (Debian, Ubuntu) or dnf install Lmod (Fedora; EPEL elsewhere)"
TIME_LIMIT = 120


@dataclass(frozen=True)
class Story:
    """software: pairs of targets (see sample.modules.write_for_targets) and a module that exists for them.

    loads: names of modules that the user loads on `login` after EESSI; the job then runs on `compute`.
    """

    login: SampleNode
    compute: SampleNode
    software: tuple[tuple[tuple[str, ...], Software], ...]
    loads: tuple[str, ...]


def parser(description):
    """An argument parser with what all examples take."""
    made = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False,
        epilog="The lines are what Slurm would read. $PREFIX stands for the temporary directory of the sample tree.\n"
        "The Lmod is that of this shell (LMOD_PKG), or the one of the distribution's package.",
    )
    made.add_argument(
        "--all", action="store_true",
        help="show the lines with Lmod's own bookkeeping (_ModuleTable*, __LMOD_*) too, which are left out otherwise",
    )
    return made


def tell(story, everything=False):
    """Print the lines of the guard for `story`, paths under $PREFIX; nothing stays behind.

    everything: show the lines with Lmod's own bookkeeping too. Ends the program with status 1 and one line on stderr
    where Lmod is not there or cannot load the modules.
    """
    lmod = the_lmod()
    with tempfile.TemporaryDirectory(prefix="eessi-arch-guard-") as work:
        work = Path(work).resolve()
        try:
            output = _run(story, lmod, work)
        except ShellError as error:
            reason = " ".join(str(error).split())
            sys.exit(f"Lmod {lmod.version} in {lmod.prefix} cannot load the sample modules: {reason}")
    lines = [line for line in output.splitlines(keepends=True) if everything or not BOOKKEEPING.match(line)]
    sys.stdout.buffer.write(b"".join(lines).replace(os.fsencode(work), b"$PREFIX"))


def _run(story, lmod, work):
    """The bytes that the guard writes to stdout; all files lie below `work`, which stands for /cvmfs too."""
    repository = build_repository(work / "software.eessi.io")
    shell = Shell(lmod, work / "shells", [install_eessi(repository.root, repository.version)])
    for targets, software in story.software:
        write_for_targets(repository, targets, software)
    loads = tuple(f"module load {name}" for name in (f"EESSI/{repository.version}", *story.loads))
    environment = Scenario(story.login, story.compute, loads).incoming(shell)
    done = subprocess.run(
        [write_launcher(work / "guard")], env=environment, cwd=shell.home, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, timeout=TIME_LIMIT, check=True,
    )
    return done.stdout


def the_lmod():
    """The Lmod of the user's shell, or else the packaged one; ends the program where there is none."""
    named = os.environ.get(LMOD_VARIABLE, "")
    try:
        found = find_lmods({MORE_VARIABLE: named})
    except (OSError, ValueError) as error:
        sys.exit(f"the Lmod that {LMOD_VARIABLE} names does not run: {error}")
    if not found:
        sys.exit(NO_LMOD)
    # The packaged one comes first.
    return found[-1]
