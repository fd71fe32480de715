# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which ansible-core checks which Python."""

import pytest

from orchestration.cores import CORES, controller_for, sanity_plan

BY_NAME = {core.name: core for core in CORES}


def plan(*pythons):
    return [(core.name, versions) for core, versions in sanity_plan(pythons)]


def test_newest_controller_is_taken():
    assert controller_for(BY_NAME["2.16"], ("3.9", "3.10", "3.12", "3.13")) == "3.12"
    assert controller_for(BY_NAME["2.21"], ("3.9", "3.11")) is None


def test_every_python_is_covered():
    pythons = tuple(f"3.{minor}" for minor in range(6, 14))
    assert plan(*pythons) == [
        ("2.21", ("3.9", "3.10", "3.11", "3.12", "3.13")),
        ("2.16", ("3.6", "3.7", "3.8")),
    ]


def test_only_debian_12():
    assert plan("3.11") == [("2.19", ("3.11",))]


def test_no_controller_at_all():
    with pytest.raises(LookupError):
        sanity_plan(("3.6",))
