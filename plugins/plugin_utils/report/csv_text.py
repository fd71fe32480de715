# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later

"""Report -> CSV, one row for each node and EESSI version."""

import csv
import io

COLUMNS = (
    "node", "role", "eessi_version", "status", "reason", "cpu_target", "unfiltered_target", "excluded", "pin",
    "accelerator_target", "accelerator_installed", "accelerator_status", "accelerator_reason", "hidden_flags", "virtual",
    "logical_cpus", "guard", "guard_version", "features", "findings", "warnings", "group",
)
# A spreadsheet takes a cell that starts so for a formula.
FORMULA = ("=", "+", "-", "@")


def render(report):
    """Return the text of the CSV file; lists are joined by a blank, notes by a semicolon."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for node in report["nodes"]:
        writer.writerow([_cell(column, node[column]) for column in COLUMNS])
    return text.getvalue()


def _cell(column, value):
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        parts = [
            "%s(%s)" % (item["target"], " ".join(item["missing_flags"])) if isinstance(item, dict) else item
            for item in value
        ]
        return _literal(("; " if column == "warnings" else " ").join(parts))
    return _literal(value) if isinstance(value, str) else value


def _literal(text):
    return "'" + text if text.startswith(FORMULA) else text
