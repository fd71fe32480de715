# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What every fault is tried on: a job with modules for zen4 that comes to a zen2 node, and what should become of it."""

import itertools
import os
import shutil
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from harness.cluster import Cluster, build_cluster
from harness.launcher import LIBRARY, write_launcher
from harness.lmod import find_lmods
from harness.scenario import Scenario
from harness.shell import slurm_ids
from sample.modules import Software
from sample.nodes import SAMPLE_NODES

# A node's own interpreter, which every user may start; that of a test environment may lie in a closed directory.
PYTHONS = ("/usr/bin/python3", "/usr/libexec/platform-python")
LMODS = find_lmods()
NODES = {node.name: node for node in SAMPLE_NODES}
ZEN2, ZEN4 = "x86_64/amd/zen2", "x86_64/amd/zen4"
LABEL = f"{ZEN4}->{ZEN2}"
# Seconds that a task may take: enough on a machine that does much else, and few where something hangs.
BUDGET = 15
SHORT_BUDGET = 3
# Users of the cases: each its own, so that a limit of processes counts its own only, and none stays unnoticed.
FIRST_USER = 40000
USERS_PER_WORKER = 1000


@dataclass
class Ground:
    """root: directory of all. incoming: the job's environment. fresh: that of a user who loads on the node."""

    root: Path
    cluster: Cluster
    incoming: dict[str, str]
    fresh: dict[str, str]
    library: Path
    python: str
    users: itertools.count = field(repr=False, default=None)

    def launcher(self, directory, **settings):
        """Write a launcher that a user of the node may start."""
        return write_launcher(directory, **{"python": self.python, "library": str(self.library), **settings})


def worker_number():
    """The number of this process among those that share the tests."""
    return int(os.environ.get("PYTEST_XDIST_WORKER", "gw0")[2:])


def build_ground():
    """Build it in a directory of its own, outside of /tmp, which every case has for itself."""
    root = Path(tempfile.mkdtemp(prefix="arch-guard-faults-", dir="/var/tmp"))
    root.chmod(0o755)
    cluster = build_cluster(root / "eessi", LMODS[0])
    cluster.write(
        [ZEN2, ZEN4], Software("zlib", "1.3", prepend_path={"LD_LIBRARY_PATH": ("lib",)}),
        Software("GROMACS", "2024", depends_on=("zlib/1.3",), programs=("gmx",)),
    )
    scenario = Scenario(NODES["zen4"], NODES["zen2"], ("module load EESSI/2025.06", "module load GROMACS"))
    incoming = scenario.incoming(cluster.shell, **slurm_ids())
    fresh = scenario.fresh(cluster.shell, **slurm_ids())
    # The checkout may lie where the users of the cases do not get to.
    for name in ("zen2", "zen4"):
        shutil.copy(NODES[name].cpuinfo_path, root / f"{name}.cpuinfo")
    for environment in (incoming, fresh):
        environment["EESSI_PROC_CPUINFO"] = str(root / "zen2.cpuinfo")
    shutil.copytree(LIBRARY / "arch_guard", root / "library" / "arch_guard", ignore=shutil.ignore_patterns("__pycache__"))
    python = next(path for path in PYTHONS if Path(path).exists())
    users = itertools.count(FIRST_USER + USERS_PER_WORKER * worker_number())
    return Ground(root, cluster, incoming, fresh, root / "library", python, users)
