# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Jobs of a user under real Slurm, with the guard as the role installs and wires it."""

import json
import os
import shlex
import subprocess
import sys
import time
from pathlib import Path

import pytest

from harness.lmod import find_lmods
from sample.eessi.build import install_eessi
from sample.modules import Software, write_for_targets
from sample.tree import build_repository
from sample.waiting import NEEDS_WAITPKG, write_waiting_program

ROOT = Path(__file__).resolve().parents[2]
ZEN2, ZEN4 = "x86_64/amd/zen2", "x86_64/amd/zen4"
ICL, SPR = "x86_64/intel/icelake", "x86_64/intel/sapphirerapids"
CC80 = "accel/nvidia/cc80"
RELOADED = "eessi-arch-guard: reloaded modules for {node} (loaded for {loaded})"
DIED_OF_SIGILL = 128 + 4
SITE_PROLOG = "#!/bin/sh\necho export SITE_SETTING=of the site\necho print welcome from the site\n"
SHOW = 'echo "$SLURMD_NODENAME $EESSI_SOFTWARE_SUBDIR $(gmx)"'

LMODS = find_lmods()
pytestmark = pytest.mark.skipif(not LMODS, reason="no Lmod on this machine")


class Site:
    """The cluster with EESSI for its users, and the role to play on it."""

    def __init__(self, cluster, root):
        self.cluster = cluster
        self.root = root
        self.install_dir = cluster.directory / "opt"
        self.launcher = self.install_dir / "eessi-arch-guard"
        self.record = cluster.directory / "record.json"
        self.site_prolog = cluster.directory / "site-prolog"
        self.repository = build_repository(root / "cvmfs")
        self.modules = install_eessi(self.repository.root, self.repository.version)
        stack = (Software("GCC", "12.3"), Software("GROMACS", "2024", depends_on=("GCC/12.3",), programs=("gmx",)))
        write_for_targets(self.repository, [ZEN2, ZEN4, ICL, SPR], *stack)
        write_for_targets(self.repository, [ZEN4], Software("only-zen4", "1"))
        for target, options in ((SPR, NEEDS_WAITPKG), (ICL, ()), (ZEN4, ())):
            write_waiting_program(self.repository, target, options)

    def play(self, **variables):
        """Run the role as an administrator does; wait until the daemons have read slurm.conf again."""
        before = self.cluster.log_sizes()
        text = self.cluster.conf.read_bytes()
        given = {
            "ansible_connection": "local", "ansible_become": False, "ansible_python_interpreter": sys.executable,
            "eessi_arch_guard_wiring": "slurm_conf", "eessi_arch_guard_slurm_conf": str(self.cluster.conf),
            "eessi_arch_guard_install_dir": str(self.install_dir), "_eessi_arch_guard_record": str(self.record), **variables,
        }
        environ = {name: value for name, value in os.environ.items() if not name.startswith(("ANSIBLE_", "EESSI_"))}
        done = subprocess.run(
            [Path(sys.executable).parent / "ansible-playbook", "-i", "localhost,", "-e", json.dumps(given),
             ROOT / "playbooks" / "deploy.yml"],
            cwd=ROOT, env=environ, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=300,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        if self.cluster.conf.read_bytes() != text:
            self.cluster.wait_reconfigured(before)
        return done.stdout

    def login(self, *commands, modules="GROMACS", variables=None, **options):
        """Run commands in a shell on the login node in which a user has loaded modules; return the finished process."""
        init = shlex.quote(str(LMODS[0].init_script))
        script = [
            f"export BASH_ENV={init}; . {init}", f"module use {shlex.quote(str(self.modules))}",
            f"export EESSI_MODULE_QUIET_LOAD=1; module load EESSI/{self.repository.version} {modules}", *commands,
        ]
        return self.cluster.run_as_user(["/bin/bash", "-c", "\n".join(script)], env=variables, **options)


@pytest.fixture(scope="module")
def site(cluster, tmp_path_factory):
    """The guard is wired by the role, in front of nothing that the site had: its own TaskProlog is chained."""
    root = tmp_path_factory.mktemp("site")
    root.chmod(0o755)
    built = Site(cluster, root)
    built.site_prolog.write_text(SITE_PROLOG)
    built.site_prolog.chmod(0o755)
    cluster.configure(task_prolog=built.site_prolog)
    built.conf_of_the_site = cluster.conf.read_bytes()
    built.play()
    yield built
    cluster.configure()


def said(done):
    """Return the lines that a job printed, without the site's own."""
    assert done.returncode == 0, done.stdout + done.stderr
    return [line for line in done.stdout.splitlines() if line != "welcome from the site"]


@pytest.mark.parametrize("node, target, label", [
    ("n-zen4", ZEN4, None),
    ("n-zen2", ZEN2, (ZEN2, ZEN4)),
    ("n-spr-vm", ICL, (ICL, ZEN4)),
    ("n-gpu", ZEN4, (f"{ZEN4} {CC80}", f"{ZEN4} no accel")),
])
def test_each_node_runs_from_its_own_tree(site, node, target, label):
    lines = said(site.login(f"srun -w {node} bash -c {shlex.quote(SHOW)}"))
    message = [RELOADED.format(node=label[0], loaded=label[1])] if label else []
    assert lines == [*message, f"{node} {target} {target}"]


def test_eight_tasks_get_one_message(site):
    lines = said(site.login(f"srun -w n-zen2 -n 8 --overcommit bash -c {shlex.quote(SHOW)}"))
    assert sorted(lines) == sorted([RELOADED.format(node=ZEN2, loaded=ZEN4)] + [f"n-zen2 {ZEN2} {ZEN2}"] * 8)


def test_the_prolog_that_the_site_had_goes_on_running(site):
    done = site.login("srun -w n-zen2 bash -c 'echo $SITE_SETTING'")
    assert done.stdout.splitlines()[0] == "welcome from the site"
    assert said(done)[-1] == "of the site"
    plain = site.cluster.srun("-w", "n-zen2", "/bin/sh", "-c", "echo $SITE_SETTING")
    assert plain.stdout.splitlines() == ["welcome from the site", "of the site"]


def batch(site, script, *arguments, timeout=120):
    """Submit a script from a shell with loaded modules; return the lines of its output."""
    path = site.root / f"script-{time.monotonic_ns()}"
    path.write_text("#!/bin/bash\n" + script)
    path.chmod(0o755)
    output = site.cluster.home / path.name
    words = " ".join(shlex.quote(str(word)) for word in ("sbatch", "--wait", f"--output={output}-%a", *arguments, path))
    done = site.login(f"cd ~; {words}", timeout=timeout)
    text = "".join(part.read_text() for part in sorted(site.cluster.home.glob(f"{path.name}-*")))
    return done.returncode, [line for line in text.splitlines() if line != "welcome from the site"]


def test_a_batch_job_across_two_kinds_of_nodes(site):
    script = f"{SHOW}\nsrun -N1 -n1 -w n-zen4 bash -c {shlex.quote(SHOW)}\nsrun -N1 -n1 -w n-zen2 bash -c {shlex.quote(SHOW)}\n"
    status, lines = batch(site, script, "-N2", "-w", "n-zen2,n-zen4")
    assert status == 0
    # The batch host is n-zen2. A step there needs nothing more; one on n-zen4 is detected anew.
    assert lines == [
        RELOADED.format(node=ZEN2, loaded=ZEN4), f"n-zen2 {ZEN2} {ZEN2}",
        RELOADED.format(node=ZEN4, loaded=ZEN2), f"n-zen4 {ZEN4} {ZEN4}",
        f"n-zen2 {ZEN2} {ZEN2}",
    ]


def test_a_job_array(site):
    status, lines = batch(site, f"{SHOW}\n", "--array=1-3", "-w", "n-zen2")
    assert status == 0
    assert lines == [RELOADED.format(node=ZEN2, loaded=ZEN4), f"n-zen2 {ZEN2} {ZEN2}"] * 3


def test_the_interactive_step(site):
    loaded = dict(entry.split("=", 1) for entry in site.login("env -0").stdout.split("\0") if entry)
    typed = 'echo "answer: $EESSI_SOFTWARE_SUBDIR $(gmx)"\nexit\n'
    done = site.cluster.salloc_shell(typed, "-w", "n-zen2", env=loaded)
    shown = done.stdout.replace("\r", "")
    assert f"answer: {ZEN2} {ZEN2}" in shown, shown
    assert RELOADED.format(node=ZEN2, loaded=ZEN4) in shown, shown


def test_a_job_that_brings_no_environment(site):
    done = site.login("srun --export=NONE -w n-zen2 /bin/echo plain")
    assert said(done) == ["plain"]


def test_the_users_own_task_prolog_sees_the_corrected_environment(site):
    own = site.root / "own-prolog"
    own.write_text('#!/bin/sh\necho "print own: $EESSI_SOFTWARE_SUBDIR"\n')
    own.chmod(0o755)
    lines = said(site.login(f"srun --task-prolog={own} -w n-zen2 /bin/true"))
    assert lines == [RELOADED.format(node=ZEN2, loaded=ZEN4), f"own: {ZEN2}"]


def test_messages_can_be_turned_off_with_the_guard(site):
    lines = said(site.login(f"EESSI_ARCH_GUARD=off srun -w n-zen2 bash -c {shlex.quote(SHOW)}"))
    assert lines == [f"n-zen2 {ZEN4} {ZEN4}"]


@pytest.mark.skipif(
    "waitpkg" in Path("/proc/cpuinfo").read_text().split(), reason="this processor has waitpkg: the program cannot die on it"
)
def test_the_program_dies_without_the_guard_and_runs_with_it(site):
    script = """
    EESSI_ARCH_GUARD=off srun -w n-spr-vm wait-for-it; echo "without: $?"
    srun -w n-spr-vm wait-for-it; echo "with: $?"
    """
    # The login node of this user is a Sapphire Rapids machine that shows waitpkg.
    done = site.login(
        f"module --force purge; export EESSI_SOFTWARE_SUBDIR_OVERRIDE={SPR}; module load EESSI app",
        "unset EESSI_SOFTWARE_SUBDIR_OVERRIDE", script,
    )
    lines = said(done)
    assert f"without: {DIED_OF_SIGILL}" in lines
    assert lines[-3:] == [RELOADED.format(node=ICL, loaded=SPR), "it runs", "with: 0"]


MISSING = (
    f"eessi-arch-guard: this node is {ZEN2}, the modules were loaded for {ZEN4}; "
    "not available for this target: only-zen4/1; environment left as it was"
)


def test_a_missing_module_lets_the_job_run_on(site):
    show = 'echo "$EESSI_SOFTWARE_SUBDIR $EESSI_ARCH_GUARD_FAILED"'
    lines = said(site.login(f"srun -w n-zen2 bash -c {shlex.quote(show)}", modules="only-zen4"))
    assert lines == [MISSING, f"{ZEN4} {ZEN4}->{ZEN2}"]


def test_with_abort_the_task_ends_with_the_message(site):
    site.play(eessi_arch_guard_on_failure="abort")
    try:
        done = site.login("srun -w n-zen2 /bin/echo it ran", modules="only-zen4")
        assert done.returncode != 0
        assert MISSING in done.stdout.splitlines()
        assert "it ran" not in done.stdout
        assert said(site.login("srun -w n-zen2 /bin/echo it ran")) == [RELOADED.format(node=ZEN2, loaded=ZEN4), "it ran"]
    finally:
        site.play()


def _left_on(cluster, node):
    return [
        path for place in (cluster.tmp(node), cluster.shm(node)) for path in place.iterdir()
        if not path.name.startswith("slurm-")
    ]


def test_five_hundred_steps_leave_nothing(site):
    cluster = site.cluster
    # A step of several tasks leaves what they shared, until the next such step of the user; those here have one.
    before = set(_left_on(cluster, "n-zen2"))
    # The batch script's own prolog has loaded for n-zen2, so that the steps need nothing.
    script = """
    for number in $(seq 500); do
        srun -n1 /bin/true || echo "step $number: $?"
    done
    """
    status, lines = batch(site, script, "-w", "n-zen2", timeout=560)
    assert (status, lines) == (0, [RELOADED.format(node=ZEN2, loaded=ZEN4)])
    assert set(_left_on(cluster, "n-zen2")) <= before
    deadline = time.monotonic() + 10
    while (found := cluster.run_as_root(["pgrep", "-a", "-U", str(cluster.uid)])).returncode == 0:
        assert time.monotonic() < deadline, found.stdout
        time.sleep(0.1)


def test_absent_restores_what_the_site_had(site):
    site.play(eessi_arch_guard_state="absent")
    assert site.cluster.conf.read_bytes() == site.conf_of_the_site
    assert not site.install_dir.exists()
    assert not site.record.exists()
    done = site.login(f"srun -w n-zen2 bash -c {shlex.quote(SHOW)}")
    assert done.stdout.splitlines() == ["welcome from the site", f"n-zen2 {ZEN4} {ZEN4}"]
