# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later

"""The environment as the kernel holds it."""

from ansible_collections.eessi.arch_guard.plugins.module_utils.arch_guard.environ_block import parse


def test_parse():
    block = b"A=1\0B=x=y\nz\0BASH_FUNC_module%%=() { :;\n}\0C=\0nonsense\0=x\0D=\xff\xc3\xa4\0"
    assert parse(block) == {"A": "1", "B": "x=y\nz", "C": "", "D": "\udcffä"}
