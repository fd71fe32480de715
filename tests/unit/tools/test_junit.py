# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reading pytest's report must never turn a broken run into a good one."""

import pytest

from orchestration import junit

CASES = "<testsuites><testsuite>{}</testsuite></testsuites>"
PASSED = '<testcase classname="a" name="b"/>'
FAILED = '<testcase classname="a" name="c"><failure message="x">x</failure></testcase>'
ERROR = '<testcase classname="a" name="d"><error message="x">x</error></testcase>'
SKIPPED = '<testcase classname="a" name="e"><skipped type="pytest.skip" message="no gcc here">x</skipped></testcase>'


@pytest.mark.parametrize(
    ("body", "status", "counts"),
    [
        (PASSED, 0, (1, 0, 0)),
        (PASSED + FAILED + ERROR + SKIPPED, 1, (1, 2, 1)),
        (PASSED, 3, (1, 1, 0)),
        ("", 5, (0, 1, 0)),
        (SKIPPED, 0, (0, 0, 1)),
    ],
)
def test_counts(tmp_path, body, status, counts):
    report = tmp_path / "report.xml"
    report.write_text(CASES.format(body))
    outcome = junit.read(report, status)
    assert (outcome.passed, outcome.failed, len(outcome.skips)) == counts


def test_reason_of_a_skip_is_kept(tmp_path):
    report = tmp_path / "report.xml"
    report.write_text(CASES.format(SKIPPED))
    assert junit.read(report, 0, "Python 3.6").skips == ["Python 3.6: no gcc here"]


@pytest.mark.parametrize("content", [None, "", "<testsuites>"])
def test_no_readable_report_is_a_failure(tmp_path, content):
    report = tmp_path / "report.xml"
    if content is not None:
        report.write_text(content)
    assert junit.read(report, 0).word == "failed"
