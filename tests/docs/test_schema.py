# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The facts of real and of broken nodes are as their schema says."""

import json

import jsonschema
import pytest

from ansible_collections.eessi.arch_guard.plugins.module_utils.arch_guard import facts
from ansible_collections.eessi.arch_guard.plugins.module_utils.arch_guard.node import Node
from docs.markdown import ROOT
from reference import pages
from sample.nodes import SAMPLE_NODES
from sample.tree import build_repository

SCHEMA = json.loads((ROOT / "docs" / "reference" / "facts.schema.json").read_text(encoding="utf-8"))
NOT_INSTALLED = {"installed": False, "version": None, "path": None, "intact": None, "wired": None}
INSTALLED = {"installed": True, "version": "1.0.0", "path": "/opt/guard", "intact": True, "wired": False}
UNKNOWN = {"installed": True, "version": None, "path": None, "intact": None, "wired": None}


@pytest.fixture(scope="module")
def repository(tmp_path_factory):
    return build_repository(tmp_path_factory.mktemp("eessi"))


def gather(environ=None, prolog=None, **options):
    base = {"PATH": "/usr/bin:/bin", "EESSI_STUB_NVIDIA_SMI": "none", **(environ or {})}
    return facts.gather(facts.Options(**options), Node(base), prolog or NOT_INSTALLED)


def check(found):
    jsonschema.Draft202012Validator(SCHEMA).validate(found)


def test_the_schema_is_that_of_the_module():
    assert {name: make(ROOT) for name, make in pages.FILES.items()} == {
        name: (ROOT / "docs" / name).read_text(encoding="utf-8") for name in pages.FILES
    }


@pytest.mark.parametrize("node", SAMPLE_NODES, ids=lambda node: node.name)
def test_sample_nodes(repository, node):
    check(gather(
        node.stub_environment(), INSTALLED, prefix=str(repository.prefix), proc_cpuinfo=str(node.cpuinfo_path),
        machine_type=node.machine_type, loaded_cpu="x86_64/amd/zen4", loaded_accelerator="",
    ))


BROKEN = {
    "no EESSI": {"prefix": "/nonexistent"},
    "a prefix that is refused": {"prefix": "relative"},
    "no prefix at all": {},
    "no flags": {"proc_cpuinfo": "/dev/null", "machine_type": "aarch64"},
    "another machine type": {"machine_type": "m68k"},
    "nothing installed": {"os_type": "plan9"},
}


@pytest.mark.parametrize("options", BROKEN.values(), ids=BROKEN)
def test_nodes_that_are_broken(repository, options):
    if "prefix" not in options and options:
        options = {"prefix": str(repository.prefix), **options}
    check(gather(prolog=UNKNOWN, **options))


@pytest.mark.parametrize("status", [0, 2, 3, 7])
def test_accelerators_that_are_broken(repository, status):
    environ = {"EESSI_STUB_ACCELPATH": "WARNING: what", "EESSI_STUB_ACCELPATH_STATUS": str(status)}
    check(gather(environ, prefix=str(repository.prefix), loaded_cpu="x86_64/generic", loaded_accelerator="accel/nvidia/cc80"))


def test_facts_that_are_otherwise_are_refused(repository):
    found = gather(prefix=str(repository.prefix))
    for change in ({"more": 1}, {"guard_version": None}, {"warnings": "text"}, {"cpu": {**found["cpu"], "candidates": [{}]}}):
        with pytest.raises(jsonschema.ValidationError):
            check({**found, **change})
