# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Find the Python interpreters of this machine."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

# Every Python that a node may have.
VERSIONS = tuple(f"3.{minor}" for minor in range(6, 15))

# A virtual environment is of no use as a base, and without ensurepip none can be made.
PROBE = (
    "import sys, ensurepip, venv; "
    "print('%d.%d %d %s' % (sys.version_info[0], sys.version_info[1], sys.prefix == sys.base_prefix, sys.executable))"
)


def discover(environ, running=sys.executable):
    """Map versions ('3.6') to the Path of an interpreter that can make virtual environments.

    Looks at the running interpreter, at PATH, and at a version manager's folder (PYENV_ROOT, `pyenv root`).
    """
    found = {}
    for candidate in _candidates(environ, running):
        version, executable = _probe(candidate)
        if version in VERSIONS and version not in found:
            found[version] = executable
    return dict(sorted(found.items(), key=lambda item: VERSIONS.index(item[0])))


def _candidates(environ, running):
    yield Path(running)
    for folder in environ.get("PATH", os.defpath).split(os.pathsep):
        for version in VERSIONS:
            path = Path(folder) / f"python{version}"
            if folder and path.is_file():
                yield path
    for root in _version_manager_roots(environ):
        # Newest patch release first.
        for folder in sorted((root / "versions").glob("3.*"), key=_numbers, reverse=True):
            path = folder / "bin" / "python3"
            if path.is_file():
                yield path


def _version_manager_roots(environ):
    if environ.get("PYENV_ROOT"):
        yield Path(environ["PYENV_ROOT"])
    pyenv = shutil.which("pyenv", path=environ.get("PATH"))
    if pyenv:
        answer = subprocess.run([pyenv, "root"], capture_output=True, text=True, check=False, env=environ)
        if answer.returncode == 0 and answer.stdout.strip():
            yield Path(answer.stdout.strip())


def _numbers(path):
    return [int(part) for part in path.name.split(".") if part.isdigit()]


def _probe(path):
    """(version, real executable), or (None, None) where `path` does not run or cannot make environments."""
    try:
        answer = subprocess.run(
            [str(path), "-I", "-c", PROBE], capture_output=True, text=True, check=False, timeout=60, cwd="/"
        )
    except (OSError, subprocess.TimeoutExpired):
        # A link to nothing, or for another machine: not an interpreter of this machine.
        return None, None
    words = answer.stdout.strip().split(" ", 2)
    if answer.returncode != 0 or len(words) != 3 or words[1] != "1":
        return None, None
    return words[0], Path(words[2])
