# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The suite that fuzzes. How long is in the environment: FUZZ_SECONDS."""

from . import process
from .outcome import Outcome

SECONDS = 60


def fuzz(context, log):
    """Fuzz each target for its share of the time."""
    seconds = int(context.env.get("FUZZ_SECONDS") or SECONDS)
    python = context.fuzz_venv() / "python"
    status = process.run([python, "tests/fuzz", str(seconds)], log, env=context.env)
    return Outcome(passed=1) if status == 0 else Outcome(failed=1, problems=[f"status {status}, see {log}"])
