# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later

"""The ground of the faults, and the line that counts them."""

import os
import shutil

import pytest
from faults.case import Case
from faults.ground import LMODS, build_ground

# What is no fault of a node.
NOT_COUNTED = "tests/faults/test_fuzz.py"


def pytest_collection_modifyitems(items):
    """Skip on machines that cannot make the faults."""
    lacking = None
    if os.geteuid() != 0:
        lacking = "faults of a mount need root"
    elif not LMODS:
        lacking = "no Lmod on this machine"
    if lacking:
        for item in items:
            if "ground" in getattr(item, "fixturenames", ()):
                item.add_marker(pytest.mark.skip(reason=lacking))


@pytest.fixture(scope="session")
def ground():
    """What the faults are tried on."""
    built = build_ground()
    yield built
    shutil.rmtree(built.root)


@pytest.fixture
def case(ground, request):
    """One case in a directory of its own; whatever is left of it ends with the test."""
    made = Case(ground, ground.root / "cases" / f"case{len(os.listdir(_cases(ground)))}")
    yield made
    made.end_processes()
    shutil.rmtree(made.directory / "mount", ignore_errors=True)


def _cases(ground):
    directory = ground.root / "cases"
    directory.mkdir(exist_ok=True)
    return directory


def pytest_terminal_summary(terminalreporter):
    """Count the combinations that were tried, and those that held."""
    tried = held = 0
    for word, reports in terminalreporter.stats.items():
        if word not in ("passed", "failed"):
            continue
        for report in reports:
            if report.when == "call" and "[" in report.nodeid and not report.nodeid.startswith(NOT_COUNTED):
                tried += 1
                held += word == "passed"
    terminalreporter.write_line(f"fault combinations: {tried} tried, {held} held")
