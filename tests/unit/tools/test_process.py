# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Commands of the suites: what is shown of them, and that they end."""

import signal
import threading
import time

from orchestration import process


def test_each_line_says_whose_it_is(tmp_path, capsys):
    log = tmp_path / "log"
    assert process.run(["sh", "-c", "echo one; printf tw; sleep 0.2; echo o; printf three"], log, env={}, show="a: ") == 0
    assert capsys.readouterr().out == "a: one\na: two\na: three\n"
    assert "one\ntwo\nthree[exit status 0]\n" in log.read_text()


def test_what_other_threads_run_is_ended(tmp_path):
    statuses = []
    waiting = ["sh", "-c", f"touch {tmp_path}/begun; sleep 60"]
    thread = threading.Thread(target=lambda: statuses.append(process.run(waiting, tmp_path / "log", env={}, show=False)))
    thread.start()
    while not (tmp_path / "begun").exists():
        time.sleep(0.01)
    process.end_all()
    thread.join(10)
    assert statuses == [-signal.SIGKILL]
