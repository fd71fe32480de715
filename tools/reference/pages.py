# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which tables stand on which page of docs/, and which files are made as a whole."""

from reference import cpu_flags, options, reasons, schema, versions

TABLES = {
    "reference/cpu-flags.md": {
        "targets": cpu_flags.targets, "unchecked": cpu_flags.unchecked, "marches": cpu_flags.marches,
    },
    "reference/module.md": {"options": options.module_options},
    "reference/facts.md": {
        "facts": options.facts, "warnings": reasons.told_in_facts, "no-accelerator": reasons.told_without_accelerator,
    },
    "reference/role.md": {"entry-points": options.role_entry_points, "variables": options.role_variables},
    "reference/messages.md": {"reasons": reasons.failures},
    "reference/supported-versions.md": {"cores": versions.cores},
}
FILES = {"reference/facts.schema.json": schema.facts}
