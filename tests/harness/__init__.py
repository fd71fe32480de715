# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What tests of a reload need: Lmod, shells on sample nodes, Slurm's reading of a TaskProlog, and comparison."""
