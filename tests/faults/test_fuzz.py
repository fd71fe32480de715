# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later

"""A short time of fuzzing, and whatever fuzzing found before; `make fuzz` takes longer."""

from pathlib import Path

import pytest
from fuzz.targets import TARGETS
from fuzz.unguided import try_for

CORPUS = Path(__file__).resolve().parents[1] / "fuzz" / "corpus"
# Seconds, of all targets.
TIME = 20


def kept():
    """What was found once, as (target, file)."""
    return [(path.parent.name, path) for path in sorted(CORPUS.glob("*/*")) if path.is_file()]


@pytest.mark.parametrize("name, path", kept(), ids=lambda value: getattr(value, "name", value))
def test_what_was_found_stays_mended(name, path):
    TARGETS[name](path.read_bytes())


@pytest.mark.parametrize("name", TARGETS)
def test_target(name, tmp_path):
    tried, broke = try_for(TARGETS[name], TIME / len(TARGETS), tmp_path / "broke")
    assert broke == ""
    assert tried >= 100


def test_a_target_that_breaks_is_found(tmp_path):
    def breaks(data):
        if data.count(b"=") > 1:
            raise ValueError("two")

    tried, broke = try_for(breaks, 5, tmp_path / "broke")
    assert (broke, tried > 0) == ("ValueError: two", True)
    assert (tmp_path / "broke").read_bytes().count(b"=") > 1
