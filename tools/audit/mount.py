# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether EESSI is mounted on this machine."""

import contextlib
import subprocess
import sys
from pathlib import Path

EESSI_VERSIONS = Path("/cvmfs/software.eessi.io/versions")

# The first look at a CVMFS repository can take a while, since it mounts it.
SECONDS = 30
NOTHING = 3
LOOK = f"""
import os, sys
try:
    os.stat(sys.argv[1])
except (FileNotFoundError, NotADirectoryError):
    sys.exit({NOTHING})
"""


def is_there(path=EESSI_VERSIONS, seconds=SECONDS):
    """Return False where there is nothing at `path`; True for a mount that is broken or does not answer as well.

    Such a mount is for the audit to report, not to be taken for a machine without EESSI.
    """
    # In a child, which is left alone if the mount hangs: it could not even be killed then.
    child = subprocess.Popen(
        [sys.executable, "-c", LOOK, path],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        return child.wait(seconds) != NOTHING
    except subprocess.TimeoutExpired:
        child.kill()
        with contextlib.suppress(subprocess.TimeoutExpired):
            child.wait(1)
        return True
