# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which suites run."""

import pytest

from orchestration.suites import SUITES, choose


def names(chosen):
    return [suite.name for suite in chosen]


def test_a_suite_on_request_waits_to_be_named():
    assert names(choose([])) == [suite.name for suite in SUITES if not suite.on_request]
    assert "property" in names(choose([]))
    assert "soak" not in names(choose([]))
    assert names(choose(["soak", "unit"])) == ["unit", "soak"]


def test_an_unknown_name_is_an_error():
    with pytest.raises(ValueError, match="no suite other; there are ruff, "):
        choose(["unit", "other"])
