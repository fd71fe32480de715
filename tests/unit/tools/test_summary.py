# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The table's words and the closing line."""

from orchestration.outcome import Outcome
from orchestration.summary import Row, render


def test_last_line_counts_tests():
    rows = [
        Row("unit", Outcome(passed=3, failed=1, skips=["no gcc"], problems=["a::b"]), 1.0),
        Row("ruff", Outcome(passed=1), 0.1),
        Row("shellcheck", Outcome(skips=["shellcheck is not installed"]), 0.1),
    ]
    lines = render(rows)
    assert lines[-1] == "4 passed, 1 failed, 2 skipped"
    assert [line.split()[1] for line in lines[2:5]] == ["failed", "passed", "skipped"]
    assert lines[4].endswith("shellcheck is not installed")


def test_a_suite_in_which_nothing_ran_has_failed():
    assert Outcome().word == "failed"
