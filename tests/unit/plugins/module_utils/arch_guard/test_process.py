# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later

"""Children are started, bounded and killed; with real processes."""

import os
import signal
import time

import pytest

from ansible_collections.eessi.arch_guard.plugins.module_utils.arch_guard import process

ENV = {"PATH": "/usr/bin:/bin"}


def run(script, limit=1000, seconds=10.0):
    """Run a shell script; return its outcome and how long that took."""
    begin = time.monotonic()
    child = process.start(["/bin/sh", "-c", script], ENV, limit)
    outcome = process.wait([child], begin + seconds)[0]
    return outcome, time.monotonic() - begin


def alive(wanted):
    """Return the ids of the processes that run (zombies do not) and whose (id, group) ``wanted`` accepts."""
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open("/proc/%s/stat" % name) as status:
                state, _parent, group = status.read().rpartition(")")[2].split()[:3]
        except (FileNotFoundError, ProcessLookupError):
            continue
        if state != "Z" and wanted(int(name), int(group)):
            found.append(int(name))
    return found


def none_alive(wanted, seconds=5):
    """Tell whether no such process is left within ``seconds``."""
    end = time.monotonic() + seconds
    while alive(wanted) and time.monotonic() < end:
        time.sleep(0.01)
    return not alive(wanted)


@pytest.mark.parametrize("script, status", [
    ("exit 0", 0), ("exit 3", 3), ("kill -9 $$", 137), ("kill -11 $$", 139), ("no-such-program", 127),
])
def test_status_as_a_shell_counts_it(script, status):
    outcome, _seconds = run(script)
    assert (outcome.how, outcome.status) == (process.EXITED, status)


def test_both_streams_are_kept_apart():
    outcome, _seconds = run("echo out; echo err >&2")
    assert (outcome.stdout, outcome.stderr) == (b"out\n", b"err\n")


@pytest.mark.parametrize("size, how, kept", [
    (999, process.EXITED, 999), (1000, process.EXITED, 1000), (1001, process.TOO_MUCH_OUTPUT, 1000),
])
def test_output_is_read_up_to_its_limit(size, how, kept):
    outcome, _seconds = run("printf %%%ds x" % size)
    assert (outcome.how, len(outcome.stdout)) == (how, kept)


def test_endless_output_ends():
    outcome, seconds = run("while :; do echo line; done")
    assert (outcome.how, len(outcome.stdout)) == (process.TOO_MUCH_OUTPUT, 1000)
    assert seconds < 5


def test_noise_on_stderr_does_not_matter():
    outcome, _seconds = run("head -c 3000000 /dev/zero >&2; echo answer")
    assert (outcome.how, outcome.status, outcome.stdout) == (process.EXITED, 0, b"answer\n")
    assert len(outcome.stderr) == 4096


@pytest.mark.parametrize("script", [
    "sleep 60", "trap '' TERM HUP INT; sleep 60", "exec >&- 2>&-; sleep 60", "sleep 60 & wait", "echo out; sleep 60",
])
def test_a_child_that_hangs_is_killed_with_all_that_it_started(script):
    outcome, seconds = run("echo $$ >&2; " + script, seconds=0.4)
    assert outcome.how == process.TIMEOUT
    assert 0.35 < seconds < 2.4
    leader = int(outcome.stderr.split()[0]) if outcome.stderr.strip() else None
    assert leader is not None and none_alive(lambda _pid, group: group == leader)


def test_a_daemon_that_keeps_the_pipes_is_not_waited_for():
    outcome, seconds = run("setsid sh -c 'sleep 5' & echo answer")
    assert (outcome.how, outcome.status, outcome.stdout) == (process.EXITED, 0, b"answer\n")
    assert seconds < 3


def test_a_background_process_of_the_group_is_not_left_behind():
    outcome, seconds = run("sleep 60 & echo $!")
    assert outcome.how == process.EXITED
    assert seconds < 5
    assert none_alive(lambda pid, _group: pid == int(outcome.stdout))


def test_children_run_side_by_side():
    begin = time.monotonic()
    children = [process.start(["/bin/sleep", "0.5"], ENV, 10) for _number in range(4)]
    outcomes = process.wait(children, begin + 10)
    assert [outcome.status for outcome in outcomes] == [0] * 4
    assert time.monotonic() - begin < 1.6


def test_one_that_hangs_does_not_spoil_the_others():
    children = [
        process.start(["/bin/sh", "-c", "echo good"], ENV, 10), process.start(["/bin/sleep", "60"], ENV, 10),
    ]
    good, bad = process.wait(children, time.monotonic() + 0.5)
    assert (good.how, good.stdout) == (process.EXITED, b"good\n")
    assert bad.how == process.TIMEOUT


@pytest.mark.parametrize("path, status", [("/no/such/program", 127), ("/etc", 126), ("/bin/\0sh", 127)])
def test_a_program_that_cannot_be_executed(path, status):
    outcome = process.wait([process.start([path], ENV, 10)], time.monotonic() + 5)[0]
    assert (outcome.how, outcome.status) == (process.EXITED, status)
    assert outcome.stderr


def test_the_child_gets_nothing_of_this_process(tmp_path):
    inherited = os.open(str(tmp_path), os.O_RDONLY)
    os.set_inheritable(inherited, True)
    try:
        outcome, _seconds = run("cat; ls -l /proc/self/fd | wc -l; pwd; env; ps -o pid=,pgid=,sid= $$")
    finally:
        os.close(inherited)
    lines = outcome.stdout.decode().splitlines()
    # "total 0", the three standard ones, and the directory that ls reads.
    assert lines[0] == "5"
    assert lines[1] == "/"
    pid, group, session = lines[-1].split()
    assert pid == group == session
    assert not [line for line in lines[2:-1] if line.split("=")[0] not in ("PATH", "PWD", "SHLVL", "_", "OLDPWD")]


# A shell starts what it puts in the background with the second one ignored.
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGQUIT], ids=["SIGTERM", "SIGQUIT"])
def test_the_child_has_default_signals(number):
    previous = signal.signal(number, signal.SIG_IGN)
    try:
        outcome, _seconds = run("grep -E 'SigIgn|SigBlk' /proc/self/status")
    finally:
        signal.signal(number, previous)
    assert [int(line.split()[1], 16) & ((1 << 31) - 1) for line in outcome.stdout.splitlines()] == [0, 0]


def test_an_ignored_end_of_children_is_noticed_all_the_same():
    previous = signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    try:
        outcome, _seconds = run("exit 5")
    finally:
        signal.signal(signal.SIGCHLD, previous)
    assert (outcome.how, outcome.status) == (process.EXITED, 5)


def test_a_question_that_raises_gives_no_answer():
    def question():
        raise OSError(5, "x")

    outcome = process.wait([process.call(question, 10)], time.monotonic() + 5)[0]
    assert (outcome.how, outcome.status, outcome.stderr) == (process.EXITED, 127, b"Input/output error (EIO)\n")


CLOSED = """
import os, sys, time
sys.path.insert(0, %r)
from ansible_collections.eessi.arch_guard.plugins.module_utils.arch_guard import process
report = os.dup(1) if %d != 1 else os.dup(2)
os.close(%d)
child = process.start(["/bin/sh", "-c", "echo out; echo err >&2"], {}, 100)
outcome = process.wait([child], time.monotonic() + 5)[0]
os.write(report, b"%%r %%r" %% (outcome.stdout, outcome.stderr))
"""


@pytest.mark.parametrize("descriptor", [0, 1, 2])
def test_closed_standard_descriptors(descriptor, collections_path, python):
    outcome = process.wait([
        process.start([python, "-c", CLOSED % (collections_path, descriptor, descriptor)], ENV, 1000)
    ], time.monotonic() + 10)[0]
    assert b"b'out\\n' b'err\\n'" in outcome.stdout + outcome.stderr


def test_no_descriptors_left_for_pipes(collections_path, python):
    script = (
        "import resource, sys, time; sys.path.insert(0, %r);"
        "from ansible_collections.eessi.arch_guard.plugins.module_utils.arch_guard import process;"
        "resource.setrlimit(resource.RLIMIT_NOFILE, (5, 5));"
        "o = process.wait([process.start(['/bin/true'], {}, 9)], time.monotonic() + 5)[0];"
        "print(o.how, '|', o.problem)" % collections_path
    )
    outcome = process.wait([process.start([python, "-c", script], ENV, 1000)], time.monotonic() + 10)[0]
    assert outcome.stdout == b"not started | cannot start a process: Too many open files (EMFILE)\n", outcome.stderr
