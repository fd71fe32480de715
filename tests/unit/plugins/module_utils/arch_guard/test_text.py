# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later

"""Strings that are safe to show."""

import pytest

from ansible_collections.eessi.arch_guard.plugins.module_utils.arch_guard.text import clean

SHOWN = [
    ("plain text", "plain text"),
    ("ä µ 雪", "ä µ 雪"),
    ("", ""),
    (b"bytes", "bytes"),
    ("a\nb\r\tc", "a\\nb\\r\\tc"),
    ("\x1b[31m", "\\x1b[31m"),
    ("\x00\x7f\x9b", "\\x00\\x7f\\x9b"),
    ("\u2028\u202e", "\\u2028\\u202e"),
    ("\udcff", "\\udcff"),
    (b"\xff\xfe", "\\xff\\xfe"),
    ("a" * 200, "a" * 200),
    ("a" * 201, "a" * 200 + "..."),
    ("ä" * 200, "ä" * 200),
]


@pytest.mark.parametrize("value, shown", SHOWN)
def test_clean(value, shown):
    assert clean(value) == shown


@pytest.mark.parametrize("value", ["\0" * 70000, "a" * 70000, b"\xff" * 70000, "雪" * 70000])
def test_clean_is_bounded_and_one_line_of_utf8(value):
    shown = clean(value, 50)
    assert len(shown) <= 53
    assert shown.isprintable()
    assert shown.encode("utf-8")
