# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later

"""cpuinfo text -> flags."""

import pytest

from ansible_collections.eessi.arch_guard.plugins.module_utils.arch_guard import cpuinfo

FLAGS = [
    # data, flags, flags_lines, logical_cpus, uniform
    (b"", set(), 0, 0, None),
    (b"processor\t: 0\nflags\t\t: fpu waitpkg\n", {"fpu", "waitpkg"}, 1, 1, True),
    (b"flags\t\t: fpu waitpkg", {"fpu", "waitpkg"}, 1, 0, True),
    (b"Flags:               fpu vme de\n", {"fpu", "vme", "de"}, 1, 0, True),
    (b"CPU(s):    96\nFlags:  fpu\n", {"fpu"}, 1, 96, True),
    (b"FLAGS : a  b\tc\n", {"a", "b", "c"}, 1, 0, True),
    (b"flags:\n", set(), 1, 0, True),
    (b"flags : a b\r\nmodel : x\r\n", {"a", "b"}, 1, 0, True),
    (b"flags : a b\nvmx flags : c d\n", {"a", "b"}, 1, 0, True),
    (b"vmx flags : waitpkg\n", set(), 0, 0, None),
    (b" flags : waitpkg\n", set(), 0, 0, None),
    (b"flagsx : waitpkg\nxflags : waitpkg\nflags waitpkg\n", set(), 0, 0, None),
    (b"flags : a\nflags : a b\n", {"a"}, 2, 0, False),
    (b"flags : b a\nflags : a b\n", {"a", "b"}, 2, 0, True),
    (b"flags : a\nflags :\n", set(), 2, 0, False),
    (b"flags : waitpkg2 xwaitpkg WAITPKG\n", {"waitpkg2", "xwaitpkg", "WAITPKG"}, 1, 0, True),
    (b"flags : a\xff b\n", {"a\\xff", "b"}, 1, 0, True),
    (b"Features : fp asimd\nprocessor : 0\nprocessor : 1\n", set(), 0, 2, None),
    (b"\0\0\0", set(), 0, 0, None),
]


@pytest.mark.parametrize("data, flags, flags_lines, logical_cpus, uniform", FLAGS)
def test_parse(data, flags, flags_lines, logical_cpus, uniform):
    info = cpuinfo.parse(data)
    assert info.flags == flags
    assert (info.flags_lines, info.logical_cpus, info.uniform) == (flags_lines, logical_cpus, uniform)


def test_one_logical_cpu_of_96_that_lacks_a_flag_removes_it():
    lines = [b"processor : %d\nflags : fpu waitpkg avx2" % number for number in range(96)]
    lines[57] = b"processor : 57\nflags : fpu avx2"
    info = cpuinfo.parse(b"\n\n".join(lines))
    assert info.flags == {"fpu", "avx2"}
    assert (info.logical_cpus, info.uniform) == (96, False)


@pytest.mark.parametrize("cut, flags", [(True, {"fpu", "waitpkg"}), (False, {"fpu"})])
def test_a_line_cut_at_the_limit_is_no_evidence_of_a_missing_flag(cut, flags):
    data = b"flags : fpu waitpkg\nflags : fpu wait"
    assert cpuinfo.parse(data, cut).flags == flags


def test_a_value_of_many_equal_lines_costs_one_comparison():
    info = cpuinfo.parse(b"flags : fpu waitpkg\n" * 4096)
    assert (info.flags_lines, info.uniform) == (4096, True)
