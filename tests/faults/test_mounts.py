# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a mount, a file or a directory can be instead of what it should be, at each place where one is looked at."""

import errno
import os
import threading

import pytest
from faults.case import check, check_nothing_left
from faults.ground import SHORT_BUDGET, ZEN2
from faults.mount import Mount

SPR = "x86_64/intel/sapphirerapids"
ERRORS = ("ENOTCONN", "EPERM", "EIO", "EACCES", "ESTALE", "ETIMEDOUT", "ENODEV", "ENOENT", "ENOTDIR", "ELOOP")
PLACES = ("script", "walk", "cpuinfo", "module tool")


def place(case, stage, path):
    """Let ``stage`` find ``path`` in place of what it looks at."""
    if stage == "script":
        case.environment["EESSI_INIT_PREFIX"] = path
    elif stage == "walk":
        case.archdetect()
        case.environment["EESSI_PREFIX"] = path
    elif stage == "cpuinfo":
        # Without flags the candidate that needs one of them is excluded, and the next is right.
        case.archdetect(cpupath=f"echo {SPR}:{ZEN2}:x86_64/generic")
        read_cpuinfo_from(case, path + "/cpuinfo")
    else:
        case.set(LMOD_CMD=path + "/lmod")


def read_cpuinfo_from(case, path):
    """Let the guard, and EESSI's module after it, read another cpuinfo; the reload has to pin what the guard found."""
    case.set(EESSI_PROC_CPUINFO=path)
    case.expected["EESSI_ARCHDETECT_OPTIONS"] = ZEN2


def becomes(stage):
    """What becomes of the job where ``stage`` finds nothing that it can use."""
    return "right" if stage == "cpuinfo" else "failed"


@pytest.fixture
def mounted(case):
    """Return a function that puts a Mount at a directory of the case."""
    def put(mount):
        directory = case.directory / "mount"
        directory.mkdir()
        case.setup.append(" ".join(mount.mount_command(directory)))
        case.descriptors.append(mount.descriptor)
        return str(directory)

    return put


@pytest.mark.parametrize("error", ERRORS)
@pytest.mark.parametrize("stage", PLACES)
def test_mount_that_answers_with_an_error(case, mounted, stage, error):
    with Mount(getattr(errno, error)) as mount:
        place(case, stage, mounted(mount))
        ended = case.run()
        made = check(case, ended, becomes(stage))
        if stage == "walk" and error not in ("ENOENT", "ENOTDIR"):
            assert f"{os.strerror(getattr(errno, error))} ({error})" in made.printed[0]
            assert str(case.directory / "mount") in made.printed[0]
        if stage == "walk":
            assert made.environment["EESSI_ARCH_GUARD_FAILED"].endswith("->no-software-dir")
        check_nothing_left(case, ended)


@pytest.mark.parametrize("stage", PLACES)
def test_mount_that_never_answers(case, mounted, stage):
    # A cpuinfo that hangs leaves time for the reload.
    case.budget = 2 * SHORT_BUDGET if stage == "cpuinfo" else SHORT_BUDGET
    with Mount() as mount:
        place(case, stage, mounted(mount))
        ended = case.run()
        check(case, ended, becomes(stage))
        assert {state for _pid, state, _command in ended.left} == {"D"}
        mount.abort()
        ended.left[:] = case.lingering()
        check_nothing_left(case, ended)


@pytest.mark.parametrize("stage", PLACES)
def test_mount_whose_server_died(case, mounted, stage):
    with Mount() as mount:
        place(case, stage, mounted(mount))
        case.setup.append("sleep 1")
        ended = run_and_abort(case, mount)
        check(case, ended, becomes(stage))
        check_nothing_left(case, ended)


def run_and_abort(case, mount):
    """Run the case and abort the mount after it is mounted and before the launcher starts."""
    timer = threading.Timer(0.7, mount.abort)
    timer.start()
    try:
        return case.run()
    finally:
        timer.join()


def missing(_path):
    """Leave nothing there."""


def unreadable(path):
    path.write_text("exit 0\n")
    path.chmod(0o600)


def a_directory(path):
    path.mkdir()


def a_fifo(path):
    os.mkfifo(path)
    path.chmod(0o666)


def empty(path):
    path.write_text("")


def garbage(path):
    path.write_bytes(bytes(range(256)) * 64)


def a_loop(path):
    path.symlink_to(path)


def an_elf_of_another_machine(path):
    path.write_bytes(b"\x7fELF\x02\x01\x01" + bytes(9) + b"\x02\x00\xf3\x00\x01\x00\x00\x00" + bytes(40))


def without_interpreter(path):
    path.write_text("#!/no/such/interpreter\n")


def a_long_name(path):
    path.symlink_to("x" * 255 + "/" + "y" * 255)


WHAT = (
    missing, unreadable, a_directory, a_fifo, empty, garbage, a_loop, an_elf_of_another_machine, without_interpreter,
    a_long_name,
)


@pytest.mark.parametrize("what", WHAT, ids=lambda what: what.__name__)
@pytest.mark.parametrize("stage", PLACES)
def test_file_that_is_something_else(case, stage, what):
    if what is a_fifo:
        case.budget = 2 * SHORT_BUDGET if stage == "cpuinfo" else SHORT_BUDGET
    name = {"script": "eessi_archdetect.sh", "walk": "software", "cpuinfo": "cpuinfo", "module tool": "lmod"}[stage]
    directory = case.directory / "place"
    directory.mkdir()
    what(directory / name)
    if stage == "module tool" and what is not unreadable and (directory / name).is_file():
        (directory / name).chmod(0o755)
    place(case, stage, str(directory))
    ended = case.run()
    check(case, ended, becomes(stage))
    check_nothing_left(case, ended)


VANISHING = {
    "script": {"cpupath": 'rm -rf "${0%/*}"; echo x86_64/amd/zen2'},
    "targets": {"cpupath": 'rm -rf "$EESSI_PREFIX"; echo x86_64/amd/zen2'},
}


@pytest.mark.parametrize("what", VANISHING)
def test_directory_that_disappears_between_looks(case, what):
    case.archdetect(**VANISHING[what])
    for path in (case.directory / "init", case.directory):
        os.chown(path, case.user, case.user)
    prefix = case.directory / "prefix"
    (prefix / "software" / "linux" / ZEN2 / "software").mkdir(parents=True)
    for path in [prefix, *prefix.rglob("*")]:
        os.chown(path, case.user, case.user)
    if what == "targets":
        case.environment["EESSI_PREFIX"] = str(prefix)
    ended = case.run()
    made = check(case, ended, "right" if what == "script" else "failed")
    if what == "targets":
        assert made.environment["EESSI_ARCH_GUARD_FAILED"].endswith("->no-software-dir")
    check_nothing_left(case, ended)


@pytest.mark.parametrize("stage", ["purge", "load"])
def test_module_tool_that_disappears(case, stage):
    case.lmod(**{stage: 'rm -f "$0"; exit 1'})
    os.chown(case.directory, case.user, case.user)
    ended = case.run()
    check(case, ended, "failed")
    check_nothing_left(case, ended)


CPUINFO = {
    "empty": b"", "no flags": b"processor : 0\n", "not text": bytes(range(256)) * 1000,
    "one long line": b"flags : " + b"x " * 9000000,
    "cut": b"flags : fpu" + b"\nfoo : bar" * 2000000, "carriage returns": b"flags : fpu waitpkg\r\n",
    "nul": b"flags\0 : waitpkg\n", "no end": b"flags : fpu", "many processors": b"processor : 0\nflags : fpu vme\n" * 50000,
}


@pytest.mark.parametrize("what", CPUINFO)
def test_cpuinfo_text(case, what):
    path = case.file("cpuinfo", CPUINFO[what], 0o644)
    case.archdetect(cpupath=f"echo {SPR}:{ZEN2}")
    read_cpuinfo_from(case, str(path))
    ended = case.run()
    # With the flag there is nothing to pin, and EESSI's module cannot make anything of such a file.
    check(case, ended, "failed" if b"waitpkg\r" in CPUINFO[what] else "right")
    check_nothing_left(case, ended)
