# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What EESSI asks of a CPU, what the compiler uses, and what the guard checks of the difference."""

import re

from ansible_collections.eessi.arch_guard.plugins.module_utils.arch_guard.march_flags import LEAF_MARCH, MARCH_FLAGS
from ansible_collections.eessi.arch_guard.plugins.module_utils.arch_guard.waitpkg import (
    WAITPKG,
    WAITPKG_MARCHES,
    needs_waitpkg,
)
from reference.blocks import code, table

STUB = "tests/stubs/eessi_archdetect.sh"
OFFER = re.compile(r"^ +offer (x86_64/\S+) (.+)$", re.MULTILINE)
AVX512 = re.compile(r'avx512="([^"]+)"')


def rules(root):
    """x86_64 target -> the flags that EESSI's detection asks for, as the stand-in of it has them."""
    text = (root / STUB).read_text(encoding="utf-8")
    words = AVX512.search(text)[1]
    return {target: flags.replace("$avx512", words).split() for target, flags in OFFER.findall(text)}


def targets(root):
    """The table of EESSI's x86_64 targets."""
    rows = []
    for target, asked in rules(root).items():
        march = LEAF_MARCH[target.rpartition("/")[2]]
        more = [flag for flag in MARCH_FLAGS[march] if flag not in asked]
        checked = [flag for flag in more if flag == WAITPKG and needs_waitpkg(target)]
        rows.append((
            code(target), " ".join(asked), code("-march=" + march), " ".join(map(code, checked)) or "none",
            " ".join(flag for flag in more if flag not in checked),
        ))
    return table(("Target", "EESSI's rule", "Compiler", "Checked beyond the rule", "Used by the compiler and not checked"), rows)


def marches(_root):
    """The list of the marches that need waitpkg."""
    return [", ".join(map(code, sorted(WAITPKG_MARCHES))) + "."]
