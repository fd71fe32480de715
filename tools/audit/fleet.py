# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is audited: an inventory of the caller, the EESSI of this machine, or the bundled sample nodes."""

import json
import shutil
from dataclasses import dataclass
from pathlib import Path

from audit.mount import EESSI_VERSIONS
from sample.interpreter import write_interpreter
from sample.nodes import SAMPLE_NODES, SampleNode
from sample.tree import build_repository

# Where the users of the sample nodes load their modules.
LOGIN = SampleNode("login", "x86_64", "zen4")


@dataclass(frozen=True)
class Fleet:
    """intro: one line for the reader; inventory: for ansible -i."""

    intro: str
    inventory: str


def of_inventory(inventory):
    """The hosts of an inventory file, folder or comma separated list."""
    source = inventory if "," in inventory else str(Path(inventory).resolve())
    return Fleet(f"The nodes of {inventory}, each with the newest EESSI version it has mounted.", source)


def of_this_machine(directory, python):
    """This machine alone, with the EESSI that is mounted on it."""
    inventory = _write_inventory(directory, {"localhost": _local(python)})
    return Fleet(f"This machine, with the newest EESSI version under {EESSI_VERSIONS}.", inventory)


def of_samples(directory, python, why):
    """This machine's own CPU and the sample nodes, with a sample tree and a stub of EESSI's detection script.

    why: a few words for the reader.
    """
    tree = directory / "sample"
    shutil.rmtree(tree, ignore_errors=True)
    repository = build_repository(tree)
    hosts = {"localhost": _local(python, prefix=str(repository.prefix))}
    for node in (*SAMPLE_NODES, LOGIN):
        interpreter = write_interpreter(tree / "nodes" / node.name / "python", python, node.stub_environment())
        hosts[node.name] = _local(
            interpreter,
            prefix=str(repository.prefix),
            proc_cpuinfo=str(node.cpuinfo_path),
            machine_type=node.machine_type,
        )
    return Fleet(
        f"{why}: a bundled tree and a stub of EESSI's detection stand in for it, "
        f"with this machine's own CPU as localhost, {len(SAMPLE_NODES)} sample nodes and a login node.",
        _write_inventory(directory, hosts, login_hosts=[LOGIN.name]),
    )


def _local(python, **options):
    settings = {f"eessi_arch_guard_{name}": value for name, value in options.items()}
    return {"ansible_connection": "local", "ansible_python_interpreter": str(python), **settings}


def _write_inventory(directory, hosts, **variables):
    path = directory / "inventory.json"
    path.write_text(json.dumps({"all": {"hosts": hosts, "vars": variables}}, indent=2), encoding="utf-8")
    return str(path)
