# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: BSD-2-Clause

"""The environment as the kernel holds it -> a plain dict."""


def parse(block):
    """Return the environment (dict of str) in ``block``, bytes of NUL-terminated NAME=value entries.

    Bytes that are no UTF-8 are kept as surrogate escapes. Exported functions are no variables and are left out.
    """
    found = {}
    for entry in block.split(b"\0"):
        name, equals, value = entry.partition(b"=")
        if equals and name and not name.startswith(b"BASH_FUNC_"):
            found[name.decode("utf-8", "surrogateescape")] = value.decode("utf-8", "surrogateescape")
    return found
