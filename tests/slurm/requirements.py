# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Can the test cluster run on this machine?"""

import os
import shutil
import subprocess
import sys

PACKAGES = {
    "slurmctld": ("slurmctld",),
    "slurmd": ("slurmd",),
    "slurm-client": ("salloc", "sbatch", "scontrol", "sinfo", "srun"),
    "munge": ("munged",),
    "procps": ("pkill",),
    "util-linux": ("mount", "nsenter", "setpriv", "unshare"),
}
# Daemons lie in sbin, which an ordinary PATH may lack.
PATH = os.pathsep.join((os.environ.get("PATH", os.defpath), "/usr/sbin", "/sbin"))
# The kinds of mount that a node needs, tried in namespaces that end with the trial.
TRIAL = "mount --bind /proc/version /proc/cpuinfo && mount -t overlay overlay -o lowerdir=/usr/sbin:/usr/bin /usr/bin"


def why_not():
    """Return in one line why no cluster can run here; None where it can."""
    if not sys.platform.startswith("linux"):
        return f"the Slurm cluster needs Linux, this is {sys.platform}"
    if os.geteuid() != 0:
        return "the Slurm cluster needs root: it mounts files over /proc/cpuinfo and submits as another user"
    missing = [package for package, programs in PACKAGES.items() if not all(map(_has, programs))]
    if missing:
        return f"the Slurm cluster needs packages that are not installed: {' '.join(missing)}"
    command = ["unshare", "--mount", "--uts", "--pid", "--fork", "--mount-proc", "sh", "-c", TRIAL]
    trial = subprocess.run(
        command, env={"PATH": PATH}, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=20, check=False,
    )
    if trial.returncode:
        return f"the Slurm cluster needs namespaces and mounts of its own: {' '.join(trial.stderr.split())}"
    return None


def _has(program):
    return shutil.which(program, path=PATH) is not None
