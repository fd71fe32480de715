# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A Python that finds itself on a sample node: Ansible gives each host its own interpreter, not its own environment."""

import shlex
from pathlib import Path


def write_interpreter(path, python, environment):
    """Write a shell script that sets `environment` (name -> value) and becomes `python`; returns its path."""
    path = Path(path)
    exports = "".join(f"export {name}={shlex.quote(value)}\n" for name, value in sorted(environment.items()))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f'#!/bin/sh\n{exports}exec {shlex.quote(str(python))} "$@"\n', encoding="utf-8")
    path.chmod(0o755)
    return path
