# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The Lmods of this machine that tests can use."""

import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

# Where the packages of Debian, Fedora and EPEL put it.
PACKAGED = "/usr/share/lmod/lmod"
# More of them, separated as in PATH: directories such as the packaged one, that hold init/ and libexec/.
MORE_VARIABLE = "ARCH_GUARD_TEST_LMODS"


@dataclass(frozen=True)
class Lmod:
    """One Lmod; `prefix` is what it calls LMOD_PKG."""

    version: str
    prefix: Path

    @property
    def name(self):
        return f"lmod-{self.version}"

    @property
    def command(self):
        """What LMOD_CMD names after its init script."""
        return self.prefix / "libexec" / "lmod"

    @property
    def init_script(self):
        return self.prefix / "init" / "bash"


def find_lmods(environment=None):
    """The Lmods that can be used, each version once; the packaged one first.

    environment: name -> value (None: that of this process).
    Raises OSError or ValueError if one that MORE_VARIABLE names does not run.
    """
    prefixes = [PACKAGED] if (Path(PACKAGED) / "libexec" / "lmod").exists() else []
    named = (os.environ if environment is None else environment).get(MORE_VARIABLE, "")
    prefixes += filter(None, named.split(os.pathsep))
    found = {}
    for prefix in prefixes:
        lmod = Lmod(_version_of(Path(prefix)), Path(prefix))
        found.setdefault(lmod.version, lmod)
    return list(found.values())


def _version_of(prefix):
    done = subprocess.run(
        [prefix / "libexec" / "lmod", "bash", "--version"],
        env={"PATH": os.defpath}, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=False,
    )
    said = re.search(r"Version (\d\S*)", done.stdout + done.stderr)
    if not said:
        raise ValueError(f"no version from the Lmod in {prefix}: {done.stdout}{done.stderr}")
    return said[1]


def place_lmod(lmod, prefix):
    """Let `lmod` be found at `prefix` as well, as if installed there: its init scripts name that place.

    In a compatibility layer of EESSI that place is usr/share/Lmod. Returns the Lmod there.
    """
    prefix = Path(prefix)
    (prefix / "init").mkdir(parents=True)
    for entry in lmod.prefix.iterdir():
        if entry.name != "init":
            (prefix / entry.name).symlink_to(entry)
    text = lmod.init_script.read_text(encoding="utf-8")
    # The root of the installation, too, is written out in it.
    root = str(lmod.prefix.parent)
    moved = re.sub(rf"{re.escape(root)}/(?:lmod|{re.escape(lmod.version)})(?=/|\s|$)", str(prefix), text, flags=re.M)
    (prefix / "init" / "bash").write_text(moved, encoding="utf-8")
    return Lmod(lmod.version, prefix)
