# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Marked blocks of Markdown pages, and the tables that go into them."""

import re

BLOCK = re.compile(r"(<!-- generated: begin ([\w-]+) -->\n).*?(<!-- generated: end -->\n)", re.DOTALL)


def names(text):
    """The names of the marked blocks in the text of a page, in their order."""
    return [found[2] for found in BLOCK.finditer(text)]


def filled(text, contents):
    """The text of a page with each marked block replaced by its entry of `contents` (name -> lines).

    Raises ValueError unless each name marks exactly one block.
    """
    if sorted(names(text)) != sorted(contents):
        raise ValueError(f"the page marks {sorted(names(text))}, wanted are {sorted(contents)}")
    return BLOCK.sub(lambda found: found[1] + "\n" + "\n".join(contents[found[2]]) + "\n\n" + found[3], text)


def table(head, rows):
    """The lines of a Markdown table; cells are Markdown, and a | in one is escaped."""
    return [_row(head), _row(["---"] * len(head)), *map(_row, rows)]


def _row(cells):
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def anchor(heading):
    """The anchor that GitHub makes of a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def code(text):
    """Text as Markdown code."""
    return f"`{text}`"
