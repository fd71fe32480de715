# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Start of the audit from a checkout: python3 tools/audit [--inventory FILE]."""

import runpy
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

# This folder goes: its modules are imported as audit. The collection has the name Ansible gives it.
sys.path[:1] = [str(ROOT / name) for name in ("tools", "tests", ".collections")]
runpy.run_module("audit.command", run_name="__main__")
