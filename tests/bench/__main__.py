# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""make bench: what a task pays for the guard, as ratios to what it would pay anyway."""

import argparse
import shutil
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench.many import many
from bench.one import one
from bench.world import World


def main():
    """Print the tables."""
    arguments = argparse.ArgumentParser(prog="make bench")
    arguments.add_argument("--rounds", type=int, default=15, help="interleaved rounds, half as many of reloads (default: 15)")
    arguments.add_argument("--tasks", default="1,16,128,256", help="tasks at once (default: 1,16,128,256)")
    arguments.add_argument("--modules", default="3,30,100", help="modules of a stack (default: 3,30,100)")
    given = arguments.parse_args()
    # EESSI's own module wants a path of letters, digits and _.
    work = tempfile.mkdtemp(prefix="eessi_arch_guard_bench_", dir="/tmp")
    try:
        world = World(work)
        print(world.describe(), end="\n\n", flush=True)
        further_match = one(world, given.rounds, [int(number) for number in given.modules.split(",")])
        print()
        many(world, [int(number) for number in given.tasks.split(",")], further_match)
    finally:
        shutil.rmtree(work)


if __name__ == "__main__":
    main()
