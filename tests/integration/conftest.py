# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later

"""What integration tests share: a sample repository, and facts of a node that has it."""

import os
import shutil
import time
from pathlib import Path

import pytest

from ansible_collections.eessi.arch_guard.plugins.module_utils.arch_guard import facts, installation
from ansible_collections.eessi.arch_guard.plugins.module_utils.arch_guard.node import Node
from sample.tree import build_repository

SHARED = Path(__file__).resolve().parents[2].parent / "shared" / "data" / "archdetect"
# A checkout of EESSI's own scripts (a directory that has init/), to run the same tests with the real script.
EESSI_SCRIPTS = os.environ.get("EESSI_SCRIPTS")


def recorded_nodes():
    """Return the cpuinfo files that EESSI recorded with the right answers, where they lie beside the checkout."""
    return sorted(SHARED.rglob("*.cpuinfo"))


def recorded_answer(cpuinfo):
    """Return the candidates (list) that EESSI's script gives for a recorded file."""
    return cpuinfo.with_suffix(".all.output").read_text().strip().split(":")


def put_script(repository):
    """Put EESSI's own detection into the repository in place of the stub, where a checkout of it was given."""
    if EESSI_SCRIPTS:
        shutil.copytree(Path(EESSI_SCRIPTS) / "init", repository.init_prefix, dirs_exist_ok=True)
    return repository


@pytest.fixture(scope="session")
def recorded_repository(tmp_path_factory):
    """A repository that has a directory for every candidate that is recorded, and for the usual ones."""
    names = {name for cpuinfo in recorded_nodes() for name in recorded_answer(cpuinfo)}
    names |= {"x86_64/generic", "x86_64/intel/icelake", "x86_64/intel/sapphirerapids", "x86_64/amd/zen4"}
    root = tmp_path_factory.mktemp("recorded")
    return put_script(build_repository(root, cpu_targets=sorted(names), accel_targets={}))


@pytest.fixture(scope="session")
def repository(tmp_path_factory):
    """A sample repository with the stub, whatever was given."""
    return build_repository(tmp_path_factory.mktemp("sample"))


@pytest.fixture
def script_repository(tmp_path):
    """Return a function that builds a repository with one target whose detection is the given script text."""

    def build(text, targets=("x86_64/generic",)):
        script = tmp_path / "script.sh"
        script.write_text(text)
        return build_repository(tmp_path / "repository", cpu_targets=targets, accel_targets={}, init_script=script)

    return build


@pytest.fixture
def gather():
    """Return a function that gathers facts in this process: options by name, environ for the node's environment."""

    def run(repository=None, environ=None, **options):
        if repository is not None:
            options.setdefault("prefix", str(repository.prefix))
        base = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "EESSI_STUB_NVIDIA_SMI": "none"}
        base.update(environ or {})
        begin = time.monotonic()
        found = facts.gather(facts.Options(**options), Node(base), installation.describe())
        found["seconds"] = time.monotonic() - begin
        return found

    return run


def strings_of(value):
    """Return all strings in a plain value."""
    if isinstance(value, dict):
        return [text for key, item in value.items() for text in [key, *strings_of(item)]]
    if isinstance(value, list):
        return [text for item in value for text in strings_of(item)]
    return [value] if isinstance(value, str) else []


def shape_of(value):
    """Return the keys of nested dicts; what a value is inside lists and at the ends does not matter."""
    if isinstance(value, dict):
        return {key: shape_of(item) if key != "missing_march_flags" else "..." for key, item in value.items()}
    return "..."
