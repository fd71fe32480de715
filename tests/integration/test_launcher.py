# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later

"""The start script: programs of the site that run before, failures that end a task, the system's log."""

import shutil
import socket
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from harness.applier import apply, run_as_task_prolog
from harness.launcher import write_launcher

BASE = {"PATH": "/usr/bin:/bin", "HOME": "/home/u", "SLURM_JOB_ID": "7", "SLURM_STEP_ID": "0", "SLURMD_NODENAME": "node1"}
# A loaded EESSI whose detection cannot be asked: the quickest failure.
BROKEN = {
    **BASE, "EESSI_SOFTWARE_SUBDIR": "x86_64/amd/zen4", "EESSI_PREFIX": "/no/such", "EESSI_INIT_PREFIX": "/no/such/init",
    "EESSI_OS_TYPE": "linux",
}
LABEL = "x86_64/amd/zen4->archdetect-failed"
MESSAGE = (
    "eessi-arch-guard: what this node is could not be detected, the modules were loaded for x86_64/amd/zen4; "
    "/no/such/init/eessi_archdetect.sh cpupath ended with status 127: /usr/bin/bash: /no/such/init/eessi_archdetect.sh: "
    "No such file or directory; environment left as it was"
)


@pytest.fixture
def program(tmp_path):
    """Return a function that writes an executable sh script of the given text."""
    def write(name, text, mode=0o755):
        path = tmp_path / name
        path.write_text("#!/bin/sh\n" + text)
        path.chmod(mode)
        return path

    return write


@pytest.fixture
def run(tmp_path):
    """Return a function that runs the launcher, made with the given settings, as TaskProlog."""
    def start(environment, **settings):
        launcher = write_launcher(tmp_path / "guard", **settings)
        status, output = run_as_task_prolog([str(launcher)], environment, 60)
        return status, output, apply(output, environment)

    return start


def test_a_failure_is_told_and_does_not_end_the_task(run):
    status, _output, made = run(BROKEN)
    assert (status, made.printed, made.dropped) == (0, [MESSAGE], ())
    assert made.environment == {**BROKEN, "EESSI_ARCH_GUARD_FAILED": LABEL}


def test_abort_ends_the_task_with_the_message(run):
    status, _output, made = run(BROKEN, on_failure="abort")
    assert (status, made.printed) == (1, [MESSAGE])
    assert run(BASE, on_failure="abort")[:2] == (0, b"")


def test_an_interpreter_that_ends_with_any_other_status_never_ends_the_task(run, program):
    for status in (1, 2, 3, 4, 77, 139):
        broken = program("python", f"echo export A=1; exit {status}\n")
        assert run(BROKEN, python=str(broken))[:2] == (0, b"")
        if status != 3:
            assert run(BROKEN, python=str(broken), on_failure="abort")[:2] == (0, b"")


def test_programs_of_the_site_run_before_and_their_lines_pass(run, program):
    first = program("first", "echo 'export SITE=one two'; echo print hello; echo odd line >&2; echo unset GONE\n")
    second = program("second", 'echo "export SEEN=$SITE/${GONE-gone}"\n')
    status, output, made = run({**BASE, "GONE": "1"}, chain=[first, second])
    assert status == 0
    assert output == b"export SITE=one two\nprint hello\nodd line\nunset GONE\nexport SEEN=one two/gone\n"
    assert (made.environment["SITE"], made.printed) == ("one two", ["hello"])


def test_the_guard_sees_the_environment_that_the_programs_make(run, program):
    lines = [f"export {name}={value}" for name, value in BROKEN.items() if name.startswith("EESSI_")]
    loading = program("loading", "".join(f"echo '{line}'\n" for line in lines))
    status, _output, made = run(BASE, chain=[loading])
    assert (status, made.environment["EESSI_ARCH_GUARD_FAILED"]) == (0, LABEL)
    unloading = program("unloading", "echo 'unset  EESSI_SOFTWARE_SUBDIR '\n")
    assert run(BROKEN, chain=[unloading])[1] == b"unset  EESSI_SOFTWARE_SUBDIR \n"


@pytest.mark.parametrize("line", [
    "export  EESSI_SOFTWARE_SUBDIR =", "export EESSI_SOFTWARE_SUBDIR=", "unset EESSI_SOFTWARE_SUBDIR",
    "export EESSI_ARCH_GUARD=off",
])
def test_lines_are_read_as_slurm_reads_them(run, program, line):
    status, output, _made = run(BROKEN, chain=[program("site", f"echo '{line}'\n")])
    assert (status, output) == (0, line.encode() + b"\n")


@pytest.mark.parametrize("line", [
    "exporting A=1", "export 1A=1", "export A-B=1", "export A", "export =1", "unset A-B", "unset", "export PPID=1",
    "export UID=0",
    "export A=$(touch /tmp/should-not-be-there)", "export A=`exit 9`", "export A='\"",
])
def test_lines_that_mean_nothing_do_no_harm(run, program, line):
    quoted = line.replace("'", "'\\''")
    status, output, made = run(BROKEN, chain=[program("site", f"printf '%s\\n' '{quoted}'\n")])
    assert (status, made.environment["EESSI_ARCH_GUARD_FAILED"]) == (0, LABEL)
    assert output.startswith(line.encode() + b"\n")
    assert not Path("/tmp/should-not-be-there").exists()


def test_a_program_that_fails_ends_the_task_as_it_did_without_the_guard(run, program):
    failing = program("failing", "echo print no licence; exit 5\n")
    status, output, _made = run(BROKEN, chain=[failing, program("never", "echo print never\n")])
    assert (status, output) == (5, b"print no licence\n")


def test_a_program_that_is_not_there_is_passed_over_as_slurm_does(run, program, tmp_path):
    here = program("here", "echo print here\n")
    assert run(BASE, chain=[tmp_path / "absent", here, program("plain", "echo no\n", 0o644)])[:2] == (0, b"print here\n")


def test_the_programs_get_the_environment_of_the_job(run, program):
    job = {**BASE, "LD_LIBRARY_PATH": "/opt/lib", "LC_ALL": "C.UTF-8", "python": "mine", "library": "mine", "status": "mine"}
    status, output, made = run(job, chain=[program("env", "env | sort | sed 's/^/print /'\n")])
    seen = dict(line.split("=", 1) for line in made.printed)
    assert status == 0
    assert {name: seen.get(name) for name in job} == job
    assert not [name for name in seen if name.startswith(("eessi_arch_guard", "EESSI_ARCH_GUARD"))], output


def test_a_paths_with_spaces_and_signs(tmp_path, program):
    odd = tmp_path / 'odd $x "y"; z'
    odd.mkdir()
    site = odd / "site prolog"
    site.write_text("#!/bin/sh\necho print odd\n")
    site.chmod(0o755)
    launcher = write_launcher(odd, chain=[site])
    assert run_as_task_prolog([str(launcher)], BASE, 60) == (0, b"print odd\n")


@dataclass
class SystemLog:
    """`library`: directory of a guard that logs to `channel`."""

    library: str
    channel: socket.socket


@pytest.fixture
def system_log(tmp_path):
    """A socket that stands for /dev/log, and a copy of the guard that knows it."""
    library = tmp_path / "library"
    shutil.copytree(Path(__file__).parents[2] / "plugins" / "module_utils" / "arch_guard", library / "arch_guard")
    device = tmp_path / "log"
    source = library / "arch_guard" / "log.py"
    assert 'DEVICE = "/dev/log"' in source.read_text()
    source.write_text(source.read_text().replace('DEVICE = "/dev/log"', f'DEVICE = "{device}"'))
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as channel:
        channel.bind(str(device))
        channel.setblocking(False)
        yield SystemLog(str(library), channel)


def received(log):
    """Return what the log got."""
    messages = []
    while True:
        try:
            messages.append(log.channel.recv(4096).decode())
        except BlockingIOError:
            return messages


def test_a_failure_is_one_line_in_the_log(run, system_log):
    run(BROKEN, library=system_log.library, log="syslog")
    (message,) = received(system_log)
    priority, _bracket, rest = message.partition(">eessi-arch-guard[")
    assert priority == "<12"
    assert rest.partition("]: ")[2].startswith(f"job=7 step=0 node=node1 verdict=failure label={LABEL} reason=/no/such/init/")
    assert message.isprintable()


def test_the_log_gets_one_line_a_node_and_none_unless_asked(run, system_log):
    run({**BROKEN, "SLURM_LOCALID": "3"}, library=system_log.library, log="syslog")
    run(BROKEN, library=system_log.library, log="none")
    run(BASE, library=system_log.library, log="syslog")
    assert received(system_log) == []


def test_a_log_that_is_stuck_or_gone_holds_nobody(run, system_log):
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as filler:
        filler.setblocking(False)
        with pytest.raises(BlockingIOError):
            while True:
                filler.sendto(b"x" * 512, system_log.channel.getsockname())
    assert run(BROKEN, library=system_log.library, log="syslog")[0] == 0
    system_log.channel.close()
    assert run(BROKEN, library=system_log.library, log="syslog")[0] == 0


def test_the_launcher_is_plain_sh(tmp_path):
    launcher = write_launcher(tmp_path, chain=["/a", "/b"])
    for shell in ("dash", "bash"):
        assert subprocess.run([shell, "-n", str(launcher)], check=False).returncode == 0
    assert launcher.read_text().startswith("#!/bin/sh\n")
