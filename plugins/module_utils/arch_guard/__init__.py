# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: BSD-2-Clause

"""The guard logic of the eessi.arch_guard collection.

Python versions supported: >=3.6. Standard library only, and no import of Ansible: the same files run as an
Ansible module_utils package, as Slurm's TaskProlog and as a command.
"""

__version__ = "1.0.0"
