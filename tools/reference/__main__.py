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
    differing = 0
    for page, tables in pages.TABLES.items():
        path = ROOT / "docs" / page
        text = path.read_text(encoding="utf-8")
        wanted = blocks.filled(text, {name: table(ROOT) for name, table in tables.items()})
        if wanted == text:
            continue
        differing += 1
        print(f"{'written' if options.write else 'differs from the code'}: docs/{page}")
        if options.write:
            path.write_text(wanted, encoding="utf-8")
    return 1 if differing and options.check else 0


if __name__ == "__main__":
    sys.exit(main())
