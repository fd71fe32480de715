# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: BSD-2-Clause

"""The GCC marches that need the waitpkg instructions.

Source: GCC 16, gcc/config/i386/i386.h on branch releases/gcc-16, the PTA_* masks that contain PTA_WAITPKG.
These are facts about the compiler, not its code. znver6 of the same header has no WAITPKG.
"""

WAITPKG = "waitpkg"

# EESSI spells the - of a march as _ in the name of a directory.
WAITPKG_MARCHES = frozenset((
    "alderlake",
    "arrowlake",
    "arrowlake_s",
    "clearwaterforest",
    "diamondrapids",
    "grandridge",
    "graniterapids",
    "graniterapids_d",
    "novalake",
    "pantherlake",
    "sapphirerapids",
    "sierraforest",
    "tremont",
))


def needs_waitpkg(candidate):
    """Tell whether code built for ``candidate`` (str, for example x86_64/intel/sapphirerapids) may use waitpkg."""
    return candidate.rpartition("/")[2].replace("-", "_") in WAITPKG_MARCHES
