# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later

"""The table of -march flags, and what a CPU lacks of one."""

import pathlib
import re

import pytest

from ansible_collections.eessi.arch_guard.plugins.module_utils.arch_guard.march_flags import (
    KNOWN_DIFFERENCES,
    LEAF_MARCH,
    MARCH_FLAGS,
    OPTION_FLAGS,
    OPTIONS_WITHOUT_FLAG,
)
from ansible_collections.eessi.arch_guard.plugins.module_utils.arch_guard.missing_flags import missing_march_flags
from ansible_collections.eessi.arch_guard.plugins.module_utils.arch_guard.waitpkg import WAITPKG_MARCHES

ROOT = pathlib.Path(__file__).resolve().parents[5]
CPUINFO_FILES = ROOT.parent / "shared" / "data" / "archdetect" / "x86_64"

EESSI_LEAVES = (
    "generic", "haswell", "skylake_avx512", "cascadelake", "icelake", "sapphirerapids", "zen2", "zen3", "zen4", "zen5",
)

# What the kernels and hypervisors of these machines hid, read off the files by hand.
MISSING_IN_REAL_FILES = {
    "amd/zen2/Azure-CentOS7-7V12": ["monitor", "mwaitx", "rdpid", "wbnoinvd", "xsaves"],
    "amd/zen3/Azure-CentOS7-7V73X": ["monitor", "mwaitx", "pku", "rdpid", "wbnoinvd", "xsaves"],
    "amd/zen4/Azure-Alma8-9V33X": ["monitor", "mwaitx", "pku", "wbnoinvd"],
    "amd/zen4/Shinx-RHEL8-9654": [],
    "amd/zen5/AWS-Rocky9-9R45": ["mwaitx"],
    "amd/zen5/RUG-AlmaLinux8-9575F": [],
    "intel/cascadelake/AWS-Rocky8-8259CL": ["hle", "monitor", "sgx"],
    "intel/haswell/archspec-linux-E5-2680-v3": ["hle"],
    "intel/icelake/AWS-Rocky8-8375C": ["hle", "monitor", "pconfig", "sgx"],
    "intel/sapphirerapids/AWS-Rocky8-8488C": ["enqcmd", "hle", "pconfig", "sgx", "tsxldtrk"],
    "intel/skylake_avx512/archspec-linux-6132": ["pku", "sgx", "xsaves"],
}


def common_flags(text):
    """Return the flags that every flags line of ``text`` has."""
    lines = re.findall(r"^flags[ \t]*:(.*)$", text, re.IGNORECASE | re.MULTILINE)
    return frozenset.intersection(*(frozenset(line.split()) for line in lines))


@pytest.mark.parametrize("march", sorted(MARCH_FLAGS))
def test_flags_of_a_march_are_sorted_unique_names_of_the_kernel(march):
    flags = MARCH_FLAGS[march]
    assert list(flags) == sorted(set(flags))
    assert set(flags) <= set(OPTION_FLAGS.values())
    assert set(MARCH_FLAGS["x86-64"]) <= set(flags)


def test_every_leaf_has_a_march_and_every_march_a_leaf():
    assert set(LEAF_MARCH.values()) == set(MARCH_FLAGS)
    assert set(EESSI_LEAVES) <= set(LEAF_MARCH)


def test_no_option_is_both_mapped_and_without_a_flag():
    assert not set(OPTION_FLAGS) & set(OPTIONS_WITHOUT_FLAG)
    assert all(OPTIONS_WITHOUT_FLAG.values())


def test_waitpkg_is_in_exactly_the_marches_that_are_excluded_for_it():
    with_waitpkg = {march.replace("-", "_") for march, flags in MARCH_FLAGS.items() if "waitpkg" in flags}
    assert with_waitpkg == WAITPKG_MARCHES


def test_known_differences_differ_from_the_table():
    for marches in KNOWN_DIFFERENCES.values():
        for march, entry in marches.items():
            assert entry["more"] or entry["fewer"]
            assert entry["reason"]
            assert not set(entry["more"]) & set(MARCH_FLAGS[march])
            assert set(entry["fewer"]) <= set(MARCH_FLAGS[march])


@pytest.mark.parametrize("leaf, march, present, absent", [
    ("generic", "x86-64", "sse2", "pni"),
    ("haswell", "haswell", "avx2", "adx"),
    ("skylake_avx512", "skylake-avx512", "avx512bw", "avx512_vnni"),
    ("cascadelake", "cascadelake", "avx512_vnni", "avx512_bf16"),
    ("icelake", "icelake-server", "avx512_vpopcntdq", "amx_tile"),
    ("sapphirerapids", "sapphirerapids", "amx_tile", "avx512_vp2intersect"),
    ("zen2", "znver2", "rdpid", "vaes"),
    ("zen3", "znver3", "vaes", "avx512f"),
    ("zen4", "znver4", "avx512_bf16", "movdiri"),
    ("zen5", "znver5", "avx512_vp2intersect", "waitpkg"),
    ("zen6", "znver6", "avx512_fp16", "waitpkg"),
])
def test_leaf_leads_to_the_flags_of_its_march(leaf, march, present, absent):
    assert LEAF_MARCH[leaf] == march
    assert present in MARCH_FLAGS[march]
    assert absent not in MARCH_FLAGS[march]


@pytest.mark.parametrize("hidden", [
    (), ("waitpkg",), ("amx_bf16", "amx_int8", "amx_tile"), ("sse2", "xsaves"),
])
def test_missing_are_exactly_the_hidden_flags_in_order(hidden):
    flags = set(MARCH_FLAGS["sapphirerapids"]) - set(hidden) | {"hypervisor", "waitpkg2", "WAITPKG"}
    assert missing_march_flags("x86_64/intel/sapphirerapids", flags) == sorted(hidden)


def test_without_any_flag_all_are_missing():
    assert missing_march_flags("x86_64/generic", frozenset()) == ["fxsr", "mmx", "sse", "sse2"]


@pytest.mark.parametrize("candidate", [
    "", "x86_64", "x86_64/", "x86_64/intel/", "x86_64/intel/unheard_of", "x86_64/intel/icelake-server",
    "aarch64/generic", "aarch64/nvidia/grace", "riscv64/generic", "haswell", "X86_64/intel/haswell",
])
def test_a_candidate_without_a_known_march_has_no_answer(candidate):
    assert missing_march_flags(candidate, frozenset(("sse2",))) is None


@pytest.mark.skipif(not CPUINFO_FILES.is_dir(), reason="the recorded cpuinfo files are not on this machine")
@pytest.mark.parametrize("name", sorted(MISSING_IN_REAL_FILES))
def test_real_machine(name):
    text = (CPUINFO_FILES / (name + ".cpuinfo")).read_text(encoding="utf-8")
    candidate = "x86_64/" + name.rpartition("/")[0]
    assert missing_march_flags(candidate, common_flags(text)) == MISSING_IN_REAL_FILES[name]


@pytest.mark.skipif(not CPUINFO_FILES.is_dir(), reason="the recorded cpuinfo files are not on this machine")
def test_every_recorded_x86_machine_is_in_the_table_above():
    found = {str(path.relative_to(CPUINFO_FILES))[:-len(".cpuinfo")] for path in CPUINFO_FILES.rglob("*.cpuinfo")}
    assert found == set(MISSING_IN_REAL_FILES)


@pytest.mark.skipif(not CPUINFO_FILES.is_dir(), reason="the recorded cpuinfo files are not on this machine")
def test_real_sapphire_rapids_that_hides_waitpkg():
    path = CPUINFO_FILES / "intel" / "sapphirerapids" / "AWS-Rocky8-8488C.cpuinfo"
    flags = common_flags(path.read_text(encoding="utf-8")) - {"waitpkg"}
    missing = missing_march_flags("x86_64/intel/sapphirerapids", flags)
    assert missing == ["enqcmd", "hle", "pconfig", "sgx", "tsxldtrk", "waitpkg"]
    assert "waitpkg" not in missing_march_flags("x86_64/intel/icelake", flags)
