# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""python guided.py TARGET [option of libFuzzer or corpus...]: fuzz one target with atheris, which ends this process."""

import sys

import atheris

with atheris.instrument_imports(include=["ansible_collections"]):
    from fuzz.targets import TARGETS

atheris.Setup([sys.argv[0], *sys.argv[2:]], TARGETS[sys.argv[1]])
atheris.Fuzz()
