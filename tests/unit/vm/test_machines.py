# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The end of the machines: all of what was started, and nothing else."""

import subprocess
import sys

import pytest

from vm import machines


@pytest.fixture
def start():
    """Return a function that starts a process with these words in its command line."""
    started = []

    def run(*words, ignore_term=False):
        code = "import signal, time; " + ("signal.signal(signal.SIGTERM, signal.SIG_IGN); " if ignore_term else "")
        code += "print('up', flush=True); time.sleep(60)"
        process = subprocess.Popen([sys.executable, "-c", code, *map(str, words)], stdout=subprocess.PIPE)
        started.append(process)
        process.stdout.readline()
        return process

    yield run
    for process in started:
        process.kill()
        process.wait()
        process.stdout.close()


@pytest.fixture
def run_directory(tmp_path):
    directory = tmp_path / "run"
    directory.mkdir()
    (directory / "spr-vm.console").write_text("Linux version\n")
    return directory


def note(directory, process, name="spr-vm"):
    (directory / f"{name}.pid").write_text(f"{process.pid}\n")


@pytest.mark.parametrize("ignore_term", [False, True])
def test_a_machine_ends_and_its_console_is_kept(run_directory, tmp_path, start, monkeypatch, ignore_term):
    monkeypatch.setattr(machines, "STOP_SECONDS", 1)
    process = start("-pidfile", run_directory / "spr-vm.pid", ignore_term=ignore_term)
    note(run_directory, process)
    machines.down(run_directory, tmp_path / "logs")
    assert process.poll() is not None
    assert not run_directory.exists()
    assert (tmp_path / "logs" / "spr-vm.console.log").read_text() == "Linux version\n"


def test_a_process_that_got_the_number_since_lives_on(run_directory, tmp_path, start):
    process = start("-pidfile", "/elsewhere/spr-vm.pid")
    note(run_directory, process)
    machines.down(run_directory, tmp_path / "logs")
    assert process.poll() is None
    assert not run_directory.exists()


def test_no_run_at_all(tmp_path):
    machines.down(tmp_path / "run", tmp_path / "logs")
    assert list((tmp_path / "logs").iterdir()) == []


def test_machines_have_names_and_cards_of_their_own(tmp_path):
    names = {machine.name for machine in machines.MACHINES}
    cards = {machines.Files(tmp_path, machine).mac for machine in machines.MACHINES}
    assert len(names) == len(cards) == len(machines.MACHINES)
