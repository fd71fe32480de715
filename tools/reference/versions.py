# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which ansible-core reaches which Python."""

from orchestration.cores import CORES
from reference.blocks import table


def cores(_root):
    """The table of the ansible-core versions that the tests run."""
    return table(("ansible-core", "Python that runs it", "Python of the nodes"), [
        (core.name, _span(core.controllers), _span(core.targets)) for core in CORES
    ])


def _span(versions):
    return f"{versions[0]} to {versions[-1]}"
