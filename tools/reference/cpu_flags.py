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
    return table(("Target", "EESSI's rule", "March", "The guard checks"), [
        (code(target), " ".join(asked), march_of(target), code(WAITPKG) if WAITPKG in checked(target) else "nothing more")
        for target, asked in rules(root).items()
    ])


def unchecked(root):
    """The table of what nobody checks: in the march, neither in EESSI's rule nor checked by the guard."""
    return table(("Target", "In its march and not checked"), [
        (code(target), " ".join(flag for flag in march_flags(target) if flag not in {*asked, *checked(target)}))
        for target, asked in rules(root).items()
    ])


def march_of(target):
    """What -march says for a target."""
    return LEAF_MARCH[target.rpartition("/")[2]]


def march_flags(target):
    """The flags of its march, sorted."""
    return MARCH_FLAGS[march_of(target)]


def checked(target):
    """The flags (a set) for lack of which the guard excludes a target."""
    return {WAITPKG} if needs_waitpkg(target) else set()


def marches(_root):
    """The list of the marches that need waitpkg."""
    return [", ".join(map(code, sorted(WAITPKG_MARCHES))) + "."]
