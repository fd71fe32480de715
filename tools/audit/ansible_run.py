# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Run the module through Ansible's own command and read what the callback wrote."""

import json
import os
import re
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

CALLBACKS = Path(__file__).resolve().parent / "callback_plugins"


class AnsibleError(Exception):
    """Ansible did not come to its end, or had nothing to do."""


@dataclass(frozen=True)
class HostResult:
    """outcome: ok, failed or unreachable; facts: the module's facts, None where it gave none."""

    host: str
    outcome: str
    message: str = ""
    facts: dict | None = None


def run(python, root, inventory, arguments):
    """Return a HostResult for each host of the inventory, node2 before node10. Raises AnsibleError.

    python: of the virtual environment; root: of the checkout; arguments: of the module, as JSON.
    """
    with tempfile.TemporaryDirectory(prefix="eessi-audit-") as directory:
        results = Path(directory) / "results.jsonl"
        command = [python, "-m", "ansible", "adhoc", "all", "-i", inventory, "-m", "eessi_arch_guard", "-a", arguments]
        done = subprocess.run(
            command, check=False, cwd=root, env=_environment(os.environ, root, results), stdin=subprocess.DEVNULL
        )
        lines = results.read_text(encoding="utf-8").splitlines() if results.exists() else []
    records = [json.loads(line) for line in lines]
    if {"end": True} not in records:
        raise AnsibleError(f"ansible ended with status {done.returncode} before the audit was made")
    hosts = [HostResult(**record) for record in records if "host" in record]
    if not hosts:
        raise AnsibleError("the inventory has no hosts")
    return sorted(hosts, key=_in_natural_order)


def _in_natural_order(result):
    return [(int(part), "") if part.isdecimal() else (0, part) for part in re.split(r"([0-9]+)", result.host)]


def _environment(environ, root, results):
    environment = dict(environ)
    environment.update(
        ANSIBLE_CONFIG=str(root / "ansible.cfg"),
        ANSIBLE_CALLBACK_PLUGINS=str(CALLBACKS),
        # The ad-hoc command leaves callbacks out unless it is told to load them.
        ANSIBLE_LOAD_CALLBACK_PLUGINS="1",
        ANSIBLE_STDOUT_CALLBACK="eessi_audit",
        ANSIBLE_INVENTORY_UNPARSED_FAILED="1",
        EESSI_AUDIT_RESULTS=str(results),
    )
    # Ansible refuses to start in a locale that is not UTF-8.
    if "utf" not in (environ.get("LC_ALL") or environ.get("LC_CTYPE") or environ.get("LANG") or "").lower():
        environment["LC_ALL"] = "C.UTF-8"
    return environment
