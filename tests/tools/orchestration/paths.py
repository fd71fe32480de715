# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where things are. Nothing is written outside CACHE."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
CACHE = ROOT / ".cache"
LOGS = CACHE / "logs"
REQUIREMENTS = ROOT / "tests" / "requirements"
