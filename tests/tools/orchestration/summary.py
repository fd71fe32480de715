# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The table at the end."""

from collections import Counter
from dataclasses import dataclass

from .outcome import Outcome


@dataclass
class Row:
    """A suite's line: its name, its Outcome, how long it took."""

    suite: str
    outcome: Outcome
    seconds: float


def render(rows):
    """The summary as lines of text. The last one is `N passed, N failed, N skipped`, in tests over all suites."""
    width = max([len(row.suite) for row in rows] + [len("suite")])
    lines = ["", f"{'suite':{width}}  result   passed  failed  skipped  seconds"]
    for row in rows:
        outcome = row.outcome
        lines.append(
            f"{row.suite:{width}}  {outcome.word:7}  {outcome.passed:6}  {outcome.failed:6}"
            f"  {len(outcome.skips):7}  {row.seconds:7.1f}{_reason(outcome)}"
        )
    for row in rows:
        lines += [f"failed   {row.suite}: {problem}" for problem in row.outcome.problems]
        for reason, count in Counter(row.outcome.skips).items():
            lines.append(f"skipped  {row.suite}: {reason}{f' ({count} tests)' if count > 1 else ''}")
    passed, failed, skipped = totals(rows)
    return [*lines, "", f"{passed} passed, {failed} failed, {skipped} skipped"]


def totals(rows):
    """(passed, failed, skipped) over all rows."""
    return (
        sum(row.outcome.passed for row in rows),
        sum(row.outcome.failed for row in rows),
        sum(len(row.outcome.skips) for row in rows),
    )


def _reason(outcome):
    if outcome.word == "passed" or not outcome.skips:
        return ""
    return f"  {outcome.skips[0]}" if outcome.word == "skipped" else ""
