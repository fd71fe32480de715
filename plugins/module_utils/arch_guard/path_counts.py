# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: BSD-2-Clause

"""The module tool's account of a path-like variable: its entries and how many made each of them."""

import collections

from . import path_list

PATH_COUNT = "__LMOD_REF_COUNT_"


def counts(value):
    """Return the module tool's count of each entry of a path-like variable, in its order (OrderedDict of str -> int)."""
    listed = (counted.rpartition(":") for counted in (value or "").split(";"))
    return collections.OrderedDict((entry, int(count)) for entry, _colon, count in listed if count.isdigit())


def left_by_modules(environment, name):
    """Return the entries (list) of a path-like variable after the last module command, before what was done to it since.

    The module tool counts the entries in the order in which they are then (Lmod 8.6.19 and 9.2.9, Var.lua, expand()).
    """
    counted = None if name == "MODULEPATH" else environment.get(PATH_COUNT + name)
    return list(counts(counted)) or path_list.entries(environment.get(name))
