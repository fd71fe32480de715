# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a release would be: made from a copy of the work tree, installed, looked at, and used."""

import json
import os
import re
import shutil
import sys
import tarfile
import tempfile

from . import process, worktree
from .environment import with_home
from .outcome import Outcome
from .paths import CACHE, ROOT

WORK = CACHE / "release"
NAME = "eessi.arch_guard"
# The collection has to work with these alone.
NEEDED = ("meta", "playbooks", "plugins", "roles")
# What belongs to the project and not into the tarball.
LEFT_OUT = ("tests/", "tools/", "extensions/", ".", "Makefile", "ansible.cfg", "pytest.ini", "ruff.toml")
COMPLAINT = re.compile(r"^(?:\[?WARNING|\[?ERROR|CRITICAL)", re.MULTILINE)


class Failed(Exception):
    """A step of the release did not do what it has to; the message says which and why."""


def release(context, log):
    """One test for each step; a step that fails ends it, since those that follow need what it makes."""
    outcome = Outcome()
    shutil.rmtree(WORK, ignore_errors=True)
    WORK.mkdir(parents=True)
    check = _Release(context, log)
    for step in (check.versions_agree, check.changelog, check.build, check.install, check.importer, check.environment,
                 check.documentation, check.bare):
        print(f"  {step.__name__.replace('_', ' ')}: {step.__doc__.splitlines()[0]}", flush=True)
        try:
            step()
        except Failed as failure:
            outcome.fail(f"{step.__name__}: {failure}")
            return outcome
        outcome.passed += 1
    if os.geteuid() == 0:
        try:
            check.deploy()
        except Failed as failure:
            outcome.fail(f"deploy: {failure}")
            return outcome
        outcome.passed += 1
    else:
        outcome.skips.append("the role installs files of root")
    print(f"The tarball: {check.tarball}", flush=True)
    return outcome


class _Release:
    """The steps, and what they hand on."""

    def __init__(self, context, log):
        self.bin = context.release_venv()
        self.log = log
        self.tree = worktree.copy("release-tree")
        self.collections = WORK / "collections"
        self.installed = self.collections / "ansible_collections" / "eessi" / "arch_guard"
        self.tarball = None
        env = dict(context.env, PATH=f"{self.bin}{os.pathsep}{context.env['PATH']}")
        env = with_home(env, CACHE / "home")
        env.pop("ANSIBLE_CONFIG")
        self.env = dict(env, ANSIBLE_COLLECTIONS_PATH=str(self.collections), ANSIBLE_NOCOLOR="1")
        self.version = _field(self.tree / "galaxy.yml", r"^version: (\S+)$")

    @property
    def final(self):
        """The version without the mark of a development state."""
        return self.version.partition("-")[0]

    def versions_agree(self):
        """galaxy.yml, the guard and the newest fragments are of one version."""
        guard = _field(self.tree / "plugins" / "module_utils" / "arch_guard" / "__init__.py", r'^__version__ = "(\S+)"$')
        if guard != self.final:
            raise Failed(f"galaxy.yml says {self.version}, the guard says {guard}")

    def changelog(self):
        """the fragments are in order and make a changelog of this version."""
        self._run("antsibull-changelog", "lint")
        if not re.search(rf"^  {re.escape(self.final)}:$", (self.tree / "changelogs" / "changelog.yaml").read_text(), re.M):
            self._run("antsibull-changelog", "release", "--version", self.final)
        elif list((self.tree / "changelogs" / "fragments").glob("*.y*ml")):
            raise Failed(f"{self.final} is in the changelog already, and there are fragments that are not")
        made = self.tree / "CHANGELOG.md"
        before = made.read_text()
        self._run("antsibull-changelog", "generate")
        if made.read_text() != before or f"v{self.final}" not in before.replace("\\", ""):
            raise Failed("CHANGELOG.md is not what the changelog makes, or does not tell of this version")

    def build(self):
        """a tarball with all that is needed and nothing of the project's tests and tools."""
        self._run("ansible-galaxy", "collection", "build", "--output-path", WORK)
        self.tarball = WORK / f"eessi-arch_guard-{self.version}.tar.gz"
        with tarfile.open(self.tarball) as tar:
            names = {member.name for member in tar if member.isfile()}
        wanted = {name for name in worktree.files() if name.startswith(tuple(f"{folder}/" for folder in NEEDED))}
        lacking = sorted((wanted | {"README.md", "CHANGELOG.md"}) - names)
        strange = sorted(name for name in names if name.startswith(LEFT_OUT))
        if lacking or strange:
            raise Failed(f"lacking: {lacking}, not to be there: {strange}")

    def install(self):
        """the tarball goes into an empty place without a network."""
        self._run("ansible-galaxy", "collection", "install", self.tarball, "--collections-path", self.collections, "--offline")
        self._run("ansible-galaxy", "collection", "verify", NAME, "--offline", "--collections-path", self.collections)

    def importer(self):
        """galaxy-importer has nothing to complain of."""
        settings = WORK / "galaxy-importer.cfg"
        settings.write_text("[galaxy-importer]\ncheck_required_tags = true\n")
        self.env["GALAXY_IMPORTER_CONFIG"] = str(settings)
        said = self._run("python", "-m", "galaxy_importer.main", self.tarball, cwd=WORK)
        complaints = [line for line in said.splitlines() if COMPLAINT.match(line)]
        if complaints:
            raise Failed("; ".join(complaints))

    def environment(self):
        """ansible-builder finds that an execution environment needs nothing more."""
        said = self._run("ansible-builder", "introspect", self.collections)
        if re.search(r"^ +- ", said, re.MULTILINE):
            raise Failed(f"the collection asks for: {said}")

    def documentation(self):
        """ansible-doc shows the modules and the role."""
        for kind, name in (("module", "eessi_arch_guard"), ("module", "eessi_arch_guard_wiring"), ("role", "eessi_arch_guard")):
            self._run("ansible-doc", "--type", kind, f"{NAME}.{name}")

    def bare(self):
        """it works with everything but meta, playbooks, plugins and roles deleted."""
        for path in self.installed.iterdir():
            if path.name not in NEEDED:
                shutil.rmtree(path) if path.is_dir() else path.unlink()
        said = self._run("ansible", "localhost", "--module-name", f"{NAME}.eessi_arch_guard")
        if f'"guard_version": "{self.final}"' not in said:
            raise Failed("the module did not tell its version")

    def deploy(self):
        """the playbook puts this version on a node, and takes it away."""
        # The role looks as an ordinary user, who cannot enter every checkout.
        with tempfile.TemporaryDirectory(prefix="arch-guard-release-") as node:
            os.chmod(node, 0o755)
            variables = {
                "ansible_become": False,
                "ansible_connection": "local",
                "ansible_python_interpreter": sys.executable,
                "eessi_arch_guard_install_dir": f"{node}/opt/guard",
                "eessi_arch_guard_slurm_conf": f"{node}/slurm.conf",
                "_eessi_arch_guard_record": f"{node}/record.json",
            }
            play = ["ansible-playbook", "-i", "localhost,", f"{NAME}.deploy", "-e", json.dumps(variables)]
            self._run(*play)
            said = self._run(f"{node}/opt/guard/eessi-arch-guard", "--version")
            self._run(*play, "-e", "eessi_arch_guard_state=absent")
            left = os.path.exists(f"{node}/opt/guard") or os.path.exists(f"{node}/record.json")
        if f"eessi-arch-guard {self.final}\n" not in said or left:
            raise Failed("another version was installed, or it was not taken away")

    def _run(self, program, *arguments, cwd=None):
        """What a command said; it runs in the copy of the work tree. Raises Failed where its status is not 0."""
        path = self.bin / program if (self.bin / program).exists() else program
        start = self.log.stat().st_size if self.log.exists() else 0
        status = process.run([path, *arguments], self.log, env=self.env, cwd=cwd or self.tree, show=False)
        with self.log.open("rb") as file:
            file.seek(start)
            said = file.read().decode(errors="replace")
        if status != 0:
            raise Failed(f"{program} {' '.join(map(str, arguments[:2]))} exited {status}, see {self.log}")
        return said


def _field(path, pattern):
    found = re.search(pattern, path.read_text(encoding="utf-8"), re.MULTILINE)
    if found is None:
        raise Failed(f"{path.relative_to(ROOT)} has no {pattern}")
    return found[1]
