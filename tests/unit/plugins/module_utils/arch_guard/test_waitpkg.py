# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later

"""Which candidates need waitpkg."""

import pytest

from ansible_collections.eessi.arch_guard.plugins.module_utils.arch_guard import waitpkg

NEED = [
    "alderlake", "arrowlake", "arrowlake_s", "clearwaterforest", "diamondrapids", "grandridge", "graniterapids",
    "graniterapids_d", "novalake", "pantherlake", "sapphirerapids", "sierraforest", "tremont",
]
NEED_NOT = [
    "generic", "haswell", "skylake_avx512", "cascadelake", "icelake", "zen2", "zen3", "zen4", "zen5", "zen6", "znver6",
    "sapphirerapids2", "xtremont", "Tremont", "lunarlake2", "", "x86_64", "sapphirerapids_", "arrowlake_",
]


def test_the_set():
    assert set(NEED) == waitpkg.WAITPKG_MARCHES


@pytest.mark.parametrize("leaf", NEED)
def test_needed(leaf):
    assert waitpkg.needs_waitpkg("x86_64/intel/" + leaf)
    assert waitpkg.needs_waitpkg(leaf)


@pytest.mark.parametrize("leaf", NEED_NOT)
def test_not_needed(leaf):
    assert not waitpkg.needs_waitpkg("x86_64/intel/" + leaf)


def test_only_the_last_segment_counts():
    assert not waitpkg.needs_waitpkg("x86_64/sapphirerapids/generic")


def test_the_spelling_of_gcc_is_understood_too():
    assert waitpkg.needs_waitpkg("x86_64/intel/graniterapids-d")
