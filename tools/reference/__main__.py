# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Write the tables of docs/ that mirror code, or compare them: `tools/reference --write`, `tools/reference --check`.

Needs PyYAML; `.cache/venvs/main/bin/python`, which `make unit` makes, has it.
"""

import argparse
import sys
from pathlib import Path

# The package that this file is part of, the collection as Ansible names it, and the versions that tests run.
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / ".collections"))
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests" / "tools"))

from reference import blocks, pages

ROOT = Path(__file__).resolve().parents[2]


def main(arguments=None):
    """Do what the command line says; return 1 where a table differed, else 0."""
    parser = argparse.ArgumentParser(prog="tools/reference", description="Tables of docs/ that mirror code.")
    action = parser.add_mutually_exclusive_group(required=True)
    action.add_argument("--check", action="store_true", help="compare, name the pages that differ")
    action.add_argument("--write", action="store_true", help="rewrite the pages that differ")
    options = parser.parse_args(arguments)
    differing = [(page, text) for page, text in made() if text != _read(page)]
    for page, text in differing:
        print(f"{'written' if options.write else 'differs from the code'}: docs/{page}")
        if options.write:
            (ROOT / "docs" / page).write_text(text, encoding="utf-8")
    return 1 if differing and options.check else 0


def made():
    """Yield (path below docs/, text as the code has it) of each page with tables and of each file that is made."""
    for page, tables in pages.TABLES.items():
        yield page, blocks.filled(_read(page), {name: table(ROOT) for name, table in tables.items()})
    for name, make in pages.FILES.items():
        yield name, make(ROOT)


def _read(page):
    path = ROOT / "docs" / page
    return path.read_text(encoding="utf-8") if path.exists() else ""


if __name__ == "__main__":
    sys.exit(main())
