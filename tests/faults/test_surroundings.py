# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the environment, the limits, the descriptors and the file systems of a task can be."""

import os
import resource
import shutil

import pytest
from faults.case import check, check_nothing_left
from faults.ground import ZEN2, ZEN4

TRAPS = ("os", "re", "sys", "select", "signal", "arch_guard", "sitecustomize", "usercustomize", "encodings")
ENVIRONMENTS = {
    "a preloaded library that is not there": {"LD_PRELOAD": "/nowhere/libdarshan.so"},
    "an audit library that is not there": {"LD_AUDIT": "/nowhere/audit.so"},
    "libraries of another machine": {"LD_LIBRARY_PATH": "/nowhere/lib"},
    "python of a module": {"PYTHONHOME": "/apps/python/3.7", "PYTHONPATH": "/nowhere", "PYTHONSTARTUP": "/nowhere/start.py"},
    "python told to be odd": {"PYTHONVERBOSE": "1", "PYTHONINSPECT": "1", "PYTHONWARNINGS": "error", "PYTHONMALLOC": "debug"},
    "python that cannot encode": {"PYTHONIOENCODING": "none:strict", "PYTHONUTF8": "7", "PYTHONCOERCECLOCALE": "warn"},
    "a locale that is none": {"LC_ALL": "xx_YY.NONE", "LANG": "\udcff\udcfe", "LANGUAGE": "%s%n"},
    "no PATH": {"PATH": None},
    "an empty PATH": {"PATH": ""},
    "a relative PATH": {"PATH": ".:bin::/usr/bin"},
    "no home": {"HOME": None, "USER": None, "LOGNAME": None},
    "a home that is not there": {"HOME": "/nowhere/home"},
    "many variables": {f"BALLAST_{number}": "x" * 1000 for number in range(1500)},
    "long values": {f"BALLAST_{number}": "x" * 130000 for number in range(11)},
    "values with line feeds": {"LINES_OF_MINE": "a\nunset HOME\nexport PATH=/evil\nprint evil", "ZZ": "\n\n"},
    "values with control characters": {"CONTROL": "\x1b[2J\x07", "BYTES": "\udc80\udcff"},
    "a carriage return that Lmod cannot take": {"CONTROL": "a\rb"},
    "names that are no names": {"BASH_FUNC_module%%": "() {  echo evil; }", "a-b": "1", "1A": "2", "a b": "3", ".": "4"},
    "shell options": {"SHELLOPTS": "xtrace:verbose:nounset:errexit:noexec", "BASHOPTS": "extdebug", "PS4": "$(touch /tmp/evil)"},
    "code for shells": {"BASH_ENV": "/nowhere/init", "ENV": "/nowhere/init", "PROMPT_COMMAND": "touch /tmp/evil"},
    "a field separator": {"IFS": "abcdefghijklmnopqrstuvwxyz/.: "},
    "a prolog's own variable": {"SLURM_SCRIPT_CONTEXT": "prolog_task"},
    "ids of Slurm that are none": {
        "SLURM_LOCALID": "", "SLURM_JOB_ID": "../../x", "SLURM_STEP_ID": "$(x)", "SLURMD_NODENAME": "a/b",
    },
    "module hooks": {"LMOD_PAGER": "/nowhere/pager", "LMOD_REDIRECT": "yes", "LMOD_COLORIZE": "yes", "LMOD_TRACING": "yes"},
    "the guard's own names": {
        "eessi_arch_guard_python": "/evil", "eessi_arch_guard_said": "export A=1", "eessi_arch_guard_ends": "9",
        "eessi_arch_guard_line_feed": "x",
    },
}


@pytest.mark.parametrize("what", ENVIRONMENTS)
def test_environment(case, what):
    case.set(**ENVIRONMENTS[what])
    if "BALLAST_0" in case.environment:
        # Lmod itself takes ten times as long then, for whoever loads modules.
        case.budget *= 2
    # Overwritten after loading, they get the entries of the modules again, around what the user has there.
    case.ignored = tuple(name for name in ENVIRONMENTS[what] if name in ("PATH", "LD_LIBRARY_PATH"))
    ended = case.run()
    # What the loader says before the shell starts, and a shell that was told to trace, cannot be helped; Slurm drops it.
    said = [b"ERROR: ld.so:", b"set +eux\n", b"+ set +eux\n"]
    output = b"".join(line for line in ended.output.splitlines(keepends=True) if not line.startswith(tuple(said)))
    lost = [name for name in ENVIRONMENTS[what] if not name.replace("_", "a").isalnum() or name[0].isdigit()]
    for name in lost:
        # A shell drops some of them, and nothing of ours can name them to Slurm.
        case.expected[name] = case.environment[name]
    expect = "failed" if "Lmod cannot" in what else "right"
    made = check(case, type(ended)(ended.status, output, ended.seconds, ended.left), expect)
    for name in case.ignored:
        kept = made.environment.get(name, "").split(":")
        assert [entry for entry in kept if entry in case.environment.get(name, "").split(":") and entry] == [
            entry for entry in case.environment.get(name, "").split(":") if entry
        ]
    assert not (case.tmp / "evil").exists()
    assert made.environment.get("HOME") == case.environment.get("HOME")
    check_nothing_left(case, ended)


def test_a_working_directory_full_of_traps(case):
    for name in TRAPS:
        case.file(f"work/{name}.py", "raise SystemExit('trapped')\n")
    case.wrapper = ["/usr/bin/env", f"--chdir={case.directory / 'work'}"]
    case.set(PYTHONPATH=str(case.directory / "work"), OLDPWD=None)
    ended = case.run()
    check(case, ended, "right")
    check_nothing_left(case, ended)


PRLIMIT = shutil.which("prlimit") or "/usr/bin/prlimit"
# The limit, and what becomes of the job: a guard that cannot even start leaves it alone.
LIMITS = {
    "--nproc=1": "nothing", "--nproc=2": "any", "--nproc=4": "any",
    "--nofile=12": "any", "--nofile=16": "right", "--nofile=1048576": "right", "--nofile=1073741816": "right",
    "--as=8000000": "nothing", "--as=20000000": "any", "--as=60000000": "any",
    "--data=1000000": "any", "--fsize=0": "right", "--core=0": "right", "--memlock=0": "right", "--sigpending=0": "any",
    "--cpu=1": "any", "--stack=1000000": "any",
}


@pytest.mark.parametrize("limit", LIMITS)
def test_limit(case, limit):
    name, _equals, value = limit.partition("=")
    if name == "--nofile":
        # No more than this machine lets a process have.
        value = min(int(value), resource.getrlimit(resource.RLIMIT_NOFILE)[1])
    case.wrapper = [PRLIMIT, f"{name}={value}:{value}", "--"]
    ended = case.run()
    check(case, ended, LIMITS[limit])
    check_nothing_left(case, ended)


@pytest.mark.parametrize("limit", ["--nproc=1", "--nofile=8", "--nofile=5", "--as=20000000", "--fsize=0"])
def test_limit_with_bash_as_sh(case, limit):
    shell = case.directory / "sh"
    shell.symlink_to("/bin/bash")
    case.shell = str(shell)
    if limit == "--nproc=1":
        # It tries again for 15 seconds before it gives up.
        case.budget = 20
    case.wrapper = [PRLIMIT, f"{limit}:{limit.partition('=')[2]}", "--"]
    ended = case.run()
    lines = ended.output.splitlines(keepends=True)
    said = b"".join(line for line in lines if line.startswith((b"export ", b"unset ", b"print ")))
    # What bash says about itself before it reads the first line.
    assert all(b"redirection error" in line or b"fork" in line for line in lines if line not in said), lines
    check(case, type(ended)(ended.status, said, ended.seconds, ended.left))
    check_nothing_left(case, ended)


@pytest.mark.parametrize("closed", ["0", "1", "2", "01", "02", "12", "012"])
def test_closed_descriptors(case, closed):
    case.wrapper = ["/bin/sh", "-c", f'exec "$@" {" ".join(f"{number}>&-" for number in closed)}', "sh"]
    ended = case.run()
    check(case, ended, "nothing" if "1" in closed else "right")
    check_nothing_left(case, ended)


@pytest.mark.parametrize("where", ["full", "broken", "read only"])
def test_an_output_that_takes_nothing(case, where):
    target = {"full": ">/dev/full", "broken": "| exec true", "read only": "1</dev/null"}[where]
    case.wrapper = ["/bin/sh", "-c", f'"$@" {target}', "sh"]
    ended = case.run()
    check(case, ended, "nothing")
    check_nothing_left(case, ended)


SIGNALS = {
    "all blocked": "signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 32))",
    "children ignored": "signal.signal(signal.SIGCHLD, signal.SIG_IGN)",
    "all ignored": "[signal.signal(number, signal.SIG_IGN) for number in range(1, 32) if number not in (9, 19)]",
    "an alarm that is due": "signal.setitimer(signal.ITIMER_REAL, 0.4); signal.signal(signal.SIGALRM, signal.SIG_IGN)",
}


@pytest.mark.parametrize("what", SIGNALS)
def test_inherited_signals(case, what):
    code = f"import os, signal, sys; {SIGNALS[what]}; os.execv(sys.argv[1], sys.argv[1:])"
    case.wrapper = [case.ground.python, "-I", "-S", "-c", code]
    ended = case.run()
    check(case, ended, "right")
    check_nothing_left(case, ended)


# Lines of sh, run by root in the mount namespace of the case.
FILE_SYSTEMS = {
    "full /tmp": "mount -t tmpfs -o size=4k tmpfs /tmp; head -c 4096 /dev/zero >/tmp/.full",
    "full /dev/shm": "mount -t tmpfs -o size=4k,mode=1777 tmpfs /dev/shm; head -c 4096 /dev/zero >/dev/shm/.full",
    "no inodes": "mount -t tmpfs -o nr_inodes=1,mode=1777 tmpfs /dev/shm",
    "read-only /tmp": "mount -o remount,bind,ro /tmp",
    "read-only /dev/shm": "mount -o remount,bind,ro /dev/shm",
    "noexec /tmp and /dev/shm": "mount -o remount,bind,noexec /tmp; mount -o remount,bind,noexec /dev/shm",
    "no /tmp and no /dev/shm": "mount -t tmpfs -o mode=0 tmpfs /tmp; mount -t tmpfs -o mode=0 tmpfs /dev/shm",
    "no /proc": "mount -t tmpfs tmpfs /proc",
    "a /proc of others": "mount -t proc -o hidepid=2 proc /proc",
    "no /dev": "mount -t tmpfs tmpfs /dev",
    "a /dev/null that is a directory": "mount -t tmpfs tmpfs /dev; mkdir /dev/null",
    "a /dev/null that is a file": "mount -t tmpfs tmpfs /dev; touch /dev/null; chmod 666 /dev/null",
    "everything read-only": "mount -o remount,bind,ro /",
    "no bash": "mount --bind /dev/null /bin/bash",
}


@pytest.mark.parametrize("what", FILE_SYSTEMS)
@pytest.mark.parametrize("tasks", [1, 4])
def test_file_system(case, what, tasks):
    if tasks > 1:
        case.set(SLURM_STEP_TASKS_PER_NODE=str(tasks), SLURM_STEP_LAUNCHER_PORT="4000")
    case.setup.append(FILE_SYSTEMS[what])
    ended = case.run()
    check(case, ended, "failed" if what == "no bash" else "any")
    check_nothing_left(case, ended, "shm/eessi-arch-guard.1.0.node1", "tmp/eessi-arch-guard.1.0.node1")


def interpreter(case, text):
    """Let the launcher start something else."""
    case.settings["python"] = str(case.file("python", text))


INTERPRETERS = {
    "not there": None, "empty": "", "garbage": bytes(range(256)),
    "prints half and dies": "#!/bin/sh\necho export A=1\nkill -9 $$\n",
    "prints half and fails": "#!/bin/sh\necho export A=1\nexit 7\n", "of another machine": b"\x7fELF\x02\x01\x01" + bytes(60),
    "crashes": "#!/bin/sh\nkill -SEGV $$\n", "leaves no answer": "#!/bin/sh\nexit 3\n",
}


@pytest.mark.parametrize("what", INTERPRETERS)
def test_interpreter(case, what):
    text = INTERPRETERS[what]
    if text is None:
        case.settings["python"] = "/no/such/python"
    else:
        interpreter(case, text)
    ended = case.run()
    check(case, ended, "nothing")
    check_nothing_left(case, ended)


LIBRARIES = {
    "not there": shutil.rmtree,
    "empty": lambda library: (shutil.rmtree(library), library.mkdir()),
    "a module missing": lambda library: (library / "cli.py").unlink(),
    "a damaged module": lambda library: (library / "cli.py").write_bytes(b"\0\xff def ("),
    "not readable": lambda library: library.chmod(0),
}


@pytest.mark.parametrize("what", LIBRARIES)
def test_library(case, what):
    shutil.copytree(case.ground.library, case.directory / "library")
    LIBRARIES[what](case.directory / "library" / "arch_guard")
    case.settings["library"] = str(case.directory / "library")
    ended = case.run()
    check(case, ended, "nothing")
    check_nothing_left(case, ended)


SETTINGS = {
    "prefix with ..": {"EESSI_PREFIX": "/a/../b"}, "prefix with a line feed": {"EESSI_PREFIX": "/a\nexport A=1"},
    "no prefix": {"EESSI_PREFIX": None}, "a relative prefix": {"EESSI_PREFIX": "cvmfs"},
    "init prefix with an escape": {"EESSI_INIT_PREFIX": "/a\x1b[31m"}, "a long prefix": {"EESSI_PREFIX": "/" + "x" * 100000},
    "os type with ..": {"EESSI_OS_TYPE": "linux/../.."}, "an empty os type": {"EESSI_OS_TYPE": ""},
    "bytes that are no text": {"EESSI_PREFIX": "/\udcff\udc80"},
}


@pytest.mark.parametrize("what", SETTINGS)
def test_setting(case, what):
    for name, value in SETTINGS[what].items():
        case.environment.pop(name)
        if value is not None:
            case.environment[name] = value
    ended = case.run()
    made = check(case, ended, "failed")
    assert len(made.printed[0]) < 2000
    check_nothing_left(case, ended)


# What the module tool makes of the environment, and what cannot be written of it.
VALUES = {
    "a line feed": ("export EVIL=$'a\\nunset HOME'", "EVIL"),
    "only a line feed": ("export EVIL=$'\\n'", "EVIL"),
    "too long": ("export EVIL=$(head -c 131066 /dev/zero | tr '\\0' x)", "EVIL"),
    "a lost module": ("export LOADEDMODULES=EESSI/2025.06", "GROMACS/2024"),
    "another target": (f"export EESSI_SOFTWARE_SUBDIR={ZEN4}", "the EESSI module chose"),
    "an accelerator": ("export EESSI_ACCEL_SUBDIR=accel/nvidia/cc80", "the EESSI module chose"),
}


@pytest.mark.parametrize("what", VALUES)
def test_value_that_cannot_be_taken_over(case, what):
    code, named = VALUES[what]
    real = case.ground.incoming["LMOD_CMD"]
    quoted = code.replace("'", "'\\''")
    case.lmod(load=f"'{real}' \"$@\"; printf '%s\\n' '{quoted}'; exit 0")
    ended = case.run()
    made = check(case, ended, "failed")
    assert named in made.printed[0]
    check_nothing_left(case, ended)


@pytest.mark.parametrize("stamp", [0, 4_000_000_000])
def test_clock_that_jumped(case, stamp):
    case.set(SLURM_STEP_TASKS_PER_NODE="4", SLURM_STEP_LAUNCHER_PORT="4000")
    for number in range(9):
        earlier = case.shm / f"eessi-arch-guard.{number + 2}.0.node1"
        earlier.mkdir(0o700)
        os.chown(earlier, case.user, case.user)
        os.utime(earlier, (stamp, stamp))
    ended = case.run()
    check(case, ended, "right")
    check_nothing_left(case, ended, "shm/eessi-arch-guard.")


def test_right_without_any_fault(case):
    ended = case.run()
    assert check(case, ended, "right").environment["EESSI_SOFTWARE_SUBDIR"] == ZEN2
    check_nothing_left(case, ended)
