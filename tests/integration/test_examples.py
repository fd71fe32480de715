# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The runnable examples of the documentation print what the documentation says."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from harness.applier import apply
from harness.lmod import find_lmods

EXAMPLES = Path(__file__).resolve().parents[2] / "docs" / "examples"
LMODS = find_lmods()

with_lmod = pytest.mark.skipif(not LMODS, reason="no Lmod on this machine")
every_lmod = pytest.mark.parametrize("lmod", LMODS, ids=lambda lmod: lmod.name)

CC90, CC120 = "x86_64/amd/zen4 accel/nvidia/cc90", "x86_64/amd/zen4 accel/nvidia/cc120"
MISMATCH = [
    "export EESSI_ACCEL_SUBDIR=accel/nvidia/cc120",
    f"export EESSI_ARCH_GUARD_RELOADED={CC90}->{CC120}",
    f"print eessi-arch-guard: reloaded modules for {CC120} (loaded for {CC90})",
]
MISSING_MODULE = [
    f"export EESSI_ARCH_GUARD_FAILED={CC90}->{CC120}",
    f"print eessi-arch-guard: this node is {CC120}, the modules were loaded for {CC90}; "
    "not available for this target: CUDA/12.6.0; environment left as it was",
]
REPOSITORY = "$PREFIX/software.eessi.io"
ZEN2 = f"{REPOSITORY}/versions/2025.06/software/linux/x86_64/amd/zen2"
ZEN4 = ZEN2.replace("zen2", "zen4")
SITE_ZEN2 = ZEN2.replace("versions", "host_injections")
SITE_ZEN4 = ZEN4.replace("versions", "host_injections")
# What is in PATH behind the modules' own entries.
NODE_PATH = [
    f"{REPOSITORY}/versions/2025.06/compat/linux/x86_64/usr/bin",
    f"{REPOSITORY}/versions/2025.06/compat/linux/x86_64/bin",
    "$PREFIX/shells/node/bin", "/usr/local/bin", "/usr/bin", "/bin",
]
MODULES = f"{REPOSITORY}/init/modules"
TUTORIAL = {
    "EBROOTGROMACS": f"{ZEN2}/software/GROMACS/2025.2",
    "EBROOTOPENMPI": f"{ZEN2}/software/OpenMPI/5.0.7",
    "EESSI_ARCHDETECT_OPTIONS": "x86_64/amd/zen2:x86_64/generic",
    "EESSI_ARCH_GUARD_RELOADED": "x86_64/amd/zen4->x86_64/amd/zen2",
    "EESSI_MODULEPATH": f"{ZEN2}/modules/all",
    "EESSI_SITE_MODULEPATH": f"{SITE_ZEN2}/modules/all",
    "EESSI_SITE_SOFTWARE_PATH": SITE_ZEN2,
    "EESSI_SOFTWARE_PATH": ZEN2,
    "EESSI_SOFTWARE_SUBDIR": "x86_64/amd/zen2",
    "LMOD_PACKAGE_PATH": f"{ZEN2}/.lmod",
    "LMOD_RC": f"{SITE_ZEN2}/.lmod/lmodrc.lua:{ZEN2}/.lmod/lmodrc.lua",
    "MODULEPATH": f"{SITE_ZEN2}/modules/all:{ZEN2}/modules/all:{MODULES}",
    "PATH": ":".join([f"{ZEN2}/software/GROMACS/2025.2/bin", f"{ZEN2}/software/OpenMPI/5.0.7/bin", *NODE_PATH]),
    "_LMFILES_": f"{MODULES}/EESSI/2025.06.lua:{ZEN2}/modules/all/OpenMPI/5.0.7.lua"
    f":{ZEN2}/modules/all/GROMACS/2025.2.lua",
}
TUTORIAL_MESSAGE = "eessi-arch-guard: reloaded modules for x86_64/amd/zen2 (loaded for x86_64/amd/zen4)"


@pytest.fixture
def run(tmp_path):
    """Return a function that runs an example and checks that nothing is left in the temporary directory."""
    temporary = tmp_path / "temporary"
    temporary.mkdir()

    def run_example(name, *arguments, lmod=None, cwd=None, python=(sys.executable,), **variables):
        names = {"LMOD_PKG": str(lmod.prefix)} if lmod else {}
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("LMOD_", "PYTHON"))}
        done = subprocess.run(
            [*python, EXAMPLES / name, *arguments], cwd=cwd or tmp_path, stdin=subprocess.DEVNULL,
            env={**kept, "PYTHONDONTWRITEBYTECODE": "1", "TMPDIR": str(temporary), **names, **variables},
            capture_output=True, text=True, timeout=120, check=False,
        )
        assert list(temporary.iterdir()) == []
        assert str(temporary) not in done.stdout
        return done

    return run_example


def lines_of(done):
    """The lines of an example that ended well and said nothing on stderr."""
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.splitlines()


@with_lmod
@every_lmod
def test_tutorial(run, lmod):
    done = run("tutorial.py", lmod=lmod)
    lines_of(done)
    applied = apply(done.stdout.encode(), {}, strict=True)
    assert applied.environment == TUTORIAL
    assert applied.printed == [TUTORIAL_MESSAGE]


@with_lmod
@every_lmod
def test_a_gpu_that_changed(run, lmod):
    done = run("accelerator.py", "mismatch", lmod=lmod)
    assert [line for line in lines_of(done) if line in MISMATCH] == MISMATCH
    applied = apply(done.stdout.encode(), {}, strict=True)
    cc120 = f"{ZEN4}/accel/nvidia/cc120"
    assert applied.environment == {
        "EBROOTCUDA": f"{cc120}/software/CUDA/12.6.0",
        "EESSI_ACCELERATOR_TARGET": "accel/nvidia/cc120",
        "EESSI_ACCEL_SUBDIR": "accel/nvidia/cc120",
        "EESSI_ARCH_GUARD_RELOADED": f"{CC90}->{CC120}",
        "EESSI_MODULEPATH_ACCEL": f"{cc120}/modules/all",
        "MODULEPATH": f"{SITE_ZEN4}/modules/all:{cc120}/modules/all:{ZEN4}/modules/all:{MODULES}",
        "PATH": ":".join([f"{cc120}/software/CUDA/12.6.0/bin", *NODE_PATH]),
        "_LMFILES_": f"{MODULES}/EESSI/2025.06.lua:{cc120}/modules/all/CUDA/12.6.0.lua",
    }


@with_lmod
@every_lmod
@pytest.mark.parametrize("arguments", [(), ("--all",)], ids=" ".join)
def test_a_gpu_without_the_module(run, lmod, arguments):
    assert lines_of(run("accelerator.py", "missing-module", *arguments, lmod=lmod)) == MISSING_MODULE


@with_lmod
@every_lmod
@pytest.mark.parametrize("arguments", [("tutorial.py",), ("accelerator.py", "mismatch")], ids=" ".join)
def test_only_bookkeeping_is_left_out(run, lmod, arguments):
    shown, everything = lines_of(run(*arguments, lmod=lmod)), lines_of(run(*arguments, "--all", lmod=lmod))
    left_out = [line for line in everything if line not in shown]
    assert left_out
    assert all(re.match(r"(export|unset) (_ModuleTable|__LMOD_)", line) for line in left_out)
    assert [line for line in everything if line in shown] == shown


@pytest.mark.parametrize("arguments", [
    ("tutorial.py", "zen2"),
    ("tutorial.py", "--al"),
    ("accelerator.py",),
    ("accelerator.py", "--all"),
    ("accelerator.py", "missing"),
    ("accelerator.py", ""),
    ("accelerator.py", "mismatch", "missing-module"),
], ids=" ".join)
def test_wrong_arguments_print_usage(run, arguments):
    done = run(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"usage: {arguments[0]} ")


@pytest.mark.parametrize("name", ["tutorial.py", "accelerator.py"])
def test_the_help_tells_what_is_left_out(run, name):
    text = "\n".join(lines_of(run(name, "--help")))
    assert "_ModuleTable*, __LMOD_*" in text
    assert "$PREFIX" in text


# Runs the script that follows as on a machine where the package of Lmod is not installed.
WITHOUT_PACKAGE = (
    "import runpy, sys; sys.path[:0] = sys.argv[1:3]; del sys.argv[:3]; import harness.lmod; "
    "harness.lmod.PACKAGED = '/nonexistent/lmod'; runpy.run_path(sys.argv[0], run_name='__main__')"
)
PYTHON_WITHOUT_PACKAGE = (sys.executable, "-c", WITHOUT_PACKAGE, EXAMPLES.parents[1] / "tests", EXAMPLES)


@pytest.mark.parametrize("arguments", [("tutorial.py",), ("accelerator.py", "mismatch")], ids=" ".join)
def test_without_lmod_one_line_says_how_to_install_it(run, arguments):
    done = run(*arguments, python=PYTHON_WITHOUT_PACKAGE)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.count("\n") == 1
    assert "apt-get install lmod" in done.stderr
    assert "dnf install Lmod" in done.stderr


@with_lmod
@every_lmod
def test_without_the_package_the_lmod_of_the_shell_is_used(run, lmod):
    done = run("accelerator.py", "missing-module", lmod=lmod, python=PYTHON_WITHOUT_PACKAGE)
    assert lines_of(done) == MISSING_MODULE


def test_an_lmod_that_is_named_and_not_there_is_an_error(run, tmp_path):
    done = run("tutorial.py", LMOD_PKG=str(tmp_path / "nowhere"))
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.count("\n") == 1
    assert f"{tmp_path}/nowhere" in done.stderr


def test_an_lmod_that_cannot_load_the_modules_is_an_error(run, tmp_path):
    script = tmp_path / "lmod" / "libexec" / "lmod"
    script.parent.mkdir(parents=True)
    script.write_text("#!/bin/sh\necho 'Modules based on Lua: Version 99.1  2026' >&2\n", encoding="utf-8")
    script.chmod(0o755)
    init = tmp_path / "lmod" / "init" / "bash"
    init.parent.mkdir()
    init.write_text("module() { echo 'too old'; return 3; }\n", encoding="utf-8")
    done = run("tutorial.py", LMOD_PKG=str(tmp_path / "lmod"))
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.count("\n") == 1
    assert "Lmod 99.1" in done.stderr
    assert "status 3 from module load EESSI/2025.06: too old" in done.stderr


@with_lmod
def test_a_current_directory_with_an_odd_name_and_modules_of_pythons_name(run, tmp_path):
    odd = tmp_path / "it's $HOME:\n*"
    odd.mkdir()
    for name in ("tempfile.py", "transcript.py", "harness.py"):
        (odd / name).write_text("raise ImportError('not this one')\n", encoding="utf-8")
    assert lines_of(run("accelerator.py", "missing-module", cwd=odd)) == MISSING_MODULE


@with_lmod
def test_a_current_directory_that_is_gone(run, tmp_path):
    gone = tmp_path / "gone"
    gone.mkdir()
    leave = "import os, sys; os.rmdir(os.getcwd()); os.execv(sys.executable, [sys.executable, *sys.argv[1:]])"
    start = (sys.executable, "-c", leave)
    done = run("accelerator.py", "missing-module", cwd=gone, python=start)
    assert not gone.exists()
    assert lines_of(done) == MISSING_MODULE


@with_lmod
def test_an_environment_with_other_settings_of_eessi(run):
    done = run(
        "accelerator.py", "missing-module", EESSI_SOFTWARE_SUBDIR_OVERRIDE="x86_64/generic", EESSI_ARCH_GUARD="off",
        EESSI_SCRIPTS="/nonexistent", SLURM_JOB_ID="1", SLURM_LOCALID="1", MODULEPATH="/nonexistent", LC_ALL="C",
    )
    assert lines_of(done) == MISSING_MODULE
