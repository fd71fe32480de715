# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later

"""Each claim of the threat notes names a test that is there."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NOTES = ROOT / "docs" / "explanation" / "threats.md"


def test_the_tests_that_the_notes_name_exist():
    text = NOTES.read_text(encoding="utf-8")
    paths = list((ROOT / "tests").rglob("test_*.py"))
    sources = [path.read_text(encoding="utf-8") for path in paths]
    named = set(re.findall(r"`(?:[\w/]+/)?(test_\w+\.py)`", text))
    assert len(named) >= 8
    assert named - {path.name for path in paths} == set()
    functions = set(re.findall(r"`(test_\w+)`", text))
    assert len(functions) >= 15
    assert [name for name in sorted(functions) if not any(f"def {name}(" in source for source in sources)] == []
