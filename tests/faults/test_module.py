# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later

"""The module under the same faults, as root, as Ansible starts it on a node."""

import errno
import json
import os
import shlex
import signal
import subprocess
import sys
import time
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path

import pytest
from faults.mount import Mount
from faults.test_mounts import ERRORS, WHAT
from faults.test_programs import HANGING, PROGRAMS, RIGHT

from integration.conftest import shape_of, strings_of
from sample.nodes import CPUINFO
from sample.tree import build_repository

ROOT = Path(__file__).resolve().parents[2]
MODULE = ROOT / "plugins" / "modules" / "eessi_arch_guard.py"
TIMEOUT = 3
# Characters, with the dots that stand for what was cut.
LONGEST = 4096 + 3
GRACE = 2
# Seconds to start an interpreter and Ansible's own code, on a machine that does much else.
START = 2.5
ZEN2, ZEN4 = "x86_64/amd/zen2", "x86_64/amd/zen4"


@dataclass
class Reported:
    """facts: eessi_arch_guard. seconds: the whole run."""

    facts: dict
    seconds: float


class Node:
    """A node on which the module runs; `repository` is its EESSI, `environment` that of the module."""

    def __init__(self, directory):
        self.directory = directory
        self.repository = build_repository(directory / "cvmfs")
        self.mark = f"{os.getpid()}.{time.monotonic_ns()}"
        self.environment = {
            "PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "PYTHONPATH": f"{ROOT}/.collections", "EESSI_STUB_NVIDIA_SMI": "none",
            "EESSI_TEST_MARK": self.mark, "HOME": str(directory), "ANSIBLE_REMOTE_TMP": str(directory),
        }
        self.options = {
            "prefix": str(self.repository.prefix), "timeout": TIMEOUT, "proc_cpuinfo": str(CPUINFO / "zen2.cpuinfo"),
            "machine_type": "x86_64", "loaded_cpu": ZEN4,
        }
        self.setup = []
        self.descriptors = []

    def script(self, cpupath=f"echo {ZEN2}:x86_64/generic", accelpath="exit 2"):
        """Put another script in the place of EESSI's."""
        self.repository.archdetect.write_text(f'case "$*" in\n"-a cpupath")\n{cpupath}\n;;\naccelpath)\n{accelpath}\n;;\nesac\n')

    def mount(self, mount):
        """Put a Mount into the namespace of the run; return its directory."""
        directory = self.directory / "mount"
        directory.mkdir()
        self.setup.append(shlex.join(mount.mount_command(directory)))
        self.descriptors.append(mount.descriptor)
        return directory

    def run(self):
        """Run the module and assert what always holds."""
        close = "".join(f"exec {number}>&-; " for number in self.descriptors if number < 10)
        python = f"import os; os.closerange(3, 256); os.execv({sys.executable!r}, [{sys.executable!r}, {str(MODULE)!r}])"
        lines = [*self.setup, close + shlex.join(["exec", sys.executable, "-I", "-S", "-c", python])]
        arguments = json.dumps({"ANSIBLE_MODULE_ARGS": self.options})
        begin = time.monotonic()
        done = subprocess.run(
            ["/usr/bin/unshare", "--mount", "--propagation", "private", "/bin/sh", "-ec", "\n".join(lines)], input=arguments,
            capture_output=True, text=True, timeout=60, check=False, env=self.environment, pass_fds=self.descriptors,
        )
        seconds = time.monotonic() - begin
        assert (done.returncode, done.stderr) == (0, "")
        assert "Traceback" not in done.stdout
        said = json.loads(done.stdout)
        assert said["changed"] is False
        assert "failed" not in said
        assert seconds < max(0, self.options["timeout"]) + GRACE + START
        facts = said["ansible_facts"]["eessi_arch_guard"]
        assert all(text.isprintable() and len(text) <= LONGEST for text in strings_of(facts))
        return Reported(facts, seconds)

    def processes(self):
        """The processes that have the mark of this node, as (pid, state)."""
        found = []
        for entry in Path("/proc").iterdir():
            try:
                if entry.name.isdigit() and f"EESSI_TEST_MARK={self.mark}".encode() in (entry / "environ").read_bytes():
                    found.append((int(entry.name), (entry / "stat").read_text().rpartition(")")[2].split()[0]))
            except OSError:
                continue
        return found

    def lingering(self):
        """The processes that are still there after a moment."""
        give_up = time.monotonic() + 2
        while self.processes() and time.monotonic() < give_up:
            time.sleep(0.02)
        return self.processes()


@pytest.fixture
def node(ground, tmp_path):
    """A node with the bundled sample of EESSI. The ground is asked for since it needs the same of the machine."""
    made = Node(tmp_path)
    yield made
    for pid, _state in made.processes():
        os.kill(pid, signal.SIGKILL)


@pytest.fixture(scope="session")
def shape(ground, tmp_path_factory):
    """The shape of the facts of a node that has no fault."""
    facts = Node(tmp_path_factory.mktemp("healthy")).run().facts
    assert (facts["cpu"]["target"], facts["verdict"]) == (ZEN2, "reload")
    return shape_of(facts)


# A script that root trusts and that kills the module leaves Ansible without an answer: no code of ours is left to give one.
@pytest.mark.parametrize("fault", [fault for fault in PROGRAMS if fault != "kills who started it"])
@pytest.mark.parametrize("question", ["cpupath", "accelpath"])
def test_program(node, shape, question, fault):
    code = PROGRAMS[fault].replace("{right}", RIGHT[question])
    with Mount() if "{mount}" in code else nullcontext() as mount:
        if mount is not None:
            code = code.replace("{mount}", str(node.mount(mount)))
        node.script(**{question: code})
        reported = node.run()
        assert shape_of(reported.facts) == shape
        part = reported.facts["cpu" if question == "cpupath" else "accelerator"]
        if fault in HANGING:
            assert part["status"] == "archdetect-failed"
        assert part["status"] == "ok" or part["reason"]
        if mount is not None:
            mount.abort()
        if fault != "leaves a daemon":
            assert node.lingering() == []


@pytest.mark.parametrize("error", [*ERRORS, None])
@pytest.mark.parametrize("place", ["prefix", "init_prefix", "proc_cpuinfo"])
def test_mount(node, shape, place, error):
    with Mount(error and getattr(errno, error)) as mount:
        directory = node.mount(mount)
        if place == "prefix":
            node.options["init_prefix"] = str(node.repository.init_prefix)
            node.script()
        if place == "proc_cpuinfo":
            node.script()
        node.options[place] = f"{directory}/cpuinfo" if place == "proc_cpuinfo" else str(directory)
        reported = node.run()
        assert shape_of(reported.facts) == shape
        facts = reported.facts
        if place == "proc_cpuinfo":
            assert facts["warnings"][0].startswith(f"no CPU flags were read: {directory}/cpuinfo: ")
        else:
            assert facts["cpu"]["status"] == ("archdetect-failed" if place == "init_prefix" else "no-software-dir")
            assert facts["cpu"]["reason"]
        mount.abort()
        assert node.lingering() == []


@pytest.mark.parametrize("what", WHAT, ids=lambda what: what.__name__)
@pytest.mark.parametrize("place", ["script", "proc_cpuinfo", "targets"])
def test_file_that_is_something_else(node, shape, place, what):
    path = node.directory / "place"
    if place == "script":
        path = node.repository.archdetect
        path.unlink()
    elif place == "targets":
        path = node.repository.prefix / "software"
        path.rename(node.directory / "software")
    else:
        node.options["proc_cpuinfo"] = str(path)
    what(path)
    assert shape_of(node.run().facts) == shape
    assert node.lingering() == []


def test_everything_hangs_at_once(node, shape):
    with Mount() as mount:
        directory = node.mount(mount)
        node.script(cpupath=f"read -r line <{directory}/x", accelpath=f"read -r line <{directory}/x")
        node.options.update(
            prefix=str(directory), proc_cpuinfo=f"{directory}/cpuinfo", init_prefix=str(node.repository.init_prefix)
        )
        reported = node.run()
        assert shape_of(reported.facts) == shape
        mount.abort()
        assert node.lingering() == []


OPTIONS = {
    "a prefix with a NUL": {"prefix": "/a\0b"}, "a prefix with a line feed": {"prefix": "/a\nb"},
    "a long prefix": {"prefix": "/" + "x" * 100000},
    "a cpuinfo with a NUL": {"proc_cpuinfo": "/a\0b"}, "an odd machine": {"machine_type": "$(touch /tmp/evil)\n"},
    "an odd loaded target": {"loaded_cpu": "\x1b[31m" + "x" * 10000, "loaded_accelerator": "\0"},
    "no time": {"timeout": 0}, "less than no time": {"timeout": -5},
}


@pytest.mark.parametrize("what", OPTIONS)
def test_option(node, shape, what):
    node.options.update(OPTIONS[what])
    node.options["timeout"] = OPTIONS[what].get("timeout", TIMEOUT)
    assert shape_of(node.run().facts) == shape


def test_as_root_it_starts_nothing_but_the_script_under_init_prefix(node):
    """Everything that the environment of a privileged user could bring along is a trap that leaves a trace."""
    traps = node.repository.prefix / "compat" / "bin"
    traps.mkdir(parents=True)
    trace = node.directory / "trace"
    for name in ("bash", "sh", "uname", "grep", "sed", "nvidia-smi", "python3", "mktemp", "cat", "lmod", "readlink"):
        (traps / name).write_text(f"#!/bin/sh\necho {name} >>{trace}\n")
        (traps / name).chmod(0o755)
    init = node.directory / "init"
    init.write_text(f"echo init >>{trace}\n")
    seen = node.directory / "seen"
    node.script(cpupath=f"env >{seen}; uname >/dev/null; grep -q . {init}; echo {ZEN2}", accelpath="uname >/dev/null; exit 2")
    node.environment.update({
        "PATH": f"{traps}:.:bin:{node.environment['PATH']}", "BASH_ENV": str(init), "ENV": str(init), "SHELLOPTS": "xtrace",
        "BASH_FUNC_uname%%": f"() {{ echo function >>{trace}; }}", "LD_LIBRARY_PATH": str(traps), "LMOD_CMD": str(traps / "lmod"),
        "LMOD_PACKAGE_PATH": str(traps), "CUDA_VISIBLE_DEVICES": "1", "EESSI_SOFTWARE_SUBDIR": ZEN4, "SECRET": "x",
        "EESSI_CVMFS_REPO": str(node.repository.root),
    })
    node.run()
    assert not trace.exists()
    names = {line.partition("=")[0] for line in seen.read_text().splitlines()}
    assert names <= {
        "LC_ALL", "LANG", "PATH", "PWD", "SHLVL", "_", "CUDA_VISIBLE_DEVICES", "EESSI_TEST_MARK", "EESSI_STUB_NVIDIA_SMI",
        "EESSI_PROC_CPUINFO", "EESSI_MACHINE_TYPE", "EESSI_CVMFS_REPO",
    }
    path = next(line for line in seen.read_text().splitlines() if line.startswith("PATH="))
    assert path == "PATH=/usr/sbin:/usr/bin:/sbin:/bin"


@pytest.mark.parametrize("fault", ["hangs", "is killed"])
def test_real_ansible_keeps_the_host(node, fault):
    node.script(cpupath=PROGRAMS[fault])
    options = " ".join(f"{name}={value}" for name, value in node.options.items())
    done = subprocess.run(
        [Path(sys.executable).with_name("ansible"), "localhost", "-i", "localhost,", "-c", "local", "-m", "eessi_arch_guard",
         "-e", f"ansible_python_interpreter={sys.executable}", "-a", options],
        env={**os.environ, **dict.fromkeys(("ANSIBLE_LOCAL_TEMP", "ANSIBLE_REMOTE_TMP", "HOME"), str(node.directory))},
        cwd=ROOT, capture_output=True, text=True, timeout=120, check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "localhost | SUCCESS" in done.stdout
    assert '"status": "archdetect-failed"' in done.stdout
    assert "Traceback" not in done.stdout + done.stderr
