# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later

"""The guard as TaskProlog: what a task's environment is after it, with real Lmod."""

import json
import os
import resource
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from ansible_collections.eessi.arch_guard.plugins.module_utils.arch_guard import __version__
from harness.applier import apply, run_as_task_prolog
from harness.cluster import build_cluster
from harness.launcher import write_launcher
from harness.lmod import find_lmods, place_lmod
from harness.scenario import GUARD_VARIABLES, Scenario, behaves_alike, compare
from harness.shell import slurm_ids
from harness.step import ask_two_tasks
from sample.eessi.foreign import write_foreign_programs
from sample.modules import (
    Software,
    add_name_alias,
    add_version_alias,
    default_by_link,
    default_by_modulerc,
    hide,
    modules_of,
    write_software,
)
from sample.nodes import SAMPLE_NODES, gpu_node
from sample.waiting import NEEDS_WAITPKG, write_waiting_program

LMODS = find_lmods()
pytestmark = [
    pytest.mark.skipif(not LMODS, reason="no Lmod on this machine"),
]
every_lmod = pytest.mark.parametrize("lmod", LMODS, ids=lambda lmod: lmod.name)

NODES = {node.name: node for node in SAMPLE_NODES}
ZEN2, ZEN4 = "x86_64/amd/zen2", "x86_64/amd/zen4"
ICL, SPR = "x86_64/intel/icelake", "x86_64/intel/sapphirerapids"
CC90, CC120, CC80 = "accel/nvidia/cc90", "accel/nvidia/cc120", "accel/nvidia/cc80"
STACK = (
    Software("zlib", "1.3", prepend_path={"LD_LIBRARY_PATH": ("lib",), "MANPATH": ("man",)}),
    Software("GCC", "12.3", depends_on=("zlib/1.3",), pushenv={"CC": "{installdir}/bin/gcc"}),
    Software("OpenMPI", "4.1", depends_on=("GCC/12.3",), family="mpi", setenv={"OMP_NUM_THREADS": "1"},
             append_path={"PATH": ("extra",)}),
    Software("GROMACS", "2024", depends_on=("OpenMPI/4.1",), programs=("gmx",)),
)
LOADS = ("module load EESSI/2025.06", "module load GROMACS")


@pytest.fixture
def lmod():
    """Return the first Lmod; tests that ask for every one take this name."""
    return LMODS[0]


@pytest.fixture
def cluster(tmp_path_factory, lmod):
    """A sample EESSI with a stack of modules for each usual target."""
    built = build_cluster(tmp_path_factory.mktemp("eessi", numbered=True), lmod)
    built.write([ZEN2, ZEN4, ICL, SPR], *STACK)
    built.write([f"{ZEN4}/{CC90}", f"{ZEN4}/{CC120}", f"{ZEN2}/{CC80}"], Software("CUDA", "12.6.0"))
    return built


@pytest.fixture
def guard(tmp_path):
    """Return a function that runs the guard as Slurm does and returns what it made, strictly read."""
    launcher = write_launcher(tmp_path / "guard")

    def run(environment):
        status, output = run_as_task_prolog([str(launcher)], environment, 60)
        assert status == 0
        # What the loader says before the shell starts cannot be helped; Slurm drops it.
        said = b"".join(line for line in output.splitlines(keepends=True) if not line.startswith(b"ERROR: ld.so:"))
        return apply(said, environment, strict=True)

    return run


def check_equal_to_fresh(cluster, guard, scenario, label, ignore=()):
    """Run a scenario; assert that the result is a fresh load, says so once, and that a second run is silent; and that tasks
    of a step that share get the same.
    """
    incoming = scenario.incoming(cluster.shell, **slurm_ids())
    made = guard(incoming)
    fresh = scenario.fresh(cluster.shell, **slurm_ids())
    assert compare(made.environment, fresh, GUARD_VARIABLES + tuple(ignore)) == []
    assert made.environment["EESSI_ARCH_GUARD_RELOADED"] == label
    assert "EESSI_ARCH_GUARD_FAILED" not in made.environment
    loaded, _arrow, node = label.partition("->")
    assert made.printed[0] == f"eessi-arch-guard: reloaded modules for {node} (loaded for {loaded})"
    again = guard(made.environment)
    assert (again.environment, again.written) == (made.environment, b"")
    first, second, answers = ask_two_tasks(guard, incoming)
    assert (first.environment, first.printed) == (made.environment, made.printed)
    assert (second.environment, second.printed, answers) == (made.environment, [], 1)
    return made, fresh


def check_unchanged(incoming, made, label, message):
    """Assert that a failure left everything as it was and said why."""
    assert compare(made.environment, incoming, GUARD_VARIABLES) == []
    assert made.environment["EESSI_ARCH_GUARD_FAILED"] == label
    assert made.printed == [message]


MOVES = [
    (NODES["zen4"], NODES["zen2"], f"{ZEN4}->{ZEN2}"),
    (NODES["zen2"], NODES["zen4"], f"{ZEN2}->{ZEN4}"),
    (NODES["sapphirerapids"], NODES["zen4"], f"{SPR}->{ZEN4}"),
    (gpu_node("gpu", "zen4", "9.0"), NODES["zen4"], f"{ZEN4} {CC90}->{ZEN4} no accel"),
    (NODES["zen4"], gpu_node("gpu", "zen4", "9.0"), f"{ZEN4} no accel->{ZEN4} {CC90}"),
    (gpu_node("gpu", "zen4", "9.0"), gpu_node("gpu", "zen4", "12.0"), f"{ZEN4} {CC90}->{ZEN4} {CC120}"),
    (gpu_node("gpu", "zen4", "9.0"), gpu_node("gpu", "zen2", "8.6"), f"{ZEN4} {CC90}->{ZEN2} accel/nvidia/cc86"),
    (gpu_node("gpu", "zen4", "9.0"), gpu_node("gpu", "zen4", "8.9"), f"{ZEN4} {CC90}->{ZEN4} accel/nvidia/cc89"),
]


@every_lmod
@pytest.mark.parametrize("login, compute, label", MOVES, ids=[label for _login, _compute, label in MOVES])
def test_another_node_gets_the_environment_of_a_fresh_load(cluster, guard, login, compute, label):
    scenario = Scenario(login, compute, LOADS)
    made, _fresh = check_equal_to_fresh(cluster, guard, scenario, label)
    listed = scenario.fresh_from_list(cluster.shell, made.environment, **slurm_ids())
    for name in GUARD_VARIABLES:
        made.environment.pop(name, None)
    assert behaves_alike(cluster.shell, made.environment, listed) == []


@every_lmod
def test_a_hidden_waitpkg_is_pinned_around(cluster, guard):
    scenario = Scenario(NODES["sapphirerapids"], NODES["sapphirerapids-vm"], LOADS)
    incoming = scenario.incoming(cluster.shell, **slurm_ids())
    made = guard(incoming)
    assert made.environment["EESSI_ARCH_GUARD_RELOADED"] == f"{SPR}->{ICL}"
    assert "EESSI_SOFTWARE_SUBDIR_OVERRIDE" not in made.environment
    # EESSI's own detection would offer sapphirerapids: a fresh load that is right has the user's pin.
    pinned = Scenario(
        NODES["sapphirerapids"], NODES["sapphirerapids-vm"], LOADS,
        (f"export EESSI_SOFTWARE_SUBDIR_OVERRIDE={ICL}",), ("unset EESSI_SOFTWARE_SUBDIR_OVERRIDE",),
    )
    fresh = pinned.fresh(cluster.shell, **slurm_ids())
    assert fresh["EESSI_ARCHDETECT_OPTIONS"] == ICL
    assert compare(made.environment, fresh, GUARD_VARIABLES) == []
    assert guard(made.environment).written == b""


ACTIONS = {
    "a virtual environment in front": ('export VIRTUAL_ENV=/home/u/venv PATH="/home/u/venv/bin:$PATH"',),
    "directories behind": ('export PATH="$PATH:/home/u/bin" MANPATH="$MANPATH:/home/u/man"',),
    "libraries on both sides": ('export LD_LIBRARY_PATH="/opt/a:$LD_LIBRARY_PATH:/opt/b"',),
    "a new variable": ("export MINE='a b'",),
    "a changed variable": ("export OMP_NUM_THREADS=16",),
    "a removed variable": ("unset OMP_NUM_THREADS",),
    "a changed compiler": ("export CC=icx",),
    "an empty variable": ("export OMP_NUM_THREADS=",),
    "a preloaded library": ("export LD_PRELOAD=/nowhere/libdarshan.so",),
    "directories of modules": ("module use /home/u/modules", "module use -a /home/u/behind"),
    "odd spelling in PATH": ('export PATH="/home//u/bin/:$PATH"',),
    "a prompt": ("export PS1='$ '",),
    "python traps": ("export PYTHONHOME=/apps/python/3.7 PYTHONPATH=/home/u/py PYTHONSTARTUP=/x",),
    "odd bytes": (r"export MINE=$'\xff\xfe' OTHER=ä",),
    "odd locale": ("export LC_ALL=xx_XX.nonsense LANG=C",),
    "shell options": ("export POSIXLY_CORRECT=1", "export SHELLOPTS"),
    "lmod settings": ("export LMOD_REDIRECT=yes LMOD_COLORIZE=yes LMOD_PAGER=more LMOD_EXACT_MATCH=yes LMOD_SHORT_TIME=0.01",),
    "an environment of its own": ("export BASH_ENV=/home/u/nounset.sh ENV=/home/u/nounset.sh",),
}


@pytest.mark.parametrize("action", ACTIONS)
def test_what_the_user_did_is_kept(cluster, guard, action):
    scenario = Scenario(NODES["zen4"], NODES["zen2"], LOADS, after=ACTIONS[action])
    check_equal_to_fresh(cluster, guard, scenario, f"{ZEN4}->{ZEN2}")


BEFORE = {
    "directories in front before loading": ('export PATH="/home/u/bin:$PATH" LD_LIBRARY_PATH=/opt/a',),
    "directories of modules": ("module use /home/u/modules",),
    "a compiler": ("export CC=icx",),
    "sticky": ("export EESSI_MODULE_STICKY=1",),
    "family": ("export EESSI_MODULE_FAMILY_NAME=stack",),
    "prompt": ("export PS1='$ ' EESSI_MODULE_UPDATE_PS1=1",),
    "quiet": ("export EESSI_MODULE_QUIET_LOAD=1",),
    "exact match": ("export LMOD_EXACT_MATCH=yes",),
}


@every_lmod
@pytest.mark.parametrize("action", BEFORE)
def test_what_was_set_before_loading(cluster, guard, action):
    loads = ("module load EESSI/2025.06", "module load GROMACS/2024")
    scenario = Scenario(NODES["zen4"], NODES["zen2"], loads, before=BEFORE[action])
    check_equal_to_fresh(cluster, guard, scenario, f"{ZEN4}->{ZEN2}")


def test_a_user_between_two_loads_stays_between(cluster, guard):
    loads = (LOADS[0], 'export PATH="/home/u/between:$PATH"', "module load GCC")
    scenario = Scenario(NODES["zen4"], NODES["zen2"], loads)
    check_equal_to_fresh(cluster, guard, scenario, f"{ZEN4}->{ZEN2}")


def test_forty_modules_leave_nothing_behind(cluster, guard):
    chain = [Software("m0", "1")] + [Software(f"m{n}", "1", depends_on=(f"m{n - 1}/1",)) for n in range(1, 40)]
    cluster.write([ZEN2, ZEN4], *chain)
    scenario = Scenario(NODES["zen4"], NODES["zen2"], (LOADS[0], "module load m39"))
    made, _fresh = check_equal_to_fresh(cluster, guard, scenario, f"{ZEN4}->{ZEN2}")
    assert made.environment["LOADEDMODULES"].count("/1") == 40
    assert not [name for name, value in made.environment.items() if f"/{ZEN4}" in value and name != "EESSI_ARCH_GUARD_RELOADED"]


def test_other_ways_to_name_a_module(cluster, guard):
    for target in (ZEN2, ZEN4):
        tree = cluster.repository.target(target)
        write_software(tree, Software("R", "4.1"), Software("R", "4.2"), Software("Py", "3.1"), Software("Py", "3.2"))
        write_software(tree, Software("secret", ".1"), Software("hush", "2"), Software("perl", "5.36"))
        default_by_link(tree, "R", "4.1")
        default_by_modulerc(tree, "Py", "3.1")
        add_version_alias(tree, "perl", "5.36", "old")
        add_name_alias(tree, "camel", "perl/5.36")
        hide(tree, "hush/2")
    scenario = Scenario(
        NODES["zen4"], NODES["zen2"],
        (LOADS[0], "module load R", "module load Py", "module load camel", "module load secret/.1", "module load hush/2"),
    )
    made, _fresh = check_equal_to_fresh(cluster, guard, scenario, f"{ZEN4}->{ZEN2}")
    assert made.environment["LOADEDMODULES"] == "EESSI/2025.06:R/4.1:Py/3.1:perl/5.36:secret/.1:hush/2"


def test_site_modules_and_sticky_ones_are_kept(tmp_path, lmod, guard):
    site = tmp_path / "site"
    write_software(site, Software("license", "1", setenv={"LICENSE": "here"}, sticky=True), Software("tools", "1"))
    cluster = build_cluster(tmp_path / "eessi", lmod, modulepath=[modules_of(site)])
    cluster.write([ZEN2, ZEN4], *STACK)
    loads = ("module load license", LOADS[0], LOADS[1], "module load tools")
    made, _fresh = check_equal_to_fresh(
        cluster, guard, Scenario(NODES["zen4"], NODES["zen2"], loads), f"{ZEN4}->{ZEN2}"
    )
    assert made.environment["LOADEDMODULES"].startswith("license/1:EESSI/2025.06:")


def test_a_private_tree_in_front_wins_as_it_did(cluster, guard, tmp_path):
    private = tmp_path / "private"
    write_software(private, Software("GCC", "12.3", setenv={"FROM": "private"}), Software("own", "1"))
    loads = (LOADS[0], f"module use {modules_of(private)}", "module load GCC/12.3", "module load own/1", "module load OpenMPI")
    scenario = Scenario(NODES["zen4"], NODES["zen2"], loads)
    made, _fresh = check_equal_to_fresh(cluster, guard, scenario, f"{ZEN4}->{ZEN2}")
    assert made.environment["FROM"] == "private"


@pytest.mark.parametrize("exists", [True, False])
def test_a_users_tree_with_the_target_in_its_path(cluster, guard, tmp_path, exists):
    trees = {target: tmp_path / "easybuild" / target for target in (ZEN2, ZEN4)}
    write_software(trees[ZEN4], Software("own", "1"))
    modules_of(trees[ZEN2]).mkdir(parents=True)
    if exists:
        write_software(trees[ZEN2], Software("own", "1"))
    loads = (LOADS[0], "module load GCC", f"module use {modules_of(trees[ZEN4])}", "module load own")
    incoming = Scenario(NODES["zen4"], NODES["zen2"], loads).incoming(cluster.shell, **slurm_ids())
    made = guard(incoming)
    if exists:
        assert made.environment["EBROOTOWN"] == str(trees[ZEN2] / "software" / "own" / "1")
        assert made.environment["EESSI_ARCH_GUARD_RELOADED"] == f"{ZEN4}->{ZEN2}"
        assert f"/{ZEN4}" not in made.environment["_LMFILES_"]
    else:
        check_unchanged(
            incoming, made, f"{ZEN4}->{ZEN2}",
            f"eessi-arch-guard: this node is {ZEN2}, the modules were loaded for {ZEN4}; "
            "not available for this target: own/1; environment left as it was",
        )


def test_a_users_tree_without_its_new_directory_is_named(cluster, guard, tmp_path):
    tree = tmp_path / "easybuild" / ZEN4
    write_software(tree, Software("own", "1"))
    loads = (LOADS[0], f"module use {modules_of(tree)}", "module load own", "module load GCC")
    incoming = Scenario(NODES["zen4"], NODES["zen2"], loads).incoming(cluster.shell, **slurm_ids())
    made = guard(incoming)
    assert "not available for this target: own/1; environment left as it was" in made.printed[0]
    assert compare(made.environment, incoming, GUARD_VARIABLES) == []


@every_lmod
def test_missing_modules_are_named_in_load_order_and_nothing_changes(cluster, guard):
    cluster.write(
        [ZEN4], Software("late", "1"), Software("early", "2"), Software("middle", "3"),
    )
    cluster.write([ZEN2, ZEN4], Software("needs", "1", depends_on=("early/2",)))
    loads = (LOADS[0], "module load needs", "module load GCC", "module load middle", "module load late")
    scenario = Scenario(NODES["zen4"], NODES["zen2"], loads)
    incoming = scenario.incoming(cluster.shell, **slurm_ids())
    check_unchanged(
        incoming, guard(incoming), f"{ZEN4}->{ZEN2}",
        f"eessi-arch-guard: this node is {ZEN2}, the modules were loaded for {ZEN4}; "
        "not available for this target: early/2, middle/3, late/1; environment left as it was",
    )


def test_a_module_that_the_new_accelerator_lacks(cluster, guard):
    cluster.write([f"{ZEN4}/{CC90}"], Software("NCCL", "2.20"))
    loads = (LOADS[0], "module load CUDA", "module load NCCL")
    scenario = Scenario(gpu_node("gpu", "zen4", "9.0"), gpu_node("gpu", "zen4", "12.0"), loads)
    incoming = scenario.incoming(cluster.shell, **slurm_ids())
    check_unchanged(
        incoming, guard(incoming), f"{ZEN4} {CC90}->{ZEN4} {CC120}",
        f"eessi-arch-guard: this node is {ZEN4} {CC120}, the modules were loaded for {ZEN4} {CC90}; "
        "not available for this target: NCCL/2.20; environment left as it was",
    )


def test_a_module_that_breaks_is_a_failure_with_the_tools_own_words(cluster, guard):
    cluster.write([ZEN4], Software("odd", "1"))
    cluster.write([ZEN2], Software("odd", "1", lua=('LmodError("not on a day like this")',)))
    incoming = Scenario(NODES["zen4"], NODES["zen2"], (LOADS[0], "module load odd")).incoming(cluster.shell, **slurm_ids())
    made = guard(incoming)
    check_unchanged(
        incoming, made, f"{ZEN4}->{ZEN2}",
        f"eessi-arch-guard: this node is {ZEN2}, the modules were loaded for {ZEN4}; the module tool says: "
        "not on a day like this; environment left as it was",
    )


def test_modules_that_write_code_and_noise(cluster, guard):
    noise = Software("noise", "1", lua=(
        'LmodMessage("a message")', 'io.stderr:write("export HOME=/stolen\\n")',
        'execute{cmd="echo export HOME=/stolen; export NOISE=made", modeA={"load"}}', 'set_alias("ll", "ls -l")',
        'set_shell_function("noisy", "echo noise", "echo noise")',
    ))
    cluster.write([ZEN2, ZEN4], noise)
    scenario = Scenario(NODES["zen4"], NODES["zen2"], (LOADS[0], "module load noise"))
    made, _fresh = check_equal_to_fresh(cluster, guard, scenario, f"{ZEN4}->{ZEN2}")
    assert made.environment["HOME"] == str(cluster.shell.home)


@pytest.mark.parametrize("code, why", [
    (r"""ODD=$'first\nunset HOME'""", "its value has a line feed"),
    ("printf -v ODD %131067s x", "its value has 128 KiB or more"),
    ("printf -v ODD %300000s x", "its value has 128 KiB or more"),
])
def test_a_value_that_cannot_be_carried_is_named(cluster, guard, code, why):
    for target, made in ((ZEN4, "ODD=zen4"), (ZEN2, code)):
        cluster.write([target], Software("odd", "1", lua=(f'execute{{cmd=[[{made}; export ODD]], modeA={{"load"}}}}',)))
    incoming = Scenario(NODES["zen4"], NODES["zen2"], (LOADS[0], "module load odd")).incoming(cluster.shell, **slurm_ids())
    assert incoming["ODD"] == "zen4"
    check_unchanged(
        incoming, guard(incoming), f"{ZEN4}->{ZEN2}",
        f"eessi-arch-guard: this node is {ZEN2}, the modules were loaded for {ZEN4}; ODD cannot be passed on: {why}; "
        "environment left as it was",
    )


def test_long_values_and_odd_names_pass(cluster, guard):
    cluster.write([ZEN2, ZEN4], Software("long", "1", lua=('setenv("LONG", installdir .. string.rep("x", 100000))',)))
    incoming = Scenario(NODES["zen4"], NODES["zen2"], (LOADS[0], "module load long")).incoming(cluster.shell, **slurm_ids())
    incoming["odd-name"] = "first\nsecond"
    incoming["WITH_LINE_FEED"] = "first\nsecond"
    made = guard(incoming)
    assert f"/{ZEN2}/" in made.environment["LONG"] and len(made.environment["LONG"]) > 100000
    assert (made.environment["odd-name"], made.environment["WITH_LINE_FEED"]) == ("first\nsecond", "first\nsecond")


def test_nothing_is_started_where_there_is_nothing_to_do(cluster, guard, tmp_path):
    log = tmp_path / "log"
    base = {**cluster.shell.login(NODES["zen2"]), "EESSI_STUB_LOG": str(log)}
    incoming = Scenario(NODES["zen4"], NODES["zen2"], LOADS).incoming(cluster.shell, EESSI_STUB_LOG=str(log))
    for change in (
        {"EESSI_SOFTWARE_SUBDIR": ""}, {"EESSI_ARCH_GUARD": "off"}, {"EESSI_SOFTWARE_SUBDIR_OVERRIDE": "x86_64/nonsense"},
        {"EESSI_ARCHDETECT_OPTIONS_OVERRIDE": "x86_64/nonsense"},
    ):
        environment = {**incoming, **change}
        made = guard(environment)
        assert (made.written, made.environment) == (b"", environment)
    assert guard(base).environment == base
    assert not log.exists()


def test_a_match_is_silent_and_runs_no_module_tool(cluster, guard, tmp_path):
    for login, compute in ((NODES["zen4"], NODES["zen4"]), (gpu_node("a", "zen4", "8.6"), gpu_node("b", "zen4", "8.6,7.5"))):
        incoming = Scenario(login, compute, LOADS).incoming(cluster.shell, **slurm_ids())
        incoming["LMOD_CMD"] = "/no/such/lmod"
        made = guard(incoming)
        assert (made.written, made.environment) == (b"", incoming)


def test_a_loaded_cc86_that_is_served_by_cc80_does_not_reload_for_ever(cluster, guard):
    node = gpu_node("gpu", "zen4", "8.6")
    incoming = Scenario(node, node, LOADS).incoming(cluster.shell, **slurm_ids())
    assert (incoming["EESSI_ACCEL_SUBDIR"], incoming["EESSI_ACCELERATOR_TARGET"]) == ("accel/nvidia/cc86", CC80)
    assert guard(incoming).environment == incoming


def test_an_accelerator_override_skips_that_comparison(cluster, guard):
    scenario = Scenario(
        gpu_node("gpu", "zen4", "9.0"), gpu_node("gpu", "zen4", "12.0"), LOADS,
        before=("export EESSI_ACCELERATOR_TARGET_OVERRIDE=accel/nvidia/cc90",),
    )
    incoming = scenario.incoming(cluster.shell, **slurm_ids())
    assert guard(incoming).environment == incoming
    other_cpu = Scenario(scenario.login, NODES["zen2"], LOADS, before=scenario.before)
    made, _fresh = check_equal_to_fresh(cluster, guard, other_cpu, f"{ZEN4}->{ZEN2}")
    assert made.environment["EESSI_ACCEL_SUBDIR"] == CC90


def test_a_loaded_accelerator_that_is_garbage_is_never_printed_raw(cluster, guard):
    incoming = Scenario(NODES["zen4"], NODES["zen4"], LOADS).incoming(cluster.shell, **slurm_ids())
    incoming["EESSI_ACCEL_SUBDIR"] = "accel\n\x1b[31munset HOME"
    made = guard(incoming)
    assert made.environment["EESSI_ACCEL_SUBDIR"] == ""
    assert made.environment["EESSI_ARCH_GUARD_RELOADED"] == f"{ZEN4} accel\\n\\x1b[31munset HOME->{ZEN4} no accel"
    assert made.environment["HOME"] == str(cluster.shell.home)


@pytest.mark.parametrize("local, says", [(None, True), ("", True), ("0", True), ("1", False), ("255", False)])
def test_a_message_once_a_node(cluster, guard, local, says):
    incoming = Scenario(NODES["zen4"], NODES["zen2"], LOADS).incoming(cluster.shell)
    if local is not None:
        incoming["SLURM_LOCALID"] = local
    made = guard(incoming)
    assert made.environment["EESSI_SOFTWARE_SUBDIR"] == ZEN2
    assert len(made.printed) == (1 if says else 0)


def test_an_inherited_label_is_replaced(cluster, guard):
    incoming = Scenario(NODES["zen4"], NODES["zen2"], LOADS).incoming(cluster.shell, EESSI_ARCH_GUARD_FAILED="old")
    made = guard(incoming)
    assert "EESSI_ARCH_GUARD_FAILED" not in made.environment
    incoming = {**made.environment, "LMOD_CMD": "/no/such/lmod", "EESSI_SOFTWARE_SUBDIR": ZEN4}
    made = guard(incoming)
    assert "EESSI_ARCH_GUARD_RELOADED" not in made.environment
    assert made.environment["EESSI_ARCH_GUARD_FAILED"] == f"{ZEN4}->{ZEN2}"
    assert made.printed[0].endswith("; there is no Lmod at /no/such/lmod on this node; environment left as it was")


@pytest.mark.parametrize("ignore", [None, "ignore", "other"])
def test_a_node_without_a_directory(tmp_path, lmod, guard, ignore):
    cluster = build_cluster(tmp_path / "eessi", lmod, cpu_targets=(ZEN4,), accel_targets={})
    cluster.write([ZEN4], *STACK)
    incoming = Scenario(NODES["zen4"], NODES["zen2"], LOADS).incoming(cluster.shell)
    if ignore:
        incoming["EESSI_ARCH_GUARD_MISSING"] = ignore
    made = guard(incoming)
    if ignore == "ignore":
        assert (made.written, made.environment) == (b"", incoming)
        return
    check_unchanged(
        incoming, made, f"{ZEN4}->no-software-dir",
        f"eessi-arch-guard: EESSI has no software for this node, the modules were loaded for {ZEN4}; "
        f"no software directory under {cluster.repository.prefix}/software/linux for {ZEN2}, x86_64/generic; "
        "environment left as it was",
    )


@pytest.mark.parametrize("name, value", [
    ("EESSI_PREFIX", "relative"), ("EESSI_PREFIX", "/a/../b"), ("EESSI_INIT_PREFIX", ""), ("EESSI_OS_TYPE", "linux/.."),
])
def test_a_setting_that_is_refused(cluster, guard, tmp_path, name, value):
    log = tmp_path / "log"
    incoming = Scenario(NODES["zen4"], NODES["zen2"], LOADS).incoming(cluster.shell, EESSI_STUB_LOG=str(log))
    incoming[name] = value
    made = guard(incoming)
    assert made.environment["EESSI_ARCH_GUARD_FAILED"] == f"{ZEN4}->archdetect-failed"
    assert name in made.printed[0] and made.printed[0].endswith("; environment left as it was")
    assert compare(made.environment, incoming, GUARD_VARIABLES) == []
    assert not log.exists()


def test_an_eessi_that_is_not_mounted(cluster, guard):
    incoming = Scenario(NODES["zen4"], NODES["zen2"], LOADS).incoming(cluster.shell)
    shutil.rmtree(cluster.repository.root)
    made = guard(incoming)
    assert made.environment["EESSI_ARCH_GUARD_FAILED"] == f"{ZEN4}->archdetect-failed"
    assert compare(made.environment, incoming, GUARD_VARIABLES) == []


def test_eessi_set_up_by_its_init_script_is_a_failure_that_says_so(cluster, guard):
    loads = (f"source {cluster.repository.init_prefix}/bash",)
    incoming = Scenario(NODES["zen4"], NODES["zen2"], loads).incoming(cluster.shell)
    assert "EESSI" not in incoming.get("LOADEDMODULES", "")
    made = guard(incoming)
    check_unchanged(
        incoming, made, f"{ZEN4}->{ZEN2}",
        f"eessi-arch-guard: this node is {ZEN2}, the modules were loaded for {ZEN4}; EESSI was set up by its init script "
        "and not as a module, which cannot be done again here; environment left as it was",
    )


def test_what_still_points_into_the_old_tree_is_named(cluster, guard):
    old = cluster.repository.target(ZEN4)
    after = (f'export MINE="{old}/software/x" OTHER={old}x VIRTUAL_ENV={old}/venv',)
    made, _fresh = check_equal_to_fresh(
        cluster, guard, Scenario(NODES["zen4"], NODES["zen2"], LOADS, after=after), f"{ZEN4}->{ZEN2}"
    )
    assert made.printed[1:] == [f"eessi-arch-guard: still pointing into the tree of {ZEN4}: MINE, VIRTUAL_ENV"]


def test_nothing_is_left_in_the_home_directory(cluster, guard):
    incoming = Scenario(NODES["zen4"], NODES["zen2"], LOADS).incoming(cluster.shell, LMOD_SHORT_TIME="0")
    before = sorted(cluster.shell.home.rglob("*"))
    assert guard(incoming).environment["EESSI_SOFTWARE_SUBDIR"] == ZEN2
    assert sorted(cluster.shell.home.rglob("*")) == before


@pytest.mark.parametrize("has_lmod", [True, False])
def test_another_processor_family(tmp_path, lmod, guard, has_lmod):
    grace = "aarch64/nvidia/grace"
    cluster = build_cluster(tmp_path / "eessi", lmod)
    cluster.write([ZEN4, grace], *STACK)
    layers = {family: cluster.repository.compat(family) for family in ("x86_64", "aarch64")}
    for family in ("x86_64", "aarch64") if has_lmod else ("x86_64",):
        place_lmod(lmod, layers[family] / "usr" / "share" / "Lmod")
    environment = cluster.shell.run(LOADS, cluster.shell.login(NODES["zen4"]))
    # As a job comes from a login node of the other family: its programs are in front, and its Lmod is in use.
    for directory in (layers["x86_64"] / "usr" / "bin", tmp_path / "foreign"):
        write_foreign_programs(directory, ["bash", "sh", "grep", "sed", "uname", "env", "readlink", "dirname", "cut", "head"])
    environment["PATH"] = f"{tmp_path}/foreign:{environment['PATH']}"
    for name, path in (("LMOD_CMD", "libexec/lmod"), ("LMOD_PKG", ""), ("LMOD_DIR", "libexec"), ("BASH_ENV", "init/bash")):
        environment[name] = f"{layers['x86_64']}/usr/share/Lmod/{path}".rstrip("/")
    incoming = cluster.shell.arrive(environment, gpu_node("grace", "grace", machine_type="aarch64"))
    made = guard(incoming)
    if not has_lmod:
        lacking = f"{layers['aarch64']}/usr/share/Lmod/libexec/lmod"
        check_unchanged(
            incoming, made, f"{ZEN4}->{grace}",
            f"eessi-arch-guard: this node is {grace}, the modules were loaded for {ZEN4}; LMOD_CMD is for x86_64, and there "
            f"is no Lmod for aarch64 at {lacking}; environment left as it was",
        )
        return
    assert made.environment["EESSI_ARCH_GUARD_RELOADED"] == f"{ZEN4}->{grace}"
    wrong = {
        name for name, value in made.environment.items()
        if str(layers["x86_64"]) in value or f"/{ZEN4}" in value.replace(f"{ZEN4}->", "")
    }
    assert {name for name in wrong if not name.startswith(("BASH_FUNC_", "__LMOD_", "_ModuleTable"))} == set()
    assert made.environment["PATH"].startswith(f"{tmp_path}/foreign:{cluster.repository.target(grace)}/software/GROMACS")
    assert made.environment["LMOD_CMD"] == f"{layers['aarch64']}/usr/share/Lmod/libexec/lmod"


@pytest.mark.skipif(shutil.which("gcc") is None, reason="no gcc on this machine")
@pytest.mark.skipif(
    "waitpkg" in Path("/proc/cpuinfo").read_text().split(), reason="this processor has waitpkg: the program cannot die on it"
)
def test_the_program_that_dies_without_the_guard_runs_with_it(cluster, guard):
    for target, options in ((SPR, NEEDS_WAITPKG), (ICL, ())):
        write_waiting_program(cluster.repository, target, options)
    scenario = Scenario(NODES["sapphirerapids"], NODES["sapphirerapids-vm"], (LOADS[0], "module load app"))
    incoming = scenario.incoming(cluster.shell, **slurm_ids())

    def job(environment):
        return cluster.shell.steps(["wait-for-it"], environment)[0]

    assert job(incoming).status == 128 + 4
    made = guard(incoming)
    assert (job(made.environment).status, job(made.environment).text) == (0, "it runs\n")


# What the environment of a job must not do to the guard.

TRAPS = {
    "a preloaded library that is not there": {"LD_PRELOAD": "/nowhere/libdarshan.so"},
    "python of a module": {"PYTHONHOME": "/apps/python/3.7", "PYTHONPATH": "/nowhere", "PYTHONSTARTUP": "/nowhere"},
    "a prolog's own variable": {"SLURM_SCRIPT_CONTEXT": "prolog_task"},
    "no home": {"HOME": None, "USER": None, "LOGNAME": None},
    "tracing": {"SHELLOPTS": "xtrace:verbose:nounset:errexit", "PS4": ""},
    "a shell that runs code": {"BASH_ENV": "/nowhere", "ENV": "/nowhere"},
}


@pytest.mark.parametrize("trap", TRAPS)
def test_traps_in_the_environment(cluster, guard, trap):
    incoming = Scenario(NODES["zen4"], NODES["zen2"], LOADS).incoming(cluster.shell)
    for name, value in TRAPS[trap].items():
        incoming.pop(name, None)
        if value is not None:
            incoming[name] = value
    status, output = run_as_task_prolog([str(write_launcher(cluster.shell.work / "guard"))], incoming, 60)
    made = apply(output, incoming)
    assert status == 0
    assert made.environment["EESSI_SOFTWARE_SUBDIR"] == ZEN2
    for name, value in TRAPS[trap].items():
        assert made.environment.get(name) == value
    # What the loader says about a library before the shell runs is all that cannot be helped.
    assert all("ld.so" in line or line.startswith(("set +eux", "+ set +eux")) for line in made.dropped), made.dropped


def test_a_directory_of_traps_as_working_directory(cluster, tmp_path, monkeypatch):
    for name in ("os.py", "re.py", "sys.py", "arch_guard.py", "select.py", "signal.py", "sitecustomize.py"):
        (tmp_path / name).write_text("raise SystemExit('trapped')\n")
    launcher = write_launcher(tmp_path / "guard")
    incoming = Scenario(NODES["zen4"], NODES["zen2"], LOADS).incoming(cluster.shell)
    monkeypatch.chdir(tmp_path)
    status, output = run_as_task_prolog([str(launcher)], incoming, 60)
    assert (status, apply(output, incoming, strict=True).environment["EESSI_SOFTWARE_SUBDIR"]) == (0, ZEN2)


@pytest.mark.parametrize("closed", [(0,), (1,), (2,), (0, 1, 2)])
def test_closed_descriptors(cluster, tmp_path, closed):
    launcher = write_launcher(tmp_path / "guard")
    incoming = Scenario(NODES["zen4"], NODES["zen2"], LOADS).incoming(cluster.shell)
    closing = " ".join(f"{descriptor}>&-" for descriptor in closed)
    done = subprocess.run(
        ["/bin/sh", "-c", f'exec "$1" {closing}', "sh", str(launcher)], env=incoming, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60, check=False,
    )
    assert done.returncode == 0
    if 1 not in closed:
        assert apply(done.stdout, incoming, strict=True).environment["EESSI_SOFTWARE_SUBDIR"] == ZEN2


def test_a_full_device_and_a_broken_pipe(cluster, tmp_path):
    launcher = write_launcher(tmp_path / "guard")
    incoming = Scenario(NODES["zen4"], NODES["zen2"], LOADS).incoming(cluster.shell)
    with open("/dev/full", "wb") as full:
        assert subprocess.run([str(launcher)], env=incoming, stdout=full, stderr=full, timeout=60, check=False).returncode == 0
    reading, writing = os.pipe()
    os.close(reading)
    broken = subprocess.run([str(launcher)], env=incoming, stdout=writing, stderr=writing, timeout=60, check=False)
    os.close(writing)
    assert broken.returncode == 0


def test_very_many_descriptors(cluster, tmp_path):
    launcher = write_launcher(tmp_path / "guard")
    incoming = Scenario(NODES["zen4"], NODES["zen2"], LOADS).incoming(cluster.shell)
    # As many as this machine lets a process have; closing each of a thousand million would take minutes.
    wanted = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    begin = time.monotonic()
    done = subprocess.run(
        ["prlimit", f"--nofile={wanted}:{wanted}", str(launcher)],
        env=incoming, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60, check=False,
    )
    assert time.monotonic() - begin < 10
    assert apply(done.stdout, incoming, strict=True).environment["EESSI_SOFTWARE_SUBDIR"] == ZEN2


def test_no_interpreter_is_no_harm(cluster, tmp_path):
    launcher = write_launcher(tmp_path / "guard", python="/no/such/python")
    incoming = Scenario(NODES["zen4"], NODES["zen2"], LOADS).incoming(cluster.shell)
    assert run_as_task_prolog([str(launcher)], incoming, 60) == (0, b"")


def test_an_interpreter_that_dies_halfway_prints_nothing(cluster, tmp_path):
    dying = tmp_path / "python"
    dying.write_text("#!/bin/sh\necho export HALF=1\nkill -9 $$\n")
    dying.chmod(0o755)
    launcher = write_launcher(tmp_path / "guard", python=str(dying))
    incoming = Scenario(NODES["zen4"], NODES["zen2"], LOADS).incoming(cluster.shell)
    assert run_as_task_prolog([str(launcher)], incoming, 60) == (0, b"")


def test_a_guard_that_is_broken_says_so_and_does_no_harm(cluster, tmp_path):
    library = tmp_path / "library"
    shutil.copytree(Path(__file__).parents[2] / "plugins" / "module_utils" / "arch_guard", library / "arch_guard")
    (library / "arch_guard" / "target.py").write_text(
        (library / "arch_guard" / "target.py").read_text().replace("def choose(", "def chosen(")
    )
    launcher = write_launcher(tmp_path / "guard", library=str(library))
    incoming = Scenario(NODES["zen4"], NODES["zen2"], LOADS).incoming(cluster.shell)
    status, output = run_as_task_prolog([str(launcher)], incoming, 60)
    made = apply(output, incoming, strict=True)
    assert status == 0
    assert made.environment["EESSI_ARCH_GUARD_FAILED"] == f"{ZEN4}->guard-error"
    assert made.printed[0].startswith("eessi-arch-guard: the guard itself failed, the modules were loaded for ")
    assert compare(made.environment, incoming, GUARD_VARIABLES) == []


# The other uses of the command.

def command(tmp_path, environment, *arguments):
    """Run the command; return the finished process."""
    return subprocess.run(
        [str(write_launcher(tmp_path / "guard")), *arguments], env=environment, capture_output=True, text=True, timeout=60,
        check=False,
    )


def test_explain(cluster, tmp_path):
    incoming = Scenario(NODES["sapphirerapids"], NODES["sapphirerapids-vm"], LOADS).incoming(cluster.shell)
    done = command(tmp_path, incoming, "explain")
    assert (done.returncode, done.stderr) == (0, "")
    assert f"CPU target: {ICL}\n" in done.stdout
    assert f"  {SPR}: excluded, this node does not show waitpkg" in done.stdout
    assert f"  EESSI's own module would take {SPR} here; a reload pins {ICL}\n" in done.stdout
    assert f"The loaded modules: reload {SPR}->{ICL}\n" in done.stdout


def test_explain_tells_what_the_next_better_target_would_need(cluster, tmp_path):
    incoming = Scenario(NODES["zen2"], NODES["zen2"], LOADS).incoming(cluster.shell)
    done = command(tmp_path, incoming, "explain")
    assert f"  {ZEN2}: chosen, the first that is installed and not excluded" in done.stdout
    assert "  x86_64/amd/zen3: installed, not offered to this node; its compiler uses " in done.stdout
    assert "vaes" in done.stdout


def test_facts_are_one_line_of_json(cluster, tmp_path):
    incoming = Scenario(NODES["zen4"], NODES["zen2"], LOADS).incoming(cluster.shell)
    done = command(tmp_path, incoming, "facts")
    assert (done.returncode, done.stderr, done.stdout.count("\n")) == (0, "", 1)
    facts = json.loads(done.stdout)
    assert (facts["cpu"]["target"], facts["verdict"], facts["label"]) == (ZEN2, "reload", f"{ZEN4}->{ZEN2}")


def test_version_and_usage(tmp_path):
    base = {"PATH": "/usr/bin:/bin"}
    assert command(tmp_path, base, "--version").stdout == f"eessi-arch-guard {__version__}\n"
    assert command(tmp_path, base, "--help").stdout.startswith("usage: eessi-arch-guard [facts")
    for wrong in (["nonsense"], ["facts", "more"], [""]):
        done = command(tmp_path, base, *wrong)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.startswith("usage: eessi-arch-guard [facts")
