# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""One Slurm cluster for all tests here."""

import stat
from pathlib import Path

import pytest

from slurm.cluster import Cluster
from slurm.requirements import why_not

ROOT = Path(__file__).resolve().parents[2]


def in_tmp(*paths):
    """Return those of the paths that lie under /tmp, which the nodes would not see otherwise."""
    return [path for path in paths if path.is_relative_to("/tmp")]


@pytest.fixture(scope="session")
def cluster(tmp_path_factory):
    """The running cluster; it sees the checkout and the tests' temporary directories wherever they are."""
    reason = why_not()
    if reason:
        pytest.skip(reason)
    base = tmp_path_factory.getbasetemp()
    for directory in (base, base.parent):
        # The user of the cluster may go through it.
        directory.chmod(stat.S_IMODE(directory.stat().st_mode) | 0o011)
    with Cluster(shared=in_tmp(ROOT, base)) as running:
        yield running


@pytest.fixture
def public_path(tmp_path):
    """Return a temporary directory that the user of the cluster can read."""
    tmp_path.chmod(0o755)
    return tmp_path


@pytest.fixture
def task_prolog(cluster):
    """Return a function that makes a script of these lines the TaskProlog until the test ends."""

    def wire(*lines):
        path = cluster.directory / "task-prolog"
        path.write_text("\n".join(("#!/bin/sh", *lines, "")))
        path.chmod(0o755)
        cluster.configure(task_prolog=path)

    yield wire
    cluster.configure()
