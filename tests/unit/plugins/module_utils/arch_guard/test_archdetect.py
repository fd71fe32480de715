# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later

"""The environment for eessi_archdetect.sh, and how its cpupath is read."""

import pytest

from ansible_collections.eessi.arch_guard.plugins.module_utils.arch_guard import archdetect, process
from ansible_collections.eessi.arch_guard.plugins.module_utils.arch_guard.errors import ArchdetectFailed

SCRIPT = "/e/init/eessi_archdetect.sh"
LONG = ":".join("x86_64/%d" % number for number in range(5600))[:65536].rpartition(":")[0]


def answer(stdout, status=0, how=process.EXITED, stderr=b"", problem=""):
    """Return the Outcome of a script that wrote ``stdout``."""
    return process.Outcome(how, status, stdout, stderr, problem)


CANDIDATES = [
    (b"x86_64/amd/zen4:x86_64/amd/zen3:x86_64/generic\n", ["x86_64/amd/zen4", "x86_64/amd/zen3", "x86_64/generic"]),
    (b"x86_64/generic", ["x86_64/generic"]),
    (b"::a::b:\n", ["a", "b"]),
    (b"a:b:a:b:c\n", ["a", "b", "c"]),
    (b"a" * 65536, ["a" * 65536]),
    (b"a" * 65536 + b"\n", ["a" * 65536]),
    (LONG.encode("ascii"), LONG.split(":")),
    (b"riscv64/spacemit/x60-k6.6:riscv64/generic\n", ["riscv64/spacemit/x60-k6.6", "riscv64/generic"]),
]

REFUSED = [
    (b"", "cpupath printed no candidate"),
    (b"\n", "cpupath printed no candidate"),
    (b":::\n", "cpupath printed no candidate"),
    (b"a" * 65537, "cpupath printed more than 65536 bytes"),
    (b"a" * 65537 + b"\n", "cpupath printed more than 65536 bytes"),
    (b"a\nb\n", "cpupath printed more than one line: 'a\\nb'"),
    (b"a\n\n", "cpupath printed more than one line: 'a\\n'"),
    (b"\na\n", "cpupath printed more than one line: '\\na'"),
    (b"a\0\n", "cpupath printed a control character: 'a\\x00'"),
    (b"a\x1f\n", "cpupath printed a control character: 'a\\x1f'"),
    (b"a\r\n", "cpupath printed a control character: 'a\\r'"),
    (b"a\tb\n", "cpupath printed a control character: 'a\\tb'"),
    (b"\x1b[31mx86_64/generic\n", "cpupath printed a control character: '\\x1b[31mx86_64/generic'"),
    (b"a \n", "cpupath printed 'a ', which is no relative subdirectory"),
    (b"a\x7f\n", "cpupath printed 'a\\x7f', which is no relative subdirectory"),
    (b"\xff\n", "cpupath printed '\\xff', which is no relative subdirectory"),
    ("x86_64/ä\n".encode("utf-8"), "cpupath printed 'x86_64/\\xc3\\xa4', which is no relative subdirectory"),
    (b"x86_64/generic:../../etc\n", "cpupath printed '../../etc', which is no relative subdirectory"),
    (b"/etc\n", "cpupath printed '/etc', which is no relative subdirectory"),
    (b"a//b\n", "cpupath printed 'a//b', which is no relative subdirectory"),
    (b"a/./b\n", "cpupath printed 'a/./b', which is no relative subdirectory"),
    (b"ERROR: ld.so\n", "cpupath printed ' ld.so', which is no relative subdirectory"),
]


@pytest.mark.parametrize("stdout, names", CANDIDATES)
def test_candidates(stdout, names):
    assert archdetect.candidates(answer(stdout), SCRIPT) == names


@pytest.mark.parametrize("stdout, said", REFUSED)
def test_answers_that_are_refused(stdout, said):
    with pytest.raises(ArchdetectFailed) as raised:
        archdetect.candidates(answer(stdout), SCRIPT)
    assert str(raised.value) == said


OTHER_ENDS = [
    (answer(b"x86_64/generic\n", 1), SCRIPT + " cpupath ended with status 1"),
    (answer(b"", 1, stderr=b"\nUnsupported CPU architecture \x1bfoo\nmore\n"),
     SCRIPT + " cpupath ended with status 1: Unsupported CPU architecture \\x1bfoo"),
    (answer(b"x86_64/generic\n", 137), SCRIPT + " cpupath ended with status 137"),
    (answer(b"x86_64/generic\n", None, process.TIMEOUT), SCRIPT + " cpupath did not answer in time"),
    (answer(b"x" * 65538, None, process.TOO_MUCH_OUTPUT), "cpupath printed more than 65536 bytes"),
    (answer(b"", None, process.NOT_STARTED, problem="cannot start a process: x"),
     "cpupath could not be asked: cannot start a process: x"),
]


@pytest.mark.parametrize("outcome, said", OTHER_ENDS)
def test_other_ends_are_failures(outcome, said):
    with pytest.raises(ArchdetectFailed) as raised:
        archdetect.candidates(outcome, SCRIPT)
    assert str(raised.value) == said


def test_noise_on_stderr_does_not_matter():
    assert archdetect.candidates(answer(b"x86_64/generic\n", stderr=b"bash: warning\n"), SCRIPT) == ["x86_64/generic"]


def test_candidate_check_is_bounded():
    with pytest.raises(ArchdetectFailed) as raised:
        archdetect.candidates(answer(b"/" * 65536), SCRIPT)
    assert len(str(raised.value)) < 300


def test_the_scripts_environment():
    incoming = {
        "PATH": "/cvmfs/e/versions/1/compat/bin:/home/u/bin::relative:/usr/local/bin:/cvmfs/e:/cvmfs/e2/bin:/usr/bin",
        "HOME": "/home/u", "BASH_ENV": "/x", "ENV": "/x", "LD_PRELOAD": "/x.so", "LD_LIBRARY_PATH": "/x",
        "PYTHONPATH": "/x", "PYTHONHOME": "/x", "BASH_FUNC_grep%%": "() { :; }", "LMOD_CMD": "/x", "LMOD_PACKAGE_PATH": "/x",
        "LC_ALL": "de_DE", "LANG": "de_DE", "IFS": "x", "SHELLOPTS": "xtrace", "POSIXLY_CORRECT": "1", "TMPDIR": "/x",
        "EESSI_PROC_CPUINFO": "/p", "EESSI_MACHINE_TYPE": "aarch64",
        "EESSI_ACCELERATOR_TARGET_OVERRIDE": "accel/nvidia/cc80",
        "EESSI_SOFTWARE_SUBDIR_OVERRIDE": "x", "EESSI_ARCHDETECT_OPTIONS": "x", "EESSI_ARCHDETECT_OPTIONS_OVERRIDE": "x",
        "EESSI_SOFTWARE_SUBDIR": "x", "EESSI_ACCEL_SUBDIR": "x", "EESSI_ACCELERATOR_TARGET": "x",
        "CUDA_VISIBLE_DEVICES": "1", "ROCR_VISIBLE_DEVICES": "2",
    }
    assert archdetect.environment(incoming, ["/cvmfs/e"]) == {
        "PATH": "/usr/sbin:/usr/bin:/sbin:/bin:/home/u/bin:/usr/local/bin:/cvmfs/e2/bin",
        "LC_ALL": "C", "LANG": "C",
        "EESSI_PROC_CPUINFO": "/p", "EESSI_MACHINE_TYPE": "aarch64",
        "EESSI_ACCELERATOR_TARGET_OVERRIDE": "accel/nvidia/cc80",
        "CUDA_VISIBLE_DEVICES": "1", "ROCR_VISIBLE_DEVICES": "2",
    }


@pytest.mark.parametrize("entry", [
    "/cvmfs/e", "/cvmfs/e/", "/cvmfs/e/bin", "//cvmfs//e/bin", "/cvmfs/./e/bin", "/opt/../cvmfs/e/bin", "bin", "",
])
def test_path_entries_that_are_left_out(entry):
    found = archdetect.environment({"PATH": entry + ":/opt/bin"}, ["/cvmfs/e"])
    assert found["PATH"] == "/usr/sbin:/usr/bin:/sbin:/bin:/opt/bin"


def test_no_path_at_all():
    assert archdetect.environment({}, [])["PATH"] == "/usr/sbin:/usr/bin:/sbin:/bin"


def test_the_command():
    assert archdetect.command(SCRIPT, archdetect.CPUPATH) == [
        "bash", "--noprofile", "--norc", SCRIPT, "-a", "cpupath",
    ]
    assert archdetect.command(SCRIPT, archdetect.ACCELPATH) == ["bash", "--noprofile", "--norc", SCRIPT, "accelpath"]
