# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the transcripts of pages are run: each world is an environment, a directory, and names for its paths."""

import json
import os
import sys
from dataclasses import dataclass, field
from pathlib import Path

from docs.markdown import ROOT
from sample.interpreter import write_interpreter
from sample.nodes import SAMPLE_NODES
from sample.tree import build_repository

ANSIBLE = Path(sys.executable).parent


@dataclass
class World:
    """paths: shown path -> real path. before: commands that a page takes for granted."""

    environment: dict
    cwd: Path
    paths: dict = field(default_factory=dict)
    before: tuple = ()

    def real(self, text):
        """A command as it is run."""
        for shown, real in self.paths.items():
            text = text.replace(shown, str(real))
        return text

    def shown(self, text):
        """Output as a page shows it."""
        for shown, real in self.paths.items():
            text = text.replace(str(real), shown)
        return text


def checkout(work):
    """The checkout, as a reader has it after git clone."""
    return World(_environment(work), ROOT)


def cluster(work):
    """The login node of the playground."""
    directory = work / "playground"
    directory.mkdir()
    # Should it not start, nothing that follows is run in the checkout.
    start = f"{sys.executable} docs/examples/playground.py --directory {directory}; exit"
    paths = {
        "/opt/eessi-arch-guard": directory / "opt" / "eessi-arch-guard",
        "/cvmfs/software.eessi.io": directory / "cvmfs" / "software.eessi.io",
        "/home/user": directory / "shells" / "home",
        "docs/examples/with_guard.sh": ROOT / "docs" / "examples" / "with_guard.sh",
    }
    return World(_environment(work), ROOT, paths, (start,))


def fleet(work):
    """A directory with hosts.ini, whose node is a Zen 2 on this machine; what a play installs stays below `work`."""
    directory = work / "fleet"
    node = directory / "node001"
    node.mkdir(parents=True)
    repository = build_repository(directory / "cvmfs" / "software.eessi.io")
    sample = next(sample for sample in SAMPLE_NODES if sample.name == "zen2")
    variables = sample.stub_environment()
    variables.update(EESSI_PROC_CPUINFO=str(sample.cpuinfo_path), EESSI_MACHINE_TYPE=sample.machine_type)
    settings = {
        "ansible_connection": "local",
        "ansible_become": "false",
        "ansible_python_interpreter": str(write_interpreter(node / "python", sys.executable, variables)),
        **_role_settings(node),
    }
    words = [f"{name}='{value}'" for name, value in settings.items()]
    (directory / "hosts.ini").write_text(" ".join(["node001", *words]) + "\n")
    environment = _environment(work)
    # The place of the record is no setting of the role, which leaves it to nobody but the command line.
    play = work / "commands" / "ansible-playbook"
    play.write_text(
        f'#!/bin/sh\nexec {ANSIBLE}/ansible-playbook -e _eessi_arch_guard_record={node}/record.json "$@"\n'
    )
    play.chmod(0o755)
    environment.update(
        ANSIBLE_COLLECTIONS_PATH=str(ROOT / ".collections"), ANSIBLE_HOME=str(work / "ansible"), ANSIBLE_NOCOLOR="1",
        ANSIBLE_LOCALHOST_WARNING="false", ANSIBLE_DEPRECATION_WARNINGS="false",
        PATH=f"{work}/commands:{ANSIBLE}:{environment['PATH']}",
    )
    return World(environment, directory, {"/cvmfs/software.eessi.io": repository.root})


def _role_settings(node):
    """Variables of the role that keep it to the directory `node`, with a Slurm that is configured there."""
    (node / "slurm.conf").write_text("ClusterName=sample\n")
    (node / "task_prolog.d").mkdir()
    scontrol = node / "scontrol"
    scontrol.write_text("#!/bin/sh\nexit 0\n")
    scontrol.chmod(0o755)
    return {
        "eessi_arch_guard_install_dir": str(node / "opt"),
        "eessi_arch_guard_slurm_conf": str(node / "slurm.conf"),
        "eessi_arch_guard_task_prolog_dir": str(node / "task_prolog.d"),
        "eessi_arch_guard_reconfigure": json.dumps([str(scontrol), "reconfigure"]),
    }


def _environment(work):
    home = work / "home"
    home.mkdir()
    kept = {name: os.environ[name] for name in ("LANG", "TERM", "ARCH_GUARD_TEST_LMODS") if name in os.environ}
    # The first python3 of a reader is one that can run the examples.
    commands = work / "commands"
    commands.mkdir()
    (commands / "python3").symlink_to(sys.executable)
    path = [str(commands), *os.environ.get("PATH", os.defpath).split(":")]
    return {"HOME": str(home), "PATH": ":".join(path), "PYTHONDONTWRITEBYTECODE": "1", "LC_ALL": "C.UTF-8", **kept}


WORLDS = {"checkout": checkout, "cluster": cluster, "fleet": fleet}
