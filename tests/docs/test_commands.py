# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The Makefile, the workflow, the pages and the collection name the same things."""

import re

import yaml

from docs import markdown
from docs.markdown import ROOT

MAKE = re.compile(r"(?:^|[`$ ])make ([a-z][a-z-]*)")


def targets():
    text = (ROOT / "Makefile").read_text(encoding="utf-8")
    return set(re.search(r"^\.PHONY: (.+)$", text, re.MULTILINE)[1].split())


def commands_in_pages():
    """The targets of make that pages name, in code."""
    named = set()
    for page in markdown.pages():
        text = markdown.read(page)
        code = re.findall(r"`([^`\n]+)`", text) + [
            command for block in markdown.blocks(text) if block.language == "console" for command, _lines in block.commands()
        ]
        named |= {found for words in code for found in MAKE.findall(words)}
    return named


def test_every_target_that_is_named_exists():
    assert len(commands_in_pages()) >= 8
    assert commands_in_pages() - targets() == set()


def test_the_help_of_make_names_every_target():
    text = (ROOT / "Makefile").read_text(encoding="utf-8")
    helped = {word for line in re.findall(r'@echo "make ([^"]+)"', text) for word in re.findall(r"[a-z][a-z-]+", line[:34])}
    assert targets() - helped - {"help"} == set()


def test_the_workflow_runs_the_commands_of_the_project():
    workflow = yaml.safe_load((ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8"))
    job = workflow["jobs"]["run"]
    assert job["steps"][-1]["run"] == "${{ matrix.command }}"
    commands = {run["command"] for run in job["strategy"]["matrix"]["include"]}
    assert commands == {".ci/run", "make docs", "make release-check"}
    assert (ROOT / ".ci" / "run").is_file()
    assert {command.removeprefix("make ") for command in commands - {".ci/run"}} <= targets()


def test_the_readme_lists_the_content_of_the_collection():
    listed = {
        (kind, name)
        for cell, _text in markdown.table_rows(markdown.read("README.md"), ["content", "what it does"])
        for kind, name in re.findall(r"(\w+) `(\w+)`", cell)
    }
    there = {("module", path.stem) for path in (ROOT / "plugins" / "modules").glob("*.py")}
    there |= {("role", path.name) for path in (ROOT / "roles").iterdir()}
    there |= {("playbook", path.stem) for path in (ROOT / "playbooks").glob("*.yml")}
    assert listed == there


def test_documented_ansible_doc_commands_name_what_is_there():
    named = {name for page in markdown.pages() for name in re.findall(r"eessi\.arch_guard\.(\w+)", markdown.read(page))}
    there = {path.stem for folder in ("plugins/modules", "playbooks") for path in (ROOT / folder).iterdir()}
    assert named - there - {path.name for path in (ROOT / "roles").iterdir()} == set()
