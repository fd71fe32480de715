# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Virtual environments below .cache/venvs, made anew only when what went into them changed."""

import hashlib
import shutil

from . import process
from .paths import CACHE, LOGS, REQUIREMENTS

VENVS = CACHE / "venvs"

# The pip that comes with Python 3.6 ignores which Pythons a release is for; this one is the last for 3.6.
PIP_FOR_OLD_PYTHON = {"3.6": "pip==21.3.1"}


class VenvError(Exception):
    """An environment could not be made; the message names the log."""


def ensure(name, python, version, requirements, env):
    """The bin directory of the environment `name`: `python` with what the file `requirements` lists.

    `version` is that of `python`, as '3.6'. Raises VenvError.
    """
    folder = VENVS / name
    source = REQUIREMENTS / requirements
    stamp = folder / "made-from"
    wanted = hashlib.sha256("\0".join([str(folder), str(python), source.read_text()]).encode()).hexdigest()
    if stamp.exists() and stamp.read_text() == wanted and (folder / "bin" / "python").exists():
        return folder / "bin"
    print(f"  environment {name}: Python {version}, {source.name}", flush=True)
    shutil.rmtree(folder, ignore_errors=True)
    log = LOGS / f"venv-{name}.log"
    log.unlink(missing_ok=True)
    pip = [folder / "bin" / "python", "-m", "pip", "install", "--quiet"]
    steps = [[python, "-m", "venv", folder]]
    if version in PIP_FOR_OLD_PYTHON:
        steps.append([*pip, PIP_FOR_OLD_PYTHON[version]])
    steps.append([*pip, "-r", source])
    for step in steps:
        status = process.run(step, log, env=env, show=False)
        if status != 0:
            raise VenvError(f"environment {name}: {step[1:4]} exited {status}, see {log}")
    stamp.write_text(wanted)
    return folder / "bin"
