# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Debian packages that suites need, installed where this may be done."""

import os
import shutil
import subprocess

from . import process
from .paths import LOGS


def install_missing(packages, env):
    """Install those of `packages` that are missing, if this is root on a machine with apt.

    Says what it does. A package that cannot be had is not an error here: the suite that needs it finds out.
    """
    missing = [name for name in sorted(packages) if not _installed(name)] if shutil.which("dpkg-query") else []
    if not missing:
        return
    if os.geteuid() != 0 or not shutil.which("apt-get"):
        print(f"Not root, so not installed: {' '.join(missing)}", flush=True)
        return
    print(f"Installing {' '.join(missing)}", flush=True)
    env = dict(env, DEBIAN_FRONTEND="noninteractive")
    log = LOGS / "apt.log"
    for command in (["apt-get", "update"], ["apt-get", "install", "--yes", "--no-install-recommends", *missing]):
        status = process.run(command, log, env=env, show=False)
        if status != 0:
            print(f"{' '.join(command)} exited {status}, see {log}", flush=True)


def _installed(name):
    answer = subprocess.run(
        ["dpkg-query", "--show", "--showformat", "${db:Status-Status}", name],
        capture_output=True,
        text=True,
        check=False,
    )
    return answer.returncode == 0 and answer.stdout == "installed"
