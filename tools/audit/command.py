# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The audit: what each node is, and which nodes would hurt a job."""

import argparse
import fcntl
import sys
from pathlib import Path

from audit import ansible_run, findings, fleet, mount, table, virtualenv

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
            results = audit(options.inventory, options.sample, directory)
        except (virtualenv.VirtualenvError, ansible_run.AnsibleError) as error:
            print(f"audit: {error}", file=sys.stderr)
            return 1
    print(report(results))
    # A node that is broken or away is a finding. But where the module could start nowhere, nothing was audited.
    if all(result.outcome == "failed" and result.facts is None for result in results):
        print("audit: the module could be run on no node", file=sys.stderr)
        return 1
    return 0


def audit(inventory, sample, directory):
    """Return the host results of the inventory; where it is None, of this machine or of the sample nodes."""
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
    return ansible_run.run(python, ROOT, nodes.inventory, fleet.ARGUMENTS)


def report(results):
    """Return the text of the audit: the table, and what it means."""
    return "\n".join(["", *table.render(results), "", *findings.render(results)])


def _say(line):
    print(line, flush=True)


if __name__ == "__main__":
    sys.exit(main())
