# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The virtual environment that the audit runs Ansible from."""

import hashlib
import subprocess
import sys
import venv
from pathlib import Path

REQUIREMENTS = Path(__file__).resolve().parent / "requirements.txt"


class VirtualenvError(Exception):
    """The virtual environment cannot be made; the text says what to do."""


def ensure(directory, say):
    """Return the Python of the virtual environment in `directory`; make it where it is missing or out of date.

    say: called with one line before anything that takes long.
    Raises VirtualenvError.
    """
    python = directory / "bin" / "python"
    stamp = directory / "audit-requirements.sha256"
    wanted = hashlib.sha256(sys.version.encode() + REQUIREMENTS.read_bytes()).hexdigest()
    if python.exists() and stamp.exists() and stamp.read_text(encoding="utf-8") == wanted:
        return python

    say(f"Making a virtual environment with ansible-core in {directory} (once) ...")
    try:
        venv.EnvBuilder(clear=True, with_pip=True, symlinks=True).create(directory)
    except (OSError, subprocess.CalledProcessError) as error:
        raise VirtualenvError(
            f"Python cannot make a virtual environment ({error}). On Debian: apt-get install python3-venv"
        ) from error
    pip = [python, "-m", "pip", "--disable-pip-version-check", "install", "--quiet", "--requirement", REQUIREMENTS]
    if subprocess.run(pip, check=False, stdin=subprocess.DEVNULL).returncode != 0:
        raise VirtualenvError(f"pip could not install {REQUIREMENTS}, its own words are above")
    stamp.write_text(wanted, encoding="utf-8")
    return python
