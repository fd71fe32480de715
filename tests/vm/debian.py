# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the Debian mirror that this machine installs from offers."""

import re
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

APT_HELPER = "/usr/lib/apt/apt-helper"
FIELD = re.compile(r"^(Codename|Version): *(\S+)$", re.MULTILINE)
SECONDS = 120


class MirrorError(Exception):
    """There is no mirror of Debian, or it does not have what was asked for; the message says which."""


@dataclass(frozen=True)
class Release:
    """mirror: URI that ends with a slash. codename: as trixie. version: of the point release, as 13.1."""

    mirror: str
    codename: str
    version: str

    def __str__(self):
        return f"Debian {self.version} ({self.codename})"


def find_release(name):
    """The Release that the mirror has under a name such as `stable` or `oldstable`. Raises MirrorError.

    apt itself fetches it, so that its proxy and whatever else it is configured with are in force.
    """
    mirror = _mirror()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "InRelease")
        done = _run([APT_HELPER, "download-file", f"{mirror}dists/{name}/InRelease", str(file)])
        if done.returncode != 0:
            raise MirrorError(f"the mirror of this machine's apt has no Debian {name}: {_last_line(done)}")
        found = dict(FIELD.findall(file.read_text(encoding="utf-8")))
    if set(found) != {"Codename", "Version"}:
        raise MirrorError(f"dists/{name}/InRelease of the mirror does not say what it is")
    return Release(mirror, found["Codename"], found["Version"])


def _mirror():
    done = _run(["apt-get", "indextargets", "--format", "$(REPO_URI) $(LABEL)", "Created-By: Packages"])
    for line in done.stdout.splitlines():
        uri, _space, label = line.partition(" ")
        if label == "Debian":
            return uri
    raise MirrorError(f"apt of this machine has no repository of Debian {_last_line(done)}".rstrip())


def _run(command):
    return subprocess.run(
        command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=SECONDS
    )


def _last_line(done):
    return (done.stderr.strip().splitlines() or [""])[-1]
