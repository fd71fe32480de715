# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Modules loaded on an AMD Zen 4 login node, a job on a Zen 2 compute node: what the guard prints there.

Lines with Lmod's own bookkeeping (_ModuleTable*, __LMOD_*) are left out unless --all is given.
"""

from transcript import SampleNode, Software, Story, parser, tell

BOTH = ("x86_64/amd/zen4", "x86_64/amd/zen2")
STORY = Story(
    login=SampleNode("login", "x86_64", "zen4"),
    compute=SampleNode("compute", "x86_64", "zen2"),
    software=(
        (BOTH, Software("OpenMPI", "5.0.7")),
        (BOTH, Software("GROMACS", "2025.2", depends_on=("OpenMPI/5.0.7",), programs=("gmx_mpi",))),
    ),
    loads=("GROMACS/2025.2",),
)


def main():
    tell(STORY, parser(__doc__).parse_args().all)


if __name__ == "__main__":
    main()
