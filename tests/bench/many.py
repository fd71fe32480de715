# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Many tasks of one step on one node, all started at once."""

from statistics import median

from bench.world import GPU, OTHER
from harness.step import run_at_once

PROGRAMS = ("cpupath", "accelpath", "nvidia-smi", "lmod")
# Of the largest number of matches, which is judged.
ROUNDS = 11


def many(world, sizes, further_match):
    """Print the table. further_match: wall seconds."""
    show("tasks at once", "tasks", "wall ms", "CPU ms", "a task", PROGRAMS)
    largest = max(sizes)
    for size in sorted(set(sizes) - {largest}):
        row("match", size, case(world, size, world.job(tasks=max(2, size))))
    bare, found = [], []
    for _round in range(ROUNDS):
        bare.append(run_at_once(["/bin/sh", "-c", ":"], [{"PATH": "/bin"}] * largest, world.work)[0] * 1000)
        found.append(case(world, largest, world.job(tasks=max(2, largest))))
    # By their wall time, the first of the three.
    middle = sorted(found)[ROUNDS // 2]
    row("match", largest, middle)
    for size in sizes:
        row("reload, 30 modules", size, case(world, size, world.job(30, OTHER, max(2, size))))
    for size in sizes:
        slow = world.job(node=GPU, tasks=max(2, size), EESSI_STUB_NVIDIA_SMI_SLEEP="3")
        row("match, nvidia-smi takes 3 s", size, case(world, size, slow))
    limit = largest * further_match * 1000
    verdict = "within" if middle[0] <= limit else "OVER"
    print(f"\n{largest} at once: {middle[0]:.0f} ms; {largest} x further match: {limit:.0f} ms: {verdict}")
    print(f"{largest} x sh -c : at once: {median(bare):.0f} ms")


def case(world, size, job):
    """Run one size; return (wall milliseconds, CPU milliseconds of all, starts of PROGRAMS)."""
    counted = world.counting(job)
    world.starts()
    wall, tasks = run_at_once([world.launcher], [counted.task(local) for local in range(size)], world.work)
    job.step.forget()
    failed = [task for task in tasks if task.status != 0 or b"EESSI_ARCH_GUARD_FAILED" in task.output]
    if failed:
        raise RuntimeError(f"{len(failed)} of {size}: status {failed[0].status}, {failed[0].output!r}")
    starts = world.starts()
    return wall * 1000, sum(task.cpu for task in tasks) * 1000, [starts[program] for program in PROGRAMS]


def row(name, size, found):
    wall, cpu, starts = found
    show(name, size, f"{wall:.0f}", f"{cpu:.0f}", f"{cpu / size:.1f}", starts)


def show(name, size, wall, cpu, each, starts):
    print(f"{name:30} {size:>6} {wall:>9} {cpu:>9} {each:>8}   " + " ".join(f"{start:>10}" for start in starts), flush=True)
