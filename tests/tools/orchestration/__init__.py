# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs the collection's test suites: finds interpreters, makes environments, runs, sums up."""
