# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Host results -> a table for a terminal. Pure; no value of a node reaches the terminal uncleaned."""

from ansible_collections.eessi.arch_guard.plugins.module_utils.arch_guard.text import clean

HEADINGS = ("NODE", "STATUS", "CPU TARGET", "EESSI ALONE", "ACCELERATOR", "EXCLUDED")
CELL = 44
NOTHING = "-"


def render(results):
    """Return the table as a list of lines: one for the headings, one for each HostResult."""
    rows = [HEADINGS] + [row(result) for result in results]
    widths = [max(len(line[column]) for line in rows) for column in range(len(HEADINGS))]
    return ["  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in rows]


def row(result):
    """Return the cells of one HostResult, in the order of HEADINGS."""
    if result.facts is None:
        status, cells = result.outcome, [NOTHING] * 4
    else:
        cpu = result.facts["cpu"]
        status = cpu["status"]
        alone = cpu["unfiltered_target"]
        cells = [
            cpu["target"] or NOTHING,
            "the same" if alone and alone == cpu["target"] else alone or NOTHING,
            accelerator_cell(result.facts["accelerator"]),
            excluded_cell(cpu),
        ]
    return tuple(clean(cell, CELL) for cell in [result.host, status, *cells])


def accelerator_cell(accelerator):
    """Return the accelerator target; or none, and "failed" where one was asked for and did not answer."""
    if accelerator["status"] == "ok":
        return accelerator["target"]
    if accelerator["status"] == "none":
        return "none (failed)" if gpu_failed(accelerator) else "none"
    return accelerator["status"]


def gpu_failed(accelerator):
    """Whether there is no accelerator because its tool failed, not because there is none (statuses 0 and 2)."""
    return accelerator["status"] == "none" and accelerator["archdetect_status"] not in (0, 2, None)


def excluded_cell(cpu):
    """Return the excluded leaves with the flags they lack."""
    leaves = [
        f"{candidate['name'].rsplit('/', 1)[-1]} (no {', '.join(candidate['missing_flags'])})"
        for candidate in cpu["candidates"]
        if candidate["excluded"]
    ]
    return ", ".join(leaves) or NOTHING
