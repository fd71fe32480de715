# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later

"""What unit tests share."""

import os
import sys

import pytest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


@pytest.fixture
def collections_path():
    """Return the directory from which ansible_collections is importable."""
    return os.path.join(ROOT, ".collections")


@pytest.fixture
def python():
    """Return the path of the interpreter that runs the tests."""
    return sys.executable
