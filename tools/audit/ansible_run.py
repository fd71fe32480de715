# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Run the playbook of the audit as an administrator would, from this checkout."""

import json
import os
import subprocess
from pathlib import Path

CALLBACKS = Path(__file__).resolve().parent / "callback_plugins"


class AnsibleError(Exception):
    """Ansible did not come to its end, or had nothing to do."""


def run(python, root, inventory, report_dir):
    """Run the playbook on all hosts of `inventory`; it writes the report into `report_dir`. Raises AnsibleError.

    python: of the virtual environment; root: of the checkout. What Ansible prints goes to the terminal.
    """
    page = report_dir / "report.html"
    page.unlink(missing_ok=True)
    variables = json.dumps({"eessi_arch_guard_report_dir": str(report_dir)})
    command = [python, "-m", "ansible", "playbook", "-i", inventory, "-e", variables, root / "playbooks" / "audit.yml"]
    done = subprocess.run(
        command, check=False, cwd=root, env=_environment(os.environ, root), stdin=subprocess.DEVNULL
    )
    if done.returncode != 0:
        raise AnsibleError(f"ansible-playbook ended with status {done.returncode}, its own words are above")
    if not page.exists():
        raise AnsibleError("the inventory has no hosts")


def _environment(environ, root):
    environment = dict(environ)
    environment.update(
        ANSIBLE_CONFIG=str(root / "ansible.cfg"),
        ANSIBLE_CALLBACK_PLUGINS=str(CALLBACKS),
        ANSIBLE_STDOUT_CALLBACK="eessi_audit",
        ANSIBLE_INVENTORY_UNPARSED_FAILED="1",
    )
    # Ansible refuses to start in a locale that is not UTF-8.
    if "utf" not in (environ.get("LC_ALL") or environ.get("LC_CTYPE") or environ.get("LANG") or "").lower():
        environment["LC_ALL"] = "C.UTF-8"
    return environment
