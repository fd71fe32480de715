# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later

"""Report -> a few lines for a terminal."""

from ...module_utils.arch_guard.text import clean
from . import findings, names
from .record import excluded_in_words

HEADINGS = ("NODE", "STATUS", "CPU TARGET", "EESSI ALONE", "ACCELERATOR", "EXCLUDED", "GUARD")
CELL = 44
NOTHING = "-"
# Up to so many nodes each has a row; of more, each group of nodes that are alike.
NODE_ROWS = 24
GROUP_ROWS = 20
FINDINGS = 12
SENTENCE = 240


def render(report):
    """Return the lines: a table, what it means, and what could not be read."""
    return [""] + table(report) + [""] + sentences(report)


def table(report):
    """Return the table as a list of lines, headings first."""
    nodes, groups = report["nodes"], report["groups"]
    few = len(nodes) <= NODE_ROWS
    shown = nodes if few else groups[:GROUP_ROWS]
    lines = [HEADINGS] + [row(found["node"] if few else _counted(found["nodes"]), found) for found in shown]
    if len({node["eessi_version"] for node in nodes if node["eessi_version"]}) > 1:
        versions = ["EESSI"] + [clean(found["eessi_version"] or NOTHING, CELL) for found in shown]
        lines = [line[:1] + (version,) + line[1:] for line, version in zip(lines, versions)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(lines[0]))]
    said = ["  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip() for line in lines]
    if not few and len(groups) > len(shown):
        said.append("... and %d more groups of nodes that are alike" % (len(groups) - len(shown)))
    return said


def row(name, found):
    """Return the cells of a node or group in the order of HEADINGS."""
    alone = found["unfiltered_target"]
    cells = [
        found["cpu_target"] or NOTHING,
        "the same" if alone and alone == found["cpu_target"] else alone or NOTHING,
        _accelerator(found),
        excluded_in_words(found) or NOTHING,
        NOTHING if found["cpu_status"] is None else found["guard"],
    ]
    return tuple(clean(cell, CELL) for cell in [name, found["status"]] + cells)


def sentences(report):
    """Return one line for each finding, led by the nodes it was found on."""
    said = [
        clean("%s: %s" % (_counted(found["nodes"]), found["text"]), SENTENCE) for found in report["findings"][:FINDINGS]
    ]
    left = len(report["findings"]) - FINDINGS
    if left > 0:
        said.append("... and %d more findings in the report" % left)
    damaged = report["source"]["damaged"]
    if damaged:
        first = report["source"]["damaged_lines"][0]
        said.append(clean("%d of %d lines could not be read, the first is line %d of %s: %s" % (
            damaged, report["source"]["lines"], first["line"], first["file"], first["reason"]), SENTENCE))
    return said or [findings.NOTHING_FOUND]


def _counted(nodes):
    text = names.short(nodes)
    if len(text) > CELL - 14:
        text = text[:CELL - 20].rstrip(",-[") + " ..."
    return text if len(nodes) == 1 else "%s (%d)" % (text, len(nodes))


def _accelerator(found):
    if found["accelerator_target"]:
        return found["accelerator_target"]
    if found["accelerator_status"] == "none":
        return "none (failed)" if found["accelerator_failed"] else "none"
    return found["accelerator_status"] or NOTHING
