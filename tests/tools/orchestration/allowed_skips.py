# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The skips that a run without skips (CI) lets pass, each for something the machine cannot have."""

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class AllowedSkip:
    """Skips in suites matching `suite` whose reason matches `reason`, let pass because of `why`."""

    suite: str
    reason: str
    why: str

    def covers(self, suite, reason):
        return bool(re.fullmatch(self.suite, suite) and re.search(self.reason, reason))


ALLOWED = (
    AllowedSkip(
        "unit-pythons|integration|sanity",
        r"\bPython 3\.14\b",
        "no release of Debian up to 13 has Python 3.14, and version managers install only what they are told to",
    ),
    AllowedSkip(
        "integration|docs",
        r"^EESSI_SCRIPTS (names no|does not name)\b.*EESSI's own scripts$",
        "EESSI's scripts are no part of this project and in no package; the recorded answers are compared everywhere",
    ),
    AllowedSkip(
        "faults",
        r"^this machine has no FUSE$",
        "a container may not make mounts of its own kind; everything else is tried there",
    ),
    AllowedSkip(
        "integration|slurm",
        r"^this processor has waitpkg: the program cannot die on it$",
        "the program that needs waitpkg dies only where the processor lacks it",
    ),
    AllowedSkip(
        "integration",
        r"^EESSI is mounted here$",
        "the tests of a machine without EESSI need one; a machine with EESSI is audited for real",
    ),
)


def unexpected(suite, skips, allowed=ALLOWED):
    """The reasons among `skips` that no entry of `allowed` covers."""
    return [reason for reason in skips if not any(entry.covers(suite, reason) for entry in allowed)]
