# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later

"""Files with the facts of one node a line, as srun or clush bring them -> answers, and the lines that are damaged."""

import json
import re

from ...module_utils.arch_guard.text import clean
from .answer import OK, Answer
from .shape import BadFacts

LONGEST_LINE = 1 << 20
# What the guard tells a user; srun brings it too where modules of EESSI were loaded.
SPOKEN = re.compile(r"^(?:[^\s{]{1,255}: ?)?eessi-arch-guard: ")
# What srun -l and clush put in front of a line: a task number or the name of the node.
PREFIX = re.compile(r"^([^\s{]{1,255}): ?(?=\{)")
SHOWN = 60


class Damaged(object):
    """A line that is no facts. ``file``: str; ``line``: its number from 1; ``reason``, ``start``: one clean line each."""

    def __init__(self, file, line, reason, start):
        self.file = file
        self.line = line
        self.reason = reason
        self.start = start


class Read(object):
    """``answers``: list of Answer, of each node and EESSI version the last; ``damaged``: list of Damaged;
    ``lines``: how many lines were read that are not empty and no messages of the guard; ``repeated``: how many of
    them a later line replaced.
    """

    def __init__(self):
        self.answers = []
        self.damaged = []
        self.lines = 0
        self.repeated = 0


def read(files, checker):
    """Return the Read of ``files``, a list of (name, binary file open for reading). ``checker``: shape.Checker."""
    found = Read()
    latest = {}
    for name, file in files:
        for number, line in enumerate(_lines(file), 1):
            text = line.decode("utf-8", "replace").strip()
            if not text or SPOKEN.match(text):
                continue
            found.lines += 1
            try:
                answer = _answer(text, len(line) > LONGEST_LINE, checker)
            except BadFacts as error:
                found.damaged.append(Damaged(clean(name), number, str(error), clean(text, SHOWN)))
                continue
            key = (answer.node, answer.facts["eessi"]["prefix"])
            found.repeated += key in latest
            latest[key] = answer
    found.answers = list(latest.values())
    return found


def _lines(file):
    """Yield the lines; of one that is too long a little more than what is allowed."""
    while True:
        line = file.readline(LONGEST_LINE + 1)
        if not line:
            return
        rest = line
        while len(rest) > LONGEST_LINE and not rest.endswith(b"\n"):
            rest = file.readline(LONGEST_LINE + 1)
        yield line


def _answer(text, too_long, checker):
    """Return the Answer of one line; raise BadFacts."""
    if too_long:
        raise BadFacts("longer than %d bytes" % LONGEST_LINE)
    prefix = PREFIX.match(text)
    try:
        facts = json.loads(text[prefix.end():] if prefix else text)
    except ValueError as error:
        raise BadFacts("no JSON: %s" % clean(str(error))) from error
    except RecursionError as error:
        raise BadFacts("no JSON: nested too deeply") from error
    checked = checker.checked(facts)
    node = facts.get("node") or (prefix and prefix.group(1))
    if not isinstance(node, str):
        raise BadFacts("no name: facts.node is missing, and no name stands in front of the line")
    return Answer(checker.text(node), OK, "", checked)
