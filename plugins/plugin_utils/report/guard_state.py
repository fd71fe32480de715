# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later

"""How the guard stands on a node, in one word."""

ACTIVE = "active"
OUTDATED = "outdated"
CHANGED = "changed"
NOT_WIRED = "not wired"
WIRING_UNKNOWN = "wiring unknown"
UNKNOWN = "unknown"
ABSENT = "absent"

# With these a job on the node is guarded.
GUARDS = (ACTIVE, OUTDATED)


def state(prolog, wanted):
    """Return the word for ``prolog`` (that part of the facts); ``wanted``: the version that should be there."""
    if not prolog["installed"]:
        return ABSENT
    if prolog["intact"] is None:
        return UNKNOWN
    if not prolog["intact"]:
        return CHANGED
    if prolog["wired"] is None:
        return WIRING_UNKNOWN
    if not prolog["wired"]:
        return NOT_WIRED
    return ACTIVE if prolog["version"] == wanted else OUTDATED
