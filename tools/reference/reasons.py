# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The reasons that the guard gives, taken from its source, and the section of the how-to that answers each."""

import ast
import re

from ansible_collections.eessi.arch_guard.plugins.module_utils.arch_guard.accelerator import NO_GPU, from_answer
from reference.blocks import anchor, code, table

GUARD = "plugins/module_utils/arch_guard"
HOW_TO = "docs/how-to/correct-a-message.md"
# What is called with a reason, and the functions that return one.
CALLS = frozenset(("ArchdetectFailed", "CannotCarry", "LmodFailed", "NoSoftwareDir", "ReloadFailed"))
FUNCTIONS = frozenset(("_nothing_installed", "_why", "not_available"))
# Where a task's failure gets its reason.
FILES = ("settings", "archdetect", "target", "accelerator", "taskprolog", "reload", "lmod", "messages", "node")
# Warnings and reasons that only the facts and the audit show.
FACTS_FUNCTIONS = frozenset(("_warnings", "_pin_warning"))
PLACE = re.compile(r"%[sd]")
SECTION = re.compile(r"^#{2,3} (.+)$", re.MULTILINE)


def reasons(root):
    """The forms of the reasons of failures, … standing for a value, without doubles, in the order of the files."""
    found = []
    for name in FILES:
        tree = ast.parse((root / GUARD / f"{name}.py").read_text(encoding="utf-8"))
        found += _texts(tree, CALLS, FUNCTIONS)
    return list(dict.fromkeys(found))


def warnings_of_facts(root):
    """The forms of the warnings in the facts."""
    tree = ast.parse((root / GUARD / "facts.py").read_text(encoding="utf-8"))
    return list(dict.fromkeys(_texts(tree, frozenset(), FACTS_FUNCTIONS)))


def no_accelerator(_root):
    """The forms of the reasons why there is no accelerator."""
    other = max(NO_GPU) + 1
    told = [from_answer(status, b"").reason for status in NO_GPU]
    return [*told, from_answer(other, b"").reason.replace(str(other), "…"), from_answer(0, b"").reason]


def sections(root):
    """Form -> heading of the section of the how-to in which it stands as code."""
    found = {}
    heading = ""
    for line in (root / HOW_TO).read_text(encoding="utf-8").split("\n"):
        if SECTION.fullmatch(line):
            heading = SECTION.fullmatch(line)[1]
        for form in re.findall(r"`([^`]+)`", line):
            found.setdefault(form, heading)
    return found


def failures(root):
    """The table of the reasons of failures. Raises ValueError for one that the how-to does not answer."""
    answered = sections(root)
    missing = [form for form in reasons(root) if form not in answered]
    if missing:
        raise ValueError(f"{HOW_TO} does not answer: {missing}")
    return table(("Reason", "What to do"), [
        (code(form), f"[{answered[form]}](../how-to/correct-a-message.md#{anchor(answered[form])})") for form in reasons(root)
    ])


def told_in_facts(root):
    """The list of the warnings in the facts."""
    return [f"- {code(form)}" for form in warnings_of_facts(root)]


def told_without_accelerator(root):
    """The list of the reasons why there is no accelerator."""
    return [f"- {code(form)}" for form in no_accelerator(root)]


def _texts(tree, calls, functions):
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and _is_given_a_reason(node, calls):
            yield from _constants(node)
        elif isinstance(node, ast.FunctionDef) and node.name in functions:
            body = node.body[1:] if ast.get_docstring(node) else node.body
            for statement in body:
                yield from _constants(statement)


def _is_given_a_reason(call, calls):
    if call.func.id != "AcceleratorTarget":
        return call.func.id in calls
    # Its other statuses are no failures.
    return bool(calls) and isinstance(call.args[0], ast.Name) and call.args[0].id == "ARCHDETECT_FAILED"


def _constants(tree):
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            form = PLACE.sub("…", node.value)
            # A text, and not a separator or a name.
            if len(re.findall(r"[a-z]{2,}", form)) >= 2 and " " in form:
                yield form
