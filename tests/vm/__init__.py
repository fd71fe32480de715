# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Virtual machines for the scenario `vm` of Molecule: an image from Debian's packages, and QEMU."""
