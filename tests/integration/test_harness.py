# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The harness itself: the sample EESSI module, module files, shells, the TaskProlog applier, and comparison."""

import errno
import os
import subprocess

import pytest

from harness.applier import VARIABLE_LIMIT, PrologOutputError, apply, run_as_task_prolog
from harness.cluster import build_cluster
from harness.lmod import MORE_VARIABLE, PACKAGED, find_lmods, place_lmod
from harness.scenario import Difference, Scenario, behaves_alike, compare, follow_ups
from harness.shell import ShellError, slurm_ids
from sample.eessi.build import SAMPLE, SCRIPTS_VARIABLE, eessi_scripts, install_eessi, module_directory
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

LMODS = find_lmods()
NODES = {node.name: node for node in SAMPLE_NODES}
ZEN2, ZEN4 = "x86_64/amd/zen2", "x86_64/amd/zen4"

with_lmod = pytest.mark.skipif(not LMODS, reason="no Lmod on this machine")
every_lmod = pytest.mark.parametrize("lmod", LMODS, ids=lambda lmod: lmod.name)
MESSAGE = "Module for EESSI/2025.06 loaded successfully"


@pytest.fixture
def lmod():
    return LMODS[0]


@pytest.fixture
def cluster(tmp_path, lmod):
    """Tests that ask for every Lmod take this one with each of them."""
    return build_cluster(tmp_path, lmod)


def loaded(cluster, node, *commands, **variables):
    """The environment on `node` after EESSI was loaded and `commands` were given."""
    environment = {**cluster.shell.login(node), **variables}
    return cluster.shell.run([f"module load {cluster.eessi}", *commands], environment)


# The sample EESSI module.

@with_lmod
@every_lmod
@pytest.mark.parametrize("node, target, accel_subdir, accel_target", [
    (NODES["zen2"], ZEN2, "", None),
    (NODES["zen4"], ZEN4, "", None),
    (NODES["sapphirerapids"], "x86_64/intel/sapphirerapids", "", None),
    # EESSI's own detection does not see that waitpkg is hidden.
    (NODES["sapphirerapids-vm"], "x86_64/intel/sapphirerapids", "", None),
    (NODES["grace"], "aarch64/nvidia/grace", "accel/nvidia/cc90", "accel/nvidia/cc90"),
    (NODES["zen4-broken-gpu"], ZEN4, "", None),
    (gpu_node("cc120", "zen4", "12.0"), ZEN4, "accel/nvidia/cc120", "accel/nvidia/cc120"),
    (gpu_node("cc86", "zen4", "8.6"), ZEN4, "accel/nvidia/cc86", "accel/nvidia/cc80"),
    (gpu_node("two", "zen4", "8.6", "9.0"), ZEN4, "accel/nvidia/cc86", "accel/nvidia/cc80"),
    (gpu_node("cc75", "zen4", "7.5"), ZEN4, "accel/nvidia/cc75", None),
], ids=lambda value: getattr(value, "name", None))
def test_the_module_takes_the_target_of_the_node(cluster, node, target, accel_subdir, accel_target):
    repository = cluster.repository
    environment = loaded(cluster, node)
    assert environment["EESSI_SOFTWARE_SUBDIR"] == target
    assert environment["EESSI_ACCEL_SUBDIR"] == accel_subdir
    assert environment.get("EESSI_ACCELERATOR_TARGET") == accel_target
    compat = repository.compat(node.machine_type)
    assert environment["EPREFIX"] == environment["EESSI_EPREFIX"] == str(compat)
    assert environment["PATH"].split(":")[:2] == [str(compat / "usr/bin"), str(compat / "bin")]
    trees = [repository.target(target)]
    if accel_target:
        trees.insert(0, repository.target(target, accel_target))
    site = str(trees[-1]).replace("/versions/", "/host_injections/")
    assert environment["MODULEPATH"].split(":") == [
        f"{site}/modules/all", *(f"{tree}/modules/all" for tree in trees), str(module_directory(repository.root)),
    ]
    assert environment["LMOD_RC"] == f"{site}/.lmod/lmodrc.lua:{trees[-1]}/.lmod/lmodrc.lua"
    assert environment["LMOD_PACKAGE_PATH"] == str(trees[-1] / ".lmod")


@with_lmod
@every_lmod
@pytest.mark.parametrize("variables", [
    {}, {"LMOD_PACKAGE_PATH": "/etc/lmod"}, {"LMOD_RC": "/etc/lmodrc.lua"},
    {"PS1": "$ ", "EESSI_MODULE_UPDATE_PS1": "1"}, {"EESSI_MODULE_FAMILY_NAME": "stack"},
    {"EESSI_ACCELERATOR_TARGET_OVERRIDE": "accel/nvidia/cc90"}, {"EESSI_ARCHDETECT_OPTIONS_OVERRIDE": ZEN2},
])
def test_unload_takes_everything_away(cluster, variables):
    node = gpu_node("gpu", "zen4", "8.6")
    environment = loaded(cluster, node, f"module unload {cluster.eessi}", **variables)
    assert compare(environment, {**cluster.shell.login(node), **variables}) == []


@with_lmod
@pytest.mark.parametrize("variables, expected", [
    ({"EESSI_SOFTWARE_SUBDIR_OVERRIDE": ZEN2}, {"EESSI_SOFTWARE_SUBDIR": ZEN2, "EESSI_ARCHDETECT_OPTIONS": ZEN2}),
    (
        {"EESSI_ARCHDETECT_OPTIONS_OVERRIDE": f"{ZEN4}0:{ZEN2}"},
        {"EESSI_SOFTWARE_SUBDIR": ZEN2, "EESSI_ARCHDETECT_OPTIONS": None},
    ),
    (
        {"EESSI_ACCELERATOR_TARGET_OVERRIDE": "accel/nvidia/cc89"},
        {"EESSI_ACCEL_SUBDIR": "accel/nvidia/cc89", "EESSI_ACCELERATOR_TARGET": "accel/nvidia/cc80"},
    ),
    ({"EESSI_CPU_FAMILY_OVERRIDE": "sparc"}, {"EESSI_CPU_FAMILY": "sparc"}),
    ({"EESSI_MODULE_FAMILY_NAME": "stack"}, {"LMOD_FAMILY_STACK": "EESSI"}),
    ({"PS1": "$ ", "EESSI_MODULE_UPDATE_PS1": "1"}, {"PS1": "{EESSI/2025.06} $ "}),
    ({"PS1": "$ "}, {"PS1": "$ "}),
])
def test_switches_of_the_module(cluster, variables, expected):
    environment = loaded(cluster, NODES["zen4"], **variables)
    assert {name: environment.get(name) for name in expected} == expected


@with_lmod
def test_site_trees_come_first(tmp_path, lmod):
    site = tmp_path / "site"
    cluster = build_cluster(tmp_path, lmod)
    relative = cluster.repository.target(ZEN4, "accel/nvidia/cc90").relative_to(cluster.repository.root)
    (site / relative / "modules/all").mkdir(parents=True)
    variables = {"EESSI_SITE_SOFTWARE_PREFIX": str(site)}
    if eessi_scripts() and "-" in str(tmp_path):
        pytest.skip("EESSI's own module takes the repository as a Lua pattern, and this one has a - in it")
    environment = loaded(cluster, gpu_node("gpu", "zen4", "9.0"), **variables)
    assert environment["MODULEPATH"].split(":")[0] == str(site / relative / "modules/all")
    assert environment["EESSI_SITE_MODULEPATH_ACCEL"] == str(site / relative / "modules/all")
    cpu = relative.parents[2]
    assert environment["EESSI_SITE_SOFTWARE_PATH"] == str(site / cpu)


@with_lmod
@pytest.mark.parametrize("variables, text", [
    ({}, MESSAGE),
    ({"EESSI_MODULE_STICKY": "1"}, MESSAGE + " (requires '--force' option to unload or purge)"),
    ({"EESSI_MODULE_QUIET_LOAD": "1"}, ""),
])
def test_message_and_stickiness(cluster, variables, text):
    environment = {**cluster.shell.login(NODES["zen4"]), **variables}
    load, purge = cluster.shell.steps([f"module load {cluster.eessi}", "module purge"], environment)
    # Lmod folds long lines.
    assert " ".join(load.text.split()) == text
    assert ("EESSI_PREFIX" in purge.environment) == ("EESSI_MODULE_STICKY" in variables)


@with_lmod
def test_a_target_without_software_directory_is_passed_over(cluster):
    (cluster.repository.target(ZEN4) / "software").rmdir()
    assert loaded(cluster, NODES["zen4"])["EESSI_SOFTWARE_SUBDIR"] == "x86_64/amd/zen3"


@with_lmod
def test_no_target_at_all_is_an_error_of_the_module(tmp_path, lmod):
    cluster = build_cluster(tmp_path, lmod, cpu_targets=("aarch64/generic",))
    with pytest.raises(ShellError, match=r"(?i)software directory"):
        loaded(cluster, NODES["zen4"])


@with_lmod
@every_lmod
def test_init_script_sets_eessi_up_without_its_module(cluster, lmod):
    node = gpu_node("gpu", "zen4", "8.6")
    placed = place_lmod(lmod, cluster.repository.compat("x86_64") / "usr/share/Lmod")
    cluster.write([ZEN4], Software("where", "1", programs=("where",)))
    for name in ("lmodrc.lua", "SitePackage.lua"):
        (cluster.repository.target(ZEN4) / ".lmod" / name).write_text("", encoding="utf-8")
    commands = [f"source {cluster.repository.init_prefix}/bash", "module load where/1", "where"]
    variables = {"EESSI_CVMFS_REPO_OVERRIDE": str(cluster.repository.root), "EESSI_VERSION_OVERRIDE": "2025.06"}
    steps = cluster.shell.steps(commands, {**cluster.shell.login(node), **variables})
    assert steps[-1].text == f"{ZEN4}\n", [step.text for step in steps]
    environment = steps[-1].environment
    assert environment["LOADEDMODULES"] == "where/1"
    assert environment["LMOD_CMD"] == str(placed.command)
    assert environment["EESSI_SOFTWARE_SUBDIR"] == ZEN4
    assert environment["EESSI_ACCELERATOR_TARGET"] == "accel/nvidia/cc80"


OWN_SCRIPTS = eessi_scripts()
ACCEL_OVERRIDE = {"EESSI_ACCELERATOR_TARGET_OVERRIDE": "accel/nvidia/cc90"}


@with_lmod
@every_lmod
@pytest.mark.skipif(OWN_SCRIPTS is None, reason=f"{SCRIPTS_VARIABLE} does not name EESSI's own scripts")
@pytest.mark.parametrize("variables", [
    {}, {"EESSI_MODULE_STICKY": "1"}, {"EESSI_MODULE_FAMILY_NAME": "stack"}, ACCEL_OVERRIDE,
    {"EESSI_ARCHDETECT_OPTIONS_OVERRIDE": ZEN2}, {"EESSI_SOFTWARE_SUBDIR_OVERRIDE": "x86_64/amd/zen3"},
    {"PS1": "$ ", "EESSI_MODULE_UPDATE_PS1": "1"}, {"EESSI_ACCEL_SOFTWARE_SUBDIR_OVERRIDE": ZEN2},
    {"EESSI_ARCHDETECT_OPTIONS": ZEN2, "EESSI_ACCEL_SUBDIR": "accel/nvidia/cc90"},
    {"EESSI_CPU_FAMILY_OVERRIDE": "sparc"},
])
@pytest.mark.parametrize("node", [NODES["zen2"], gpu_node("gpu", "zen4", "8.6")], ids=lambda node: node.name)
def test_the_sample_is_as_eessis_own(tmp_path, lmod, variables, node):
    results = []
    for scripts in (None, OWN_SCRIPTS):
        work = tmp_path / ("own" if scripts else "our")
        cluster = build_cluster(work, lmod)
        install_eessi(cluster.repository.root, cluster.repository.version, scripts)
        commands = [f"module load {cluster.eessi}", "module list", "module unload EESSI", "module load EESSI"]
        steps = cluster.shell.steps(commands, {**cluster.shell.login(node), **variables})
        results.append([
            (step.status, step.text, {name: value.replace(str(work), "") for name, value in step.environment.items()})
            for step in steps
        ])
    for (status, text, environment), (own_status, own_text, own_environment) in zip(*results, strict=True):
        assert (status, text) == (own_status, own_text)
        assert compare(environment, own_environment) == []


# Module files.

@with_lmod
@every_lmod
def test_names_that_lead_to_a_module(tmp_path, cluster):
    tree = tmp_path / "tree"
    write_software(tree, *(Software("tool", version, programs=("tool",)) for version in ("1.0", "2.0", "3.0", ".4.0")))
    write_software(tree, *(Software("other", version) for version in ("1.0", "2.0")), Software("old", "9"))
    default_by_link(tree, "tool", "2.0")
    default_by_modulerc(tree, "other", "1.0")
    add_version_alias(tree, "other", "2.0", "newest")
    add_name_alias(tree, "another", "other/2.0")
    hide(tree, "old/9")
    environment = cluster.shell.run([f"module use {modules_of(tree)}"], cluster.shell.login(NODES["zen4"]))

    def loads(name):
        return cluster.shell.run([f"module load {name}"], environment)["LOADEDMODULES"]

    assert loads("tool") == "tool/2.0"
    assert loads("tool/.4.0") == "tool/.4.0"
    assert loads("other") == "other/1.0"
    assert loads("other/newest") == loads("another") == "other/2.0"
    assert loads("old/9") == "old/9"
    assert "old/9" not in cluster.shell.steps(["module avail"], environment)[0].text


@with_lmod
@every_lmod
def test_what_a_module_file_sets(cluster):
    cluster.write(
        [ZEN4],
        Software("base-lib", "1", append_path={"INFO_PATH": ("info",)}),
        Software("needs", "1", depends_on=("base-lib/1",), family="mpi", pushenv={"CC": "{installdir}/bin/cc"}),
        Software("top", "1", loads=("needs/1",), setenv={"MODE": 'a "b" $c'}, lua=('setenv("AT", installdir)',)),
        Software("strict", "1", prereqs=("absent",)),
        Software("rival", "1", conflicts=("top",)),
    )
    environment = loaded(cluster, NODES["zen4"], "module load top", CC="gcc")
    software = cluster.repository.target(ZEN4) / "software"
    assert environment["LOADEDMODULES"] == f"{cluster.eessi}:base-lib/1:needs/1:top/1"
    assert environment["PATH"].startswith(f"{software}/top/1/bin:{software}/needs/1/bin:{software}/base-lib/1/bin:")
    assert environment["INFO_PATH"] == f"{software}/base-lib/1/info"
    assert (environment["EBROOTBASE_LIB"], environment["EBVERSIONBASE_LIB"]) == (f"{software}/base-lib/1", "1")
    assert environment["LMOD_FAMILY_MPI"] == "needs"
    assert environment["CC"] == f"{software}/needs/1/bin/cc"
    assert environment["MODE"] == 'a "b" $c'
    assert environment["AT"] == f"{software}/top/1"
    for name in ("strict", "rival"):
        with pytest.raises(ShellError, match="status 1"):
            cluster.shell.run([f"module load {name}"], environment)


def test_foreign_programs_do_not_start(tmp_path):
    write_foreign_programs(tmp_path / "bin", ["bash"])
    with pytest.raises(OSError, match="Exec format error") as caught:
        subprocess.run([tmp_path / "bin" / "bash"], check=False)
    assert caught.value.errno == errno.ENOEXEC


# Lmods and shells.

def test_lmods_that_a_variable_names(tmp_path):
    assert find_lmods({}) == [lmod for lmod in LMODS if str(lmod.prefix) == PACKAGED]
    script = tmp_path / "libexec" / "lmod"
    script.parent.mkdir()
    script.write_text("#!/bin/sh\necho 'Modules based on Lua: Version 99.1  2026' >&2\n", encoding="utf-8")
    script.chmod(0o755)
    found = find_lmods({MORE_VARIABLE: f"{tmp_path}{os.pathsep}{tmp_path}{os.pathsep}"})
    assert [(lmod.name, lmod.prefix) for lmod in found][-1] == ("lmod-99.1", tmp_path)
    assert [lmod.version for lmod in found].count("99.1") == 1
    with pytest.raises(OSError, match="nowhere"):
        find_lmods({MORE_VARIABLE: str(tmp_path / "nowhere")})
    script.write_text("#!/bin/sh\necho nothing\n", encoding="utf-8")
    with pytest.raises(ValueError, match="nothing"):
        find_lmods({MORE_VARIABLE: str(tmp_path)})


@with_lmod
def test_a_shell_is_as_after_a_login(cluster, monkeypatch):
    monkeypatch.setenv("STRANGER", "1")
    environment = cluster.shell.login(NODES["zen4"])
    assert "STRANGER" not in environment
    assert environment["LMOD_CMD"] == str(LMODS[0].command)
    assert environment["BASH_FUNC_module%%"].startswith("() {")
    value = "two\nlines = \udcff"
    environment = cluster.shell.run([f"export VALUE='{value}'", "f() { :; }\nexport -f f"], environment)
    assert environment["VALUE"] == value
    assert "BASH_FUNC_f%%" in cluster.shell.run([], environment)


@with_lmod
def test_a_shell_that_fails_is_an_error(cluster):
    environment = cluster.shell.login(NODES["zen4"])
    with pytest.raises(ShellError, match=r"status 1 from module load absent: (?s:.*)absent"):
        cluster.shell.run(["module load absent"], environment)
    with pytest.raises(ShellError, match="ended early, status 7"):
        cluster.shell.steps([":", "exit 7", ":"], environment)
    assert [step.status for step in cluster.shell.steps(["false", "echo on"], environment)] == [1, 0]


# The applier.

@pytest.mark.parametrize("output, environment, printed", [
    (b"", {"A": "1"}, []),
    (b"export A=2\n", {"A": "2"}, []),
    (b"export B=\n", {"A": "1", "B": ""}, []),
    (b"export B= x = y \r\n", {"A": "1", "B": " x = y \r"}, []),
    (b"export  \tB =x\n", {"A": "1", "B": "x"}, []),
    (b"export B=x", {"A": "1", "B": "x"}, []),
    (b"export B=\xff\n", {"A": "1", "B": "\udcff"}, []),
    (b"export A=2\nexport A=3\nunset A\nexport A=4\n", {"A": "4"}, []),
    (b"unset A\n", {}, []),
    (b"unset  A \t\n", {}, []),
    (b"unset A", {}, []),
    (b"unset B\n", {"A": "1"}, []),
    (b"print hello  you \n", {"A": "1"}, ["hello  you "]),
    (b"print   hello\nprint \xe2\x80\xa8x\n", {"A": "1"}, ["hello", "\u2028x"]),
    (b"print hello", {"A": "1"}, ["hello\0"]),
    (b"print  \nexport A=2\n", {"A": "2"}, []),
    (b"export A=2\0\nexport A=3\n", {"A": "2"}, []),
])
def test_what_slurm_makes_of_output(output, environment, printed):
    applied = apply(output, {"A": "1"})
    assert applied.environment == environment
    assert applied.printed == printed


@pytest.mark.parametrize("line", [
    "echo", "", " export A=2", "Export A=2", "export\tA=2", "exported A=2", "export A", "export ", "export =2",
    "unset ", "unset", "unset  ", "print", "print ", "printf A", "ERROR: ld.so: object cannot be preloaded", "A=2",
])
def test_lines_that_have_no_effect(line):
    output = f"print a\n{line}\nprint b\n".encode()
    applied = apply(output, {"A": "1"})
    assert applied.environment == {"A": "1"}
    assert applied.printed == ["a", "b"]
    assert applied.dropped == (line,)
    with pytest.raises(PrologOutputError):
        apply(output, {"A": "1"}, strict=True)


@pytest.mark.parametrize("output", [
    b"export A=2", b"export A=\0\n", b"export  A=2\n", b"export A =2\n", b"export A-B=2\n", b"export 2=2\n",
    b"unset A \n", b"unset A=1\n", b"print  x\n", b"export BASH_FUNC_f%%=() { :; }\n",
])
def test_what_strict_refuses_beyond_that(output):
    with pytest.raises(PrologOutputError):
        apply(output, {"A": "1"}, strict=True)


def test_what_strict_takes():
    output = b"export A= 2\nexport B=\nunset C_1\nprint x \n"
    assert apply(output, {"C_1": "1"}, strict=True).environment == {"A": " 2", "B": ""}


def test_variables_at_the_limit():
    longest = "x" * (VARIABLE_LIMIT - len("NAME") - 3)
    line = f"export NAME={longest}\n".encode()
    assert apply(line, {"NAME": "1"}, strict=True).environment == {"NAME": longest}
    longer = line.replace(b"=", b"=x")
    applied = apply(longer, {"NAME": "1"})
    assert applied.environment == {"NAME": "1"}
    assert len(applied.dropped) == 1
    with pytest.raises(PrologOutputError, match="131072 bytes"):
        apply(longer, {"NAME": "1"}, strict=True)


def test_a_task_prolog_runs_with_one_pipe():
    script = 'echo "print $A"; echo noise >&2; exit 3'
    assert run_as_task_prolog(["/bin/sh", "-c", script], {"A": "1"}) == (3, b"print 1\nnoise\n")
    assert run_as_task_prolog(["/bin/sh", "-c", "kill -9 $$"], {}) == (-9, b"")
    with pytest.raises(subprocess.TimeoutExpired):
        run_as_task_prolog(["/bin/sh", "-c", "sleep 60 & exit 0"], {"PATH": os.defpath}, timeout=0.5)


# Scenarios and comparison.

STACK = (
    Software("zlib", "1.3"),
    Software("GCC", "13.2.0", depends_on=("zlib/1.3",), programs=("gcc",), pushenv={"CC": "gcc"}),
    Software("OpenMPI", "5.0", depends_on=("GCC/13.2.0",), programs=("mpirun",), family="mpi"),
)


def stacked(cluster, **parts):
    cluster.write([ZEN2, ZEN4], *STACK)
    loads = (f"module load {cluster.eessi}", "module load OpenMPI")
    return Scenario(NODES["zen4"], NODES["zen2"], loads, **parts)


@with_lmod
@every_lmod
def test_purge_and_load_equal_a_fresh_load(cluster):
    scenario = stacked(cluster, after=("export OMP_NUM_THREADS=3",))
    incoming = scenario.incoming(cluster.shell, **slurm_ids(job=7))
    assert incoming["EESSI_SOFTWARE_SUBDIR"] == ZEN4
    assert (incoming["SLURM_JOB_ID"], incoming["EESSI_PROC_CPUINFO"]) == ("7", str(NODES["zen2"].cpuinfo_path))
    fresh = scenario.fresh(cluster.shell, **slurm_ids(job=7))
    assert fresh["EESSI_SOFTWARE_SUBDIR"] == ZEN2
    listed = scenario.fresh_from_list(cluster.shell, incoming, **slurm_ids(job=7))
    assert compare(listed, fresh) == []
    names = incoming["LOADEDMODULES"].replace(":", " ")
    actual = cluster.shell.run(["module --force purge", f"module load {names}"], incoming)
    assert cluster.shell.steps(["mpirun"], actual)[0].text == f"{ZEN2}\n"
    assert compare(actual, fresh) == []
    assert behaves_alike(cluster.shell, actual, listed) == []


@with_lmod
@every_lmod
def test_a_prolog_that_updates_is_seen_to_be_wrong(cluster):
    scenario = stacked(cluster, after=("export PATH=/home/user/venv/bin:$PATH",))
    incoming = scenario.incoming(cluster.shell)
    fresh = scenario.fresh(cluster.shell)
    actual = cluster.shell.run(["module update"], incoming)
    assert [difference.name for difference in compare(actual, fresh)] == ["PATH", "_LMFILES_"]
    assert compare(actual, fresh, ignore=["PATH", "_LMFILES_"]) == []
    assert fresh["PATH"].startswith("/home/user/venv/bin:")
    assert not actual["PATH"].startswith("/home/user/venv/bin:")


@with_lmod
@every_lmod
def test_lost_bookkeeping_is_seen_to_be_wrong(cluster):
    scenario = stacked(cluster)
    fresh = scenario.fresh(cluster.shell)
    actual = {name: value for name, value in fresh.items() if not name.startswith("_ModuleTable")}
    assert compare(actual, fresh) == []
    found = behaves_alike(cluster.shell, actual, fresh)
    assert ("(text)", "module list") in {(difference.name, difference.step) for difference in found}


@with_lmod
@every_lmod
def test_a_lost_pushenv_stack_is_seen_to_be_wrong(tmp_path, lmod):
    cluster = build_cluster(tmp_path, lmod, variables={"LMOD_PACKAGE_PATH": "/etc/lmod"})
    fresh = stacked(cluster).fresh(cluster.shell)
    actual = {name: value for name, value in fresh.items() if name != "__LMOD_STACK_LMOD_PACKAGE_PATH"}
    assert len(actual) == len(fresh) - 1
    assert compare(actual, fresh) == []
    assert behaves_alike(cluster.shell, actual, fresh, ["module --force purge"]) == [
        Difference("LMOD_PACKAGE_PATH", None, "/etc/lmod", "module --force purge"),
    ]


@with_lmod
@every_lmod
def test_a_dependency_that_became_a_wish_of_the_user_is_seen(cluster):
    scenario = stacked(cluster)
    fresh = scenario.fresh(cluster.shell)
    listed = scenario.fresh_from_list(cluster.shell, fresh)
    assert compare(listed, fresh) == []
    left = {difference.name for difference in behaves_alike(cluster.shell, listed, fresh, ["module unload OpenMPI"])}
    assert "LOADEDMODULES" in left


def test_differences_are_named():
    actual = {"A": "1", "B": "2", "SHLVL": "2", "_": "x", "PWD": "/", "BASH_FUNC_f%%": "x\ny", "_ModuleTable001_": "x"}
    fresh = {"B": "3", "C": "", "__LMOD_REF_COUNT_PATH": "x", "SHLVL": "1"}
    differences = [Difference("A", "1", None), Difference("B", "2", "3"), Difference("C", None, "")]
    assert compare(actual, fresh) == differences
    assert compare(actual, fresh, ignore=("A", "C")) == differences[1:2]
    of_lmod = {"_LMFILES_": "a", "LOADEDMODULES": "b"}
    assert [difference.name for difference in compare(of_lmod, {})] == ["LOADEDMODULES", "_LMFILES_"]


def test_follow_ups_take_both_ends_of_the_list():
    commands = follow_ups({"LOADEDMODULES": "EESSI/1:a/1:b/1:c/1"})
    assert [command for command in commands if "load" in command] == [
        "module unload c/1", "module load c/1", "module unload a/1", "module load a/1",
    ]
    assert follow_ups({}) == ["module -t list", "module list", "module purge", "module --force purge"]


@with_lmod
def test_entering_a_node_changes_its_gpu(cluster):
    scenario = Scenario(gpu_node("gpu", "zen4", "8.6"), NODES["zen4"], (f"module load {cluster.eessi}",))
    incoming = scenario.incoming(cluster.shell)
    assert incoming["EESSI_ACCEL_SUBDIR"] == "accel/nvidia/cc86"
    assert incoming["EESSI_STUB_NVIDIA_SMI"] == "none"
    assert cluster.shell.steps(["command -v nvidia-smi"], incoming)[0].status == 1
    assert scenario.fresh(cluster.shell)["EESSI_ACCEL_SUBDIR"] == ""


def test_a_wrong_place_of_eessis_own_scripts_is_an_error(tmp_path):
    assert eessi_scripts({}) is None
    with pytest.raises(FileNotFoundError, match=SCRIPTS_VARIABLE):
        eessi_scripts({SCRIPTS_VARIABLE: str(tmp_path)})
    assert (SAMPLE / "EESSI.lua").is_file()
