# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every command of every page does what the page shows."""

import json
import os
import re
import tempfile
from pathlib import Path

import pytest
import yaml

from docs import markdown, session
from docs.worlds import WORLDS
from harness.lmod import find_lmods

CONSOLE = "console"
# What a block may be. Commands are in console blocks, so that they are run.
LANGUAGES = {CONSOLE, "json", "yaml", "text", ""}
STARTS_A_SHELL = re.compile(r"playground\.py")
NEEDS_ROOT = re.compile(r"ansible-playbook ")
HAS_COMMANDS = [
    (page, world)
    for page in markdown.pages()
    for world in dict.fromkeys(
        block.world or "checkout"
        for block in markdown.blocks(markdown.read(page)) if block.language == CONSOLE and not block.reason
    )
]


@pytest.fixture
def work():
    # Not tmp_path: pytest keeps that to the user who runs the tests, and the role looks as another one.
    with tempfile.TemporaryDirectory(prefix="arch-guard-docs-") as folder:
        os.chmod(folder, 0o755)
        yield Path(folder).resolve()


def play(world, page_blocks):
    """Run the commands of console blocks in a world; returns one text for each command that did something else."""
    pairs = [pair for block in page_blocks for pair in block.commands()]
    commands = [*world.before, *(world.real(command) for command, _expected in pairs)]
    shells = [number for number, command in enumerate(commands) if STARTS_A_SHELL.search(command)]
    results = session.run(commands, world.environment, world.cwd, shells)[len(world.before):]
    wrong = []
    for number, ((command, expected), result) in enumerate(zip(pairs, results, strict=True)):
        result = session.Result(world.shown(result.output), result.status)
        wrong.append(session.difference(command, expected, result))
        asked_for_status = number + 1 < len(pairs) and pairs[number + 1][0] == "echo $?"
        if result.status != 0 and not asked_for_status and number + len(world.before) not in shells and command != "exit":
            wrong.append(f"$ {command}\nended with status {result.status}:\n{result.output}")
    return list(filter(None, wrong))


@pytest.mark.parametrize("page, name", HAS_COMMANDS, ids=lambda value: value)
def test_a_page(page, name, work):
    chosen = [
        block for block in markdown.blocks(markdown.read(page))
        if block.language == CONSOLE and not block.reason and (block.world or "checkout") == name
    ]
    if name != "fleet" and not find_lmods():
        pytest.skip("no Lmod on this machine")
    if os.geteuid() != 0 and any(NEEDS_ROOT.search(block.text) for block in chosen):
        pytest.skip("the role installs files of root")
    wrong = play(WORLDS[name](work), chosen)
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("page", markdown.pages())
def test_each_block_is_of_a_kind_that_is_checked(page):
    for block in markdown.blocks(markdown.read(page)):
        assert block.language in LANGUAGES, f"{page}:{block.line}"
        if block.language == CONSOLE:
            assert block.commands(), f"{page}:{block.line}"
        elif block.language == "json":
            assert json.loads(block.text), f"{page}:{block.line}"
        elif block.language == "yaml":
            assert yaml.safe_load(block.text), f"{page}:{block.line}"
        else:
            assert not re.search(r"^\$ ", block.text, re.MULTILINE), f"{page}:{block.line}: a command that nobody runs"
        assert not block.reason or len(block.reason.split()) >= 4, f"{page}:{block.line}: no reason"


WRONG = [
    ("$ echo one\ntwo", "one"),
    ("$ echo one", "one"),
    ("$ echo one\none\n$ printf 'a\\nb\\n'\na", "b"),
    ("$ printf 'a\\nb\\n'\n...\nc", "b"),
    ("$ false", "status 1"),
    ("$ cd /nonexistent 2>/dev/null\n$ echo $?\n2", "1"),
]


@pytest.mark.parametrize("text, told", WRONG)
def test_a_transcript_that_lies_is_found(text, told, work):
    wrong = play(WORLDS["checkout"](work), [markdown.Block(1, CONSOLE, text)])
    assert len(wrong) == 1
    assert told in wrong[0]


RIGHT = [
    "$ echo one\none",
    "$ X=1\n$ echo $X\n1",
    "$ false\n$ echo $?\n1",
    "$ seq 9\n1\n...\n9",
    "$ echo a b c\na ...",
    "$ printf '%s\\n' a \\\n    b\na\nb",
    "$ cat",
]


@pytest.mark.parametrize("text", RIGHT)
def test_a_transcript_that_is_true_passes(text, work):
    assert play(WORLDS["checkout"](work), [markdown.Block(1, CONSOLE, text)]) == []
