# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Read pytest's JUnit report."""

from xml.etree import ElementTree

from .outcome import Outcome


def read(path, status, label=""):
    """The Outcome of the pytest run that wrote `path` and exited with `status`.

    A run without a report, without a test, or with a bad status that no test accounts for, is a failure.
    """
    outcome = Outcome()
    prefix = f"{label}: " if label else ""
    try:
        cases = list(ElementTree.parse(path).iter("testcase"))
    except (OSError, ElementTree.ParseError) as error:
        outcome.fail(f"{prefix}no report of pytest (exit status {status}): {error}")
        return outcome
    for case in cases:
        name = f"{case.get('classname', '')}::{case.get('name', '')}"
        skipped = case.find("skipped")
        if case.find("failure") is not None or case.find("error") is not None:
            outcome.fail(f"{prefix}{name}")
        elif skipped is not None:
            outcome.skips.append(f"{prefix}{skipped.get('message') or 'no reason given'}")
        else:
            outcome.passed += 1
    if not cases:
        outcome.fail(f"{prefix}no test was found (exit status {status})")
    elif status != 0 and not outcome.failed:
        outcome.fail(f"{prefix}pytest exited {status}")
    return outcome
