# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later

"""The report on a fleet: facts of nodes -> data -> page, tables and words.

Runs on the control node. Pure but for what reads the facts files; nothing here imports Ansible.
"""
