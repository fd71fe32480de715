# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings for all tests. Runs on Python 3.6 too."""

import os

from hypothesis import configuration, settings

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

# Its files belong with everything else that tests leave behind.
configuration.set_hypothesis_home_dir(os.path.join(ROOT, ".cache", "hypothesis"))

# Shared machines stall now and then, and a red run must be red again when it is repeated.
settings.register_profile("arch_guard", deadline=None, derandomize=True)
settings.load_profile("arch_guard")
