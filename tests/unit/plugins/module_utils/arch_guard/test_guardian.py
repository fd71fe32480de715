# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Who kills the children of a guard that was killed. Runs on Python 3.6 too."""

import os
import signal
import subprocess
import sys
import time

import pytest

from ansible_collections.eessi.arch_guard.plugins.module_utils.arch_guard import guardian

PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(guardian.__file__)))
# Starts a child that starts one itself, tells the pid of the first, and waits for good.
PARENT = """import sys, time
sys.path.insert(0, sys.argv[1])
from arch_guard import process
child = process.start(["/bin/sh", "-c", "sleep 600 & sleep 600"], {}, 10)
time.sleep(0.3)
print(child._pid, flush=True)
%s
"""


@pytest.mark.parametrize("said, left", [
    (b"", set()), (b"+5 ", {5}), (b"+5 -5 ", set()), (b"-5 +5 ", set()), (b"+5 +6 -5 ", {6}), (b"+5 -5 +5 ", {5}),
])
def test_groups_left(said, left):
    assert guardian.groups_left(said) == left


def is_there(group):
    """Tell whether the group has a process that is no zombie."""
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open("/proc/%s/stat" % name) as stat:
                state, _parent, its_group = stat.read().rpartition(")")[2].split()[:3]
        except OSError:
            continue
        if int(its_group) == group and state != "Z":
            return True
    return False


def is_gone(group):
    """Tell whether the group goes within a moment."""
    give_up = time.time() + 5
    while is_there(group) and time.time() < give_up:
        time.sleep(0.02)
    return not is_there(group)


def started(ending):
    """Start the parent; return (process, group of its child)."""
    parent = subprocess.Popen([sys.executable, "-c", PARENT % ending, PACKAGE], stdout=subprocess.PIPE)
    return parent, int(parent.stdout.readline())


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGSEGV])
def test_a_killed_process_leaves_no_child(number):
    parent, group = started("time.sleep(600)")
    assert is_there(group)
    parent.send_signal(number)
    parent.wait()
    parent.stdout.close()
    assert is_gone(group)


@pytest.mark.parametrize("ending", ["raise SystemExit(3)", "raise RuntimeError()", "import os; os._exit(0)"])
def test_a_process_that_ends_leaves_no_child(ending):
    parent, group = started(ending + " # ")
    parent.wait()
    parent.stdout.close()
    assert is_gone(group)


def test_a_process_may_be_ended_by_the_clock():
    parent, group = started("process.end_within(0.2); time.sleep(600)")
    assert parent.wait() == -signal.SIGALRM
    parent.stdout.close()
    assert is_gone(group)


def test_a_guardian_that_was_killed_is_done_without():
    lost = guardian.Guardian()
    os.close(lost._write_end)
    reading, lost._write_end = os.pipe()
    os.close(reading)
    lost.watch(5)
    lost.forget(5)
    assert lost._write_end is None
