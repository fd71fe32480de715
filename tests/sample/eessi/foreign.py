# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Programs of a machine type that no test machine has: to start one fails with "Exec format error"."""

import struct
from pathlib import Path

# ELF's number of a processor of 1990; the kernel refuses it everywhere.
EM_88K = 5


def write_foreign_programs(directory, names):
    """Write one executable file for each name, an ELF header and nothing else."""
    header = (
        b"\x7fELF" + bytes([2, 1, 1]) + bytes(9) + struct.pack("<HHIQQQIHHHHHH", 2, EM_88K, 1, 0, 0, 0, 0, 64, *[0] * 5)
    )
    directory = Path(directory)
    directory.mkdir(parents=True, exist_ok=True)
    for name in names:
        (directory / name).write_bytes(header)
        (directory / name).chmod(0o755)
