# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Run the test suites: `python3 tests/tools/run_suites.py [--no-skips] [SUITE ...]`. `make test` calls this."""

import sys

if sys.version_info < (3, 11):  # noqa: UP036 - said in words before an import fails
    sys.exit(f"Python 3.11 or newer is needed to run the tests; {sys.executable} is {sys.version.split()[0]}.")

from orchestration.main import main

sys.exit(main(sys.argv[1:]))
