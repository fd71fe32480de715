# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: BSD-2-Clause

"""Strings that are safe to show: one line, valid UTF-8, bounded."""

SHOWN = 200


def clean(value, limit=SHOWN):
    """Return ``value`` (str or bytes, from anywhere) as one printable line of at most ``limit`` characters.

    Control characters, line separators, direction marks, lone surrogates and bytes that are no UTF-8 become
    backslash escapes, so that the reader sees what was there and a terminal does not act on it.
    """
    if isinstance(value, bytes):
        value = value[:4 * limit + 4].decode("utf-8", "backslashreplace")
    shown = []
    size = 0
    for char in value[:limit + 1]:
        if not char.isprintable():
            char = char.encode("unicode_escape").decode("ascii")
        size += len(char)
        if size > limit:
            shown.append("...")
            break
        shown.append(char)
    return "".join(shown)
