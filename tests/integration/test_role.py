# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later

"""The role as an administrator runs it: real plays on this machine, with every path in a temporary directory."""

import json
import os
import re
import shutil
import stat
import subprocess
import tempfile
from pathlib import Path

import pytest
import yaml

from ansible_collections.eessi.arch_guard.plugins.module_utils.arch_guard import __version__, installation
from integration.test_module import CORES, PAIRS, PYTHONS

ROOT = Path(__file__).resolve().parents[2]
ROLE = ROOT / "roles" / "eessi_arch_guard"
SOURCE = ROOT / "plugins" / "module_utils" / "arch_guard"
DEPLOY = ROOT / "playbooks" / "deploy.yml"
OLDEST, NEWEST = PAIRS[0], PAIRS[-1]
SITE_CONF = "ClusterName=test\ntaskprolog = site.sh # of the site\nNodeName=n1 CPUs=1"

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="needs root")


class Play:
    """How a play ended: `status`, `text` of its output, and `changed` tasks of its hosts."""

    def __init__(self, done):
        self.status = done.returncode
        self.text = done.stdout + done.stderr
        self.changed = sum(int(count) for count in re.findall(r" changed=(\d+) ", done.stdout))

    def message(self):
        """Return the output with the line breaks of Ansible's display undone."""
        return " ".join(self.text.split())


class Machine:
    """One or more nodes in a directory that every user can get into."""

    def __init__(self, root):
        self.root = root
        self.install_dir = root / "opt" / "guard"
        self.launcher = self.install_dir / "eessi-arch-guard"
        self.record = root / "record.json"
        self.slurm_conf = root / "slurm.conf"
        self.prologs = root / "task_prolog.d"
        self.calls = root / "calls"
        self.bin = root / "bin"
        self.bin.mkdir()
        self.put(self.bin / "python3", "#!/bin/sh\necho the python3 of PATH was run >&2\nexit 1\n")
        self.slurmd("slurm-wlm 22.05.8")
        self.put(root / "scontrol", f'#!/bin/sh\necho "$1 $SLURM_CONF" >> {self.calls}\n')

    @staticmethod
    def put(path, text, mode=0o755):
        path.write_text(text)
        path.chmod(mode)
        return path

    def slurmd(self, version):
        self.put(self.bin / "slurmd", f"#!/bin/sh\necho {version}\n")

    def variables(self, pair, given):
        return {
            "ansible_become": False,
            "ansible_connection": "local",
            "ansible_python_interpreter": PYTHONS[pair[1]],
            "eessi_arch_guard_install_dir": str(self.install_dir),
            "eessi_arch_guard_slurm_conf": str(self.slurm_conf),
            "eessi_arch_guard_task_prolog_dir": str(self.prologs),
            "eessi_arch_guard_reconfigure": [str(self.root / "scontrol"), "reconfigure"],
            "_eessi_arch_guard_record": str(self.record),
            **given,
        }

    def play(self, *options, pair=NEWEST, playbook=DEPLOY, inventory="localhost,", **given):
        environ = {name: value for name, value in os.environ.items() if not name.startswith(("ANSIBLE_", "EESSI_"))}
        environ["PATH"] = f"{self.bin}:{environ['PATH']}"
        environ["ANSIBLE_PIPELINING"] = "true"
        # As on a node whose administrator keeps files private by default.
        done = subprocess.run(
            ["/bin/sh", "-c", 'umask 077; exec "$@"', "sh", f"{CORES[pair[0]]}/ansible-playbook", "-i", inventory,
             "-e", json.dumps(self.variables(pair, given)), *options, str(playbook)],
            cwd=ROOT, env=environ, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=300,
        )
        return Play(done)

    def present(self, *options, **given):
        play = self.play(*options, **given)
        assert play.status == 0, play.text
        return play

    def absent(self, **given):
        return self.present(eessi_arch_guard_state="absent", **given)

    def refused(self, *options, **given):
        play = self.play(*options, **given)
        assert play.status == 2, play.text
        return play.message()

    def snapshot(self):
        """Return {path: content, target of a link, or mode of a directory} of all but what the doubles wrote."""
        found = {}
        for path in sorted(self.root.rglob("*")):
            if path.is_symlink():
                found[str(path)] = os.readlink(path)
            elif path != self.calls:
                found[str(path)] = path.read_bytes() if path.is_file() else stat.S_IMODE(path.stat().st_mode)
        return found

    def facts(self):
        return installation.describe(str(self.record), ())

    def libraries(self):
        return sorted(path.name for path in (self.install_dir / "lib").iterdir())

    def chained(self):
        return re.search(r"^for \w+ in (.*); do$", self.launcher.read_text(), re.MULTILINE)[1]

    def reconfigured(self):
        told = self.calls.read_text().splitlines() if self.calls.exists() else []
        return [call for call in told if call.startswith("reconfigure ")]


@pytest.fixture
def machine():
    # Not tmp_path: pytest keeps that to the user who runs the tests.
    with tempfile.TemporaryDirectory(prefix="arch-guard-role-") as folder:
        os.chmod(folder, 0o755)
        yield Machine(Path(folder))


@pytest.mark.parametrize("pair", sorted({OLDEST, NEWEST}), ids=str)
def test_from_a_bare_node_and_back(machine, pair):
    machine.slurm_conf.write_text(SITE_CONF)
    machine.slurm_conf.chmod(0o640)
    bare = machine.snapshot()
    wanted = {"pair": pair, "eessi_arch_guard_wiring": "slurm_conf"}

    play = machine.present("--check", "--diff", **wanted)
    assert f"+TaskProlog={machine.launcher}" in play.text
    assert play.changed > 0
    assert machine.snapshot() == bare

    machine.present(**wanted)
    installed = machine.snapshot()
    library = machine.install_dir / "lib" / machine.libraries()[0] / "arch_guard"
    assert {path.name: path.read_bytes() for path in library.glob("*.py")} == {
        path.name: path.read_bytes() for path in SOURCE.glob("*.py")
    }
    assert len(list((library / "__pycache__").iterdir())) == len(list(SOURCE.glob("*.py")))
    for path in [machine.install_dir, *machine.install_dir.rglob("*")]:
        executable = path.is_dir() or path == machine.launcher
        assert stat.S_IMODE(path.stat().st_mode) == (0o755 if executable else 0o644), path
    assert machine.chained() == f"'{machine.root}/site.sh'"
    assert machine.reconfigured() == [f"reconfigure {machine.slurm_conf}"]
    assert stat.S_IMODE(machine.slurm_conf.stat().st_mode) == 0o640
    said = subprocess.run([machine.launcher, "--version"], capture_output=True, text=True, check=True).stdout
    assert said == f"eessi-arch-guard {__version__}\n"
    assert machine.facts() == {
        "installed": True, "version": __version__, "path": str(machine.launcher), "intact": True, "wired": True,
    }

    again = machine.present(**wanted)
    assert (again.changed, machine.snapshot()) == (0, installed), again.text
    assert machine.present("--check", **wanted).changed == 0
    assert len(machine.reconfigured()) == 1

    machine.absent(pair=pair)
    assert machine.snapshot() == bare
    assert len(machine.reconfigured()) == 2
    assert machine.absent(pair=pair).changed == 0
    assert machine.facts()["installed"] is False


def test_auto_takes_an_interpreter_of_the_platform_and_never_that_of_path(machine):
    machine.slurmd("slurm 21.08.8-2")
    machine.present()
    text = machine.launcher.read_text()
    python = re.search(r"^eessi_arch_guard_python='(.*)'$", text, re.MULTILINE)[1]
    assert python.startswith(("/usr/bin/python3", "/usr/libexec/platform-python"))
    assert "'4094'" in text
    assert machine.chained() == ""
    assert not machine.slurm_conf.exists()
    # Damage is seen and mended.
    library = machine.install_dir / "lib" / machine.libraries()[0] / "arch_guard"
    (library / "cli.py").write_text("damaged\n")
    assert machine.facts()["intact"] is False
    (library / "cli.py").chmod(0o666)
    machine.record.resolve().write_text("{damaged")
    machine.slurmd("slurm 22.05.1")
    machine.present()
    assert machine.facts() == {
        "installed": True, "version": __version__, "path": str(machine.launcher), "intact": True, "wired": None,
    }
    assert "'0'" in machine.launcher.read_text()


def other_version(machine, version, text=""):
    source = machine.root / f"source-{version}"
    shutil.copytree(SOURCE, source, ignore=shutil.ignore_patterns("__pycache__"))
    init = source / "__init__.py"
    init.write_text(init.read_text().replace(f'"{__version__}"', f'"{version}"') + text)
    return {"_eessi_arch_guard_source": str(source)}


def test_an_upgrade_keeps_what_a_starting_task_may_use(machine):
    machine.present(**other_version(machine, "0.8.0"))
    first = machine.libraries()
    machine.present(**other_version(machine, "0.9.0"))
    both = machine.libraries()
    assert len(both) == 2
    assert set(first) < set(both)
    machine.present()
    last = machine.libraries()
    assert len(last) == 2
    assert not set(first) & set(last)
    assert machine.present().changed == 0
    assert machine.libraries() == last

    broken = machine.refused(**other_version(machine, "1.0.1", "raise SystemExit('broken')\n"))
    assert "The guard ended with status 1 and said 'broken" in broken
    assert subprocess.run([machine.launcher, "--version"], capture_output=True, text=True, check=True).stdout == (
        f"eessi-arch-guard {__version__}\n"
    )


def test_a_closed_directory_is_found_before_taskprolog_is_set(machine):
    machine.slurm_conf.write_text(SITE_CONF)
    closed = machine.root / "closed"
    closed.mkdir(mode=0o700)
    message = machine.refused(eessi_arch_guard_wiring="slurm_conf", eessi_arch_guard_install_dir=str(closed / "guard"))
    assert f"The user nobody cannot get into the directory {closed}." in message
    assert machine.slurm_conf.read_text() == SITE_CONF
    assert not (closed / "guard" / "eessi-arch-guard").exists()
    machine.absent(eessi_arch_guard_install_dir=str(closed / "guard"))
    assert not (closed / "guard").exists()
    assert not machine.record.is_symlink()


@pytest.mark.parametrize("given, message", [
    ({"eessi_arch_guard_install_dir": "relative"}, "One of the variables of this role cannot be used."),
    ({"eessi_arch_guard_chain": ["/a'b"]}, "One of the variables of this role cannot be used."),
    ({"eessi_arch_guard_python": "/no/such/python"}, "Not there, not startable with -I -S, or older than Python 3.6"),
    ({"eessi_arch_guard_wiring": "task_prolog_d"}, "There is no directory"),
    ({"eessi_arch_guard_chain": ["/etc/no-program"]}, "The user nobody cannot run /etc/no-program."),
    ({"eessi_arch_guard_wiring": "sideways"}, "value of eessi_arch_guard_wiring must be one of"),
], ids=lambda value: "-".join(value) if isinstance(value, dict) else "")
def test_what_cannot_work_is_refused_before_slurm_gets_to_it(machine, given, message):
    assert message in machine.refused(**given)
    assert not machine.launcher.exists()


def test_a_directory_of_somebody_else_is_left_alone(machine):
    machine.install_dir.mkdir(parents=True)
    (machine.install_dir / "theirs").touch()
    before = machine.snapshot()
    assert "has other files in it" in machine.refused()
    assert machine.snapshot() == before


def test_a_directory_of_task_prologs(machine):
    machine.prologs.mkdir()
    bare = machine.snapshot()
    machine.present(eessi_arch_guard_wiring="task_prolog_d")
    link = machine.prologs / "50-eessi-arch-guard"
    assert link.resolve() == machine.launcher.resolve()
    assert machine.present(eessi_arch_guard_wiring="task_prolog_d").changed == 0
    machine.present()
    assert not link.is_symlink()
    machine.absent()
    assert machine.snapshot() == bare


def test_a_taskprolog_that_the_role_did_not_write_keeps_the_guard(machine):
    machine.present()
    machine.slurm_conf.write_text(f"TaskProlog={machine.launcher}\n")
    assert machine.present(eessi_arch_guard_wiring="slurm_conf").changed == 1
    assert machine.slurm_conf.read_text() == f"TaskProlog={machine.launcher}\n"
    assert machine.facts()["wired"] is True
    before = machine.snapshot()
    assert "that line is not one of this role" in machine.refused(eessi_arch_guard_state="absent")
    assert machine.snapshot() == before


def test_wiring_that_is_not_asked_for_any_more_is_taken_back(machine):
    machine.slurm_conf.write_text(SITE_CONF)
    machine.present(eessi_arch_guard_wiring="slurm_conf")
    machine.present()
    assert machine.slurm_conf.read_text() == SITE_CONF
    assert machine.chained() == ""
    assert machine.present().changed == 0


STEPS = """
- hosts: all
  gather_facts: false
  tasks:
    - ansible.builtin.include_role:
        name: eessi.arch_guard.eessi_arch_guard
        tasks_from: {entry}
    - ansible.builtin.debug:
        msg: "published {{{{ eessi_arch_guard_task_prolog | default('nothing') }}}}"
"""


def test_an_image_is_built_and_started_in_two_steps(machine):
    install, configure = (machine.put(machine.root / f"{entry}.yml", STEPS.format(entry=entry), 0o644)
                          for entry in ("install", "configure"))
    machine.present(playbook=install, eessi_arch_guard_wiring="slurm_conf")
    assert machine.launcher.exists()
    machine.slurm_conf.write_text(SITE_CONF)
    play = machine.present(playbook=configure, eessi_arch_guard_wiring="slurm_conf")
    assert f"published {machine.launcher}" in play.text
    assert machine.facts()["wired"] is True
    wired = machine.snapshot()
    assert machine.present(playbook=install, eessi_arch_guard_wiring="slurm_conf").changed == 0
    assert machine.snapshot() == wired


def test_nodes_without_slurm_conf_chain_what_the_controller_has(machine):
    machine.slurm_conf.write_text(SITE_CONF)
    hosts = {
        "node": {"dir": f"{machine.root}/node", "conf": f"{machine.root}/none.conf", "record": f"{machine.root}/n.json"},
        "controller": {"dir": str(machine.install_dir), "conf": str(machine.slurm_conf), "record": str(machine.record)},
    }
    inventory = machine.put(machine.root / "hosts.yml", yaml.safe_dump({"all": {"hosts": hosts}}), 0o644)
    own = {
        "eessi_arch_guard_wiring": "slurm_conf",
        "eessi_arch_guard_install_dir": "{{ dir }}",
        "eessi_arch_guard_slurm_conf": "{{ conf }}",
        "_eessi_arch_guard_record": "{{ record }}",
    }
    machine.present(inventory=str(inventory), **own)
    site = f"'{machine.root}/site.sh'"
    assert machine.chained() == site
    machine.launcher = machine.root / "node" / "eessi-arch-guard"
    assert machine.chained() == site
    assert machine.reconfigured() == [f"reconfigure {machine.slurm_conf}"]


def test_a_change_that_no_daemon_reads_is_said(machine):
    machine.slurm_conf.write_text(SITE_CONF)
    machine.put(machine.root / "scontrol", "#!/bin/sh\nexit 1\n")
    play = machine.present(eessi_arch_guard_wiring="slurm_conf")
    assert "no host of this play could tell slurmctld" in play.message()


@pytest.mark.parametrize("minor", sorted(minor for minor in PYTHONS if minor >= 6))
def test_the_library_is_written_by_each_python(machine, minor):
    folder = machine.root / "lib" / "arch_guard"

    def run(task):
        return subprocess.run(
            [PYTHONS[minor], "-I", "-S", "-c", (ROLE / "files" / "library.py").read_text(), str(folder), task],
            input=json.dumps({"a.py": "A = 'é'\n"}), capture_output=True, text=True, check=True,
        ).stdout.splitlines()

    assert len(run("check")) == 5
    assert not folder.exists()
    assert len(run("write")) == 5
    assert run("write") == run("check") == []
    (folder / "a.py").chmod(0o666)
    assert run("check") == [str(folder / "a.py")]


def test_documented_variables_are_those_with_defaults():
    defaults = yaml.safe_load((ROLE / "defaults" / "main.yml").read_text())
    specs = yaml.safe_load((ROLE / "meta" / "argument_specs.yml").read_text())["argument_specs"]
    assert set(specs) == {path.stem for path in (ROLE / "tasks").glob("*.yml")} & {"main", "install", "configure"}
    for name, spec in specs.items():
        assert {option: about["default"] for option, about in spec["options"].items()} == defaults, name
