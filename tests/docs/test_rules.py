# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Each rule of the reference has tests that are there."""

import ast
import re
from functools import cache

from docs import markdown
from docs.markdown import ROOT

PAGE = "docs/reference/detection-and-matching.md"
RULE = re.compile(r"^- \*\*([A-Z]\d+)\*\* ", re.MULTILINE)


def proofs():
    """Rule -> the tests that the table names."""
    rows = markdown.table_rows(markdown.read("docs/reference/rules.md"), ["Rule", "Tests"])
    return {rule: re.findall(r"`([^`]+)`", tests) for rule, tests in rows}


@cache
def names_in(path):
    """The names of the tests in a file below tests/ that ends with `path`; none where no file or several do."""
    found = [file for file in (ROOT / "tests").rglob("test_*.py") if file.as_posix().endswith("/" + path)]
    if len(found) != 1:
        return frozenset()
    tree = ast.parse(found[0].read_text(encoding="utf-8"))
    return frozenset(node.name for node in tree.body if isinstance(node, ast.FunctionDef))


def is_there(test):
    path, _colons, name = test.partition("::")
    return name in names_in(path)


def test_every_rule_is_in_the_table_and_every_row_is_a_rule():
    rules = RULE.findall(markdown.read(PAGE))
    assert len(rules) == len(set(rules)) >= 40
    assert list(proofs()) == rules


def test_every_rule_has_a_test_that_is_there():
    assert {rule: [test for test in tests if not is_there(test)] for rule, tests in proofs().items()} == {
        rule: [] for rule in proofs()
    }
    assert all(proofs().values())


def test_a_test_that_is_not_there_is_found():
    assert is_there("docs/test_rules.py::test_a_test_that_is_not_there_is_found")
    assert not is_there("docs/test_rules.py::test_of_nothing")
    assert not is_there("docs/test_of_nothing.py::test_of_nothing")
    # Two folders have a file of this name.
    assert not is_there("test_module.py::test_program")
