# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a suite came to."""

from dataclasses import dataclass, field


class Unavailable(Exception):
    """This machine cannot run the suite; the message is the reason."""


@dataclass
class Outcome:
    """Counts of tests, the reasons of skips (one per skipped test), and what to say about failures."""

    passed: int = 0
    failed: int = 0
    skips: list = field(default_factory=list)
    problems: list = field(default_factory=list)

    def add(self, other):
        """Take the counts of `other` in."""
        self.passed += other.passed
        self.failed += other.failed
        self.skips += other.skips
        self.problems += other.problems

    def fail(self, problem):
        """Count one more failed test."""
        self.failed += 1
        self.problems.append(problem)

    @property
    def word(self):
        """`failed`, `passed` or `skipped`. A suite in which nothing ran at all has failed."""
        if self.failed:
            return "failed"
        if self.passed:
            return "passed"
        return "skipped" if self.skips else "failed"
