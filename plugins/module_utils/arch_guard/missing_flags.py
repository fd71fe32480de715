# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: BSD-2-Clause

"""What a candidate's -march may use and a CPU does not have."""

from .march_flags import LEAF_MARCH, MARCH_FLAGS


def missing_march_flags(candidate, flags):
    """Return the flags that GCC's -march for ``candidate`` enables and ``flags`` lacks.

    :arg candidate: a field of cpupath (str), for example x86_64/intel/icelake.
    :arg flags: set of str, the flags that all logical CPUs have, as the kernel spells them.
    :returns: sorted list of str; None where the candidate is not x86_64 or its leaf is not in the table.
    """
    family, _slash, rest = candidate.partition("/")
    march = LEAF_MARCH.get(rest.rpartition("/")[2])
    if family != "x86_64" or march is None:
        return None
    return [flag for flag in MARCH_FLAGS[march] if flag not in flags]
