# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: BSD-2-Clause

"""How the guard is installed on this node."""


def describe():
    """Return the dict ``prolog`` of the facts: whether, where and how the guard stands between Slurm and its tasks."""
    return {"installed": False, "version": None, "path": None, "intact": None, "wired": None}
