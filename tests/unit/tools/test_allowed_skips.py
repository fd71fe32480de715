# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The list of allowed skips is short, explained, and matches no more than it says."""

from orchestration.allowed_skips import ALLOWED, unexpected


def test_only_what_is_listed_passes():
    skips = ["no Python 3.14 on this machine", "no Python 3.13 on this machine"]
    assert unexpected("unit-pythons", skips) == ["no Python 3.13 on this machine"]


def test_other_suites_are_not_covered():
    assert unexpected("unit", ["no Python 3.14 on this machine"]) == ["no Python 3.14 on this machine"]


def test_every_entry_says_why():
    assert all(entry.why for entry in ALLOWED)
