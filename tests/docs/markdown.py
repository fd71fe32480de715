# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Markdown pages of the project, and what is in them: code blocks, links, headings."""

import re
from dataclasses import dataclass
from pathlib import Path

from reference.blocks import anchor

ROOT = Path(__file__).resolve().parents[2]
FENCE = re.compile(r"^( *)```(.*)$")
DIRECTIVE = re.compile(r"^ *<!-- (transcript|not run): (.+) -->$")
LINK = re.compile(r"!?\[[^\]]*\]\(([^()\s]+)\)")
HEADING = re.compile(r"^#{1,6} (.+)$")
PROMPT, MORE = "$ ", "> "
HERE = "<<"


@dataclass(frozen=True)
class Block:
    """A fenced block. line: where it starts. language: its info string. text: what is in it, without indentation.

    world: where a transcript is run ("" unless it is said); reason: why a block is not run, or "".
    """

    line: int
    language: str
    text: str
    world: str = ""
    reason: str = ""

    def commands(self):
        """[(command, expected lines)] of a console block; a command goes on below after a backslash at its
        end, and where it has a here document in lines that start with >."""
        found = []
        goes_on = False
        for line in self.text.splitlines():
            if goes_on:
                found[-1] = (f"{found[-1][0]}\n{line}", [])
            elif line.startswith(MORE) and found and HERE in found[-1][0]:
                found[-1] = (f"{found[-1][0]}\n{line.removeprefix(MORE)}", [])
            elif line.startswith(PROMPT):
                found.append((line.removeprefix(PROMPT), []))
            elif found:
                found[-1][1].append(line)
            else:
                raise ValueError(f"line {self.line}: a console block that does not start with a command")
            goes_on = line.endswith("\\") and (goes_on or line.startswith(PROMPT))
        return found


def pages():
    """The pages of the project, as paths relative to its root."""
    found = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "roles").rglob("*.md")]
    # The changelog is made from fragments.
    return sorted(path.relative_to(ROOT).as_posix() for path in found if path.name != "CHANGELOG.md")


def read(page):
    return (ROOT / page).read_text(encoding="utf-8")


def blocks(text):
    """The fenced blocks of a page, each with what the comment right above it says."""
    found = []
    said = {}
    lines = iter(enumerate(text.split("\n"), 1))
    for number, line in lines:
        fence, directive = FENCE.match(line), DIRECTIVE.match(line)
        if directive:
            said = {"world" if directive[1] == "transcript" else "reason": directive[2]}
        elif fence:
            inside = []
            for _number, line in lines:
                if line.strip() == "```":
                    break
                inside.append(line.removeprefix(fence[1]))
            else:
                raise ValueError(f"line {number}: a block without an end")
            found.append(Block(number, fence[2], "\n".join(inside), **said))
            said = {}
        elif line.strip():
            said = {}
    return found


def prose(text):
    """The page without its fenced blocks."""
    return re.sub(r"^( *)```.*?^ *```$", "", text, flags=re.DOTALL | re.MULTILINE)


def links(text):
    """The targets of all links and pictures."""
    return LINK.findall(prose(text))


def anchors(text):
    """The anchors that the headings of a page make."""
    headings = [HEADING.match(line) for line in prose(text).split("\n")]
    return {anchor(heading[1]) for heading in headings if heading}


def table_rows(text, head):
    """The rows (lists of cells) of the first table whose head starts with the cells `head`. Raises ValueError."""
    wanted = "| " + " | ".join(head)
    lines = text.split("\n")
    for number, line in enumerate(lines):
        if line.startswith(wanted):
            rows = []
            for row in lines[number + 2:]:
                if not row.startswith("|"):
                    break
                rows.append([cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", row)[1:-1]])
            return rows
    raise ValueError(f"no table with the head {head}")
