# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The page of the report in a real browser."""

from .environment import missing_programs
from .outcome import Unavailable
from .paths import CACHE
from .pytest_suites import run_pytest

PROGRAMS = ("chromium", "chromedriver")
PACKAGES = ("chromium", "chromium-driver")
SCREENSHOTS = CACHE / "screenshots"


def browser(context, log):
    """The tests of the page; what it looked like is left in SCREENSHOTS, for people to look at."""
    missing = missing_programs(context.env, PROGRAMS)
    if missing:
        raise Unavailable(f"{' and '.join(missing)} of the packages {' and '.join(PACKAGES)} not installed")
    env = dict(context.env, ARCH_GUARD_TEST_SCREENSHOTS=str(SCREENSHOTS))
    return run_pytest(context.browser_venv(), ["tests/browser"], log, "browser", env)
