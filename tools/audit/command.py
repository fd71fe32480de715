# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The audit: what each node is, and which nodes would hurt a job."""

import argparse
import fcntl
import sys
from pathlib import Path

from audit import ansible_run, fleet, mount, virtualenv

ROOT = Path(__file__).resolve().parents[2]
CACHE = ROOT / ".cache"


def main(arguments=None):
    """Print the audit; return 0 when it was made, whatever it found, and 1 when it could not be made."""
    parser = argparse.ArgumentParser(prog="tools/audit", description=__doc__)
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--inventory", metavar="FILE", help="audit the nodes of this Ansible inventory")
    what.add_argument("--sample", action="store_true", help="audit the sample nodes, also where EESSI is mounted")
    options = parser.parse_args(arguments)
    directory = CACHE / "audit"
    directory.mkdir(parents=True, exist_ok=True)
    with open(directory / "lock", "w", encoding="utf-8") as lock:
        # Two audits at once would write the same virtual environment and sample tree.
        fcntl.flock(lock, fcntl.LOCK_EX)
        try:
            audit(options.inventory, options.sample, directory)
        except (virtualenv.VirtualenvError, ansible_run.AnsibleError) as error:
            print(f"audit: {error}", file=sys.stderr)
            return 1
    return 0


def audit(inventory, sample, directory):
    """Audit the inventory; where it is None, this machine or the sample nodes. The report is in `directory`/report."""
    python = virtualenv.ensure(CACHE / "audit-venv", _say)
    if inventory:
        nodes = fleet.of_inventory(inventory)
    elif sample:
        nodes = fleet.of_samples(directory, python, "The sample")
    elif mount.is_there():
        nodes = fleet.of_this_machine(directory, python)
    else:
        nodes = fleet.of_samples(directory, python, "EESSI is not mounted here")
    _say(nodes.intro)
    ansible_run.run(python, ROOT, nodes.inventory, directory / "report")


def _say(line):
    print(line, flush=True)


if __name__ == "__main__":
    sys.exit(main())
