# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later

"""One answer for all tasks of a step: shared where it can be, and never a wrong one, an error or a long wait."""

import os
import random
import signal
import socket
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ansible_collections.eessi.arch_guard.plugins.module_utils.arch_guard import shared_result
from ansible_collections.eessi.arch_guard.plugins.module_utils.arch_guard.prolog import Answer
from ansible_collections.eessi.arch_guard.plugins.module_utils.arch_guard.verdict import Verdict

KEY = b"A=1\0B=\xff"
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file to another user")
NOBODY = 65534


def some_answer(text="one"):
    """Return an Answer that bears ``text``, with bytes that are no UTF-8 in every part that may have them."""
    spoken = b"export A=\xff%s\nprint said\n" % text.encode("ascii")
    return Answer(spoken, spoken[:-len(b"print said\n")], Verdict("reload", "a\udcff", "b", "word", text))


def fields(answer):
    verdict = answer.verdict
    return (answer.spoken, answer.silent, verdict.kind, verdict.loaded, verdict.node, verdict.word, verdict.reason)


class Place(object):
    """Where tasks share. ``produced``: how often one of them had to work the answer out."""

    def __init__(self, directory):
        self.directory = str(directory)
        self.produced = 0

    def ask(self, key=KEY, answer=None, seconds=20.0):
        """Ask as a task does; return (the answer's fields, how many seconds it took)."""
        def produce():
            self.produced += 1
            return answer or some_answer()

        begin = time.monotonic()
        found = shared_result.obtain(self.directory, key, produce, Answer, begin + seconds)
        return fields(found), time.monotonic() - begin

    def entry(self):
        """Return the path of the only entry."""
        (name,) = [name for name in os.listdir(self.directory) if "." not in name]
        return os.path.join(self.directory, name)

    def size(self):
        return sum(os.lstat(os.path.join(self.directory, name)).st_size for name in os.listdir(self.directory))


@pytest.fixture
def place(tmp_path):
    return Place(tmp_path / "eessi-arch-guard.777.0.node")


def test_the_second_gets_the_answer_of_the_first(place):
    assert place.ask()[0] == place.ask(answer=some_answer("other"))[0] == fields(some_answer())
    assert place.produced == 1
    assert os.lstat(place.directory).st_mode & 0o777 == 0o700
    assert os.lstat(place.entry()).st_mode & 0o777 == 0o600


def test_another_key_is_another_answer(place):
    place.ask()
    assert place.ask(KEY + b"x", some_answer("other"))[0] == fields(some_answer("other"))
    assert (place.ask()[0], place.produced) == (fields(some_answer()), 2)


def test_two_keys_of_the_same_file_name_are_told_apart(place, monkeypatch):
    monkeypatch.setattr(shared_result.zlib, "crc32", lambda data: 7)
    place.ask()
    assert place.ask(KEY + b"x", some_answer("other"))[0] == fields(some_answer("other"))


# Entries that are as good as none. Each changes the path of a right entry.

def damaged(path, number):
    with open(path, "r+b") as entry:
        data = entry.read()
        position = number * (len(data) - 1) // 20
        entry.seek(position)
        entry.write(bytes([data[position] ^ 1]))


def cut(path, number):
    os.truncate(path, (number + 1) * (os.path.getsize(path) - 1) // 20)


def longer(path, _number):
    with open(path, "ab") as entry:
        entry.write(b"x" * 200000)


def older(path, number):
    with open(path, "r+b") as entry:
        data = entry.read()
        entry.seek(0)
        entry.write([data.replace(b"1.0.0", b"0.9.9", 1), data.replace(b" 2 ", b" 1 ", 1)][number % 2])


def head_of(text):
    def write(path, _number):
        with open(path, "r+b") as entry:
            packed = entry.read().partition(b"\n")[2]
            entry.seek(0)
            entry.write(shared_result.FORM + text + b"\n" + packed)
    return write


def linked(path, _number):
    os.rename(path, path + ".real")
    os.symlink(path + ".real", path)


def link_to_nothing(path, _number):
    os.unlink(path)
    os.symlink(path + ".nothing", path)


def directory(path, _number):
    os.unlink(path)
    os.mkdir(path)


def fifo(path, _number):
    os.unlink(path)
    os.mkfifo(path)


def unix_socket(path, _number):
    os.unlink(path)
    # Names of sockets are short.
    here = os.getcwd()
    os.chdir(os.path.dirname(path))
    try:
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(os.path.basename(path))
    finally:
        os.chdir(here)


def of_another_user(path, _number):
    os.chown(path, NOBODY, NOBODY)


BAD = [(change, number) for change in (damaged, cut) for number in range(20)]
BAD += [(change, number) for change in (older,) for number in range(2)]
BAD += [(change, 0) for change in (longer, linked, link_to_nothing, directory, fifo, unix_socket)]
BAD += [(head_of(text), 0) for text in (
    b"", b" ", b" 1 2 3", b" -1 0 0 0 0 0 0 0 0", b" " + b"9" * 5000 + b" 0 0 0 0 0 0 0 0", b" 999999999 0 0 0 0 0 0 0 0",
    b" 0 0 0 0 0 0 0 0 00000000", b" 1 2 3 4 5 6 7 8 zzzzzzzz",
)]


@pytest.mark.parametrize("change, number", BAD)
def test_a_bad_entry_is_as_good_as_none(place, change, number):
    place.ask()
    change(place.entry(), number)
    found, seconds = place.ask(answer=some_answer("again"))
    assert (found, place.produced) == (fields(some_answer("again")), 2)
    assert seconds < 1
    if change is not directory:
        # It has been replaced by a right one.
        assert (place.ask()[0], place.produced) == (fields(some_answer("again")), 2)


@needs_root
def test_an_entry_of_another_user_is_as_good_as_none(place):
    place.ask()
    of_another_user(place.entry(), 0)
    assert place.ask(answer=some_answer("again"))[0] == fields(some_answer("again"))


@given(data=st.binary(max_size=300), begin=st.booleans())
@settings(max_examples=300)
def test_no_bytes_are_an_error(data, begin):
    assert shared_result._decoded(KEY, (shared_result.FORM + b" " if begin else b"") + data, Answer) is None


# Places that are not usable: nothing is shared, nobody waits, nothing is put there.

def check_not_shared(place):
    for number in range(2):
        found, seconds = place.ask(answer=some_answer(str(number)))
        assert found == fields(some_answer(str(number)))
        assert seconds < 1
    assert place.produced == 2


@pytest.mark.parametrize("mode", [0o701, 0o710, 0o704, 0o702, 0o755, 0o777, 0o1777])
def test_a_directory_that_others_may_enter_is_not_used(place, mode):
    os.mkdir(place.directory)
    os.chmod(place.directory, mode)
    check_not_shared(place)
    assert os.listdir(place.directory) == []


def test_a_link_in_place_of_the_directory_is_not_followed(place, tmp_path):
    real = tmp_path / "real"
    real.mkdir(0o700)
    os.symlink(str(real), place.directory)
    check_not_shared(place)
    assert os.listdir(str(real)) == []


@pytest.mark.parametrize("make", [lambda path: open(path, "w").close(), os.mkfifo, lambda path: os.symlink("/nothing", path)])
def test_something_else_in_place_of_the_directory(place, make):
    make(place.directory)
    check_not_shared(place)


@needs_root
def test_a_directory_of_another_user_is_not_used(place):
    os.mkdir(place.directory, 0o700)
    os.chown(place.directory, NOBODY, NOBODY)
    check_not_shared(place)
    assert os.listdir(place.directory) == []


def test_a_place_that_is_not_there(tmp_path):
    check_not_shared(Place(tmp_path / "absent" / "eessi-arch-guard.777.0.node"))


@pytest.mark.parametrize("make", [
    os.mkdir, lambda path: os.symlink("/nothing/at/all", path), lambda path: os.symlink("/dev/null", path),
])
def test_a_lock_that_cannot_be_had_is_not_waited_for(place, make):
    place.ask()
    entry = place.entry()
    os.unlink(entry)
    os.unlink(entry + ".lock")
    make(entry + ".lock")
    place.produced = 0
    check_not_shared(place)


def test_an_answer_that_there_is_no_room_for_is_not_waited_for(place):
    noise = random.Random(1)
    large = Answer(bytes(noise.getrandbits(8) for _number in range(200000)), b"", Verdict("reload"))
    assert place.ask(answer=large)[0] == fields(large)
    place.produced = 0
    check_not_shared(place)
    assert place.size() < 10


def test_a_directory_stays_small_whatever_the_keys(place):
    noise = random.Random(1)
    for number in range(60):
        answer = Answer(bytes(noise.getrandbits(8) for _number in range(5000)), b"", Verdict("reload"))
        assert place.ask(KEY + b"%d" % number, answer)[0] == fields(answer)
    assert 100000 < place.size() <= shared_result.LARGEST_DIRECTORY


# Tasks at the same time

def fork(work):
    """Run ``work()`` in a child; return its process id."""
    pid = os.fork()
    if pid == 0:
        try:
            work()
            os._exit(0)
        finally:
            os._exit(1)
    return pid


def wait_for(path):
    end = time.monotonic() + 10
    while not os.path.exists(path):
        assert time.monotonic() < end
        time.sleep(0.005)


def test_those_who_come_meanwhile_wait_for_the_first(place, tmp_path):
    log = str(tmp_path / "log")

    def produce():
        with open(log, "a") as lines:
            lines.write("made\n")
        time.sleep(0.3)
        return some_answer()

    def task():
        found = shared_result.obtain(place.directory, KEY, produce, Answer, time.monotonic() + 20)
        assert fields(found) == fields(some_answer())

    begin = time.monotonic()
    tasks = [fork(task) for _number in range(12)]
    assert [os.waitpid(pid, 0)[1] for pid in tasks] == [0] * 12
    assert time.monotonic() - begin < 5
    with open(log) as lines:
        assert lines.read() == "made\n"


def first_that_hangs(place):
    """Start a task that is at it for a minute; return its process id."""
    def produce():
        open(place.directory + "/begun", "w").close()
        time.sleep(60)

    pid = fork(lambda: shared_result.obtain(place.directory, KEY, produce, Answer, time.monotonic() + 60))
    wait_for(place.directory + "/begun")
    return pid


def test_the_first_is_waited_for_until_the_deadline(place):
    pid = first_that_hangs(place)
    try:
        found, seconds = place.ask(seconds=0.4)
        assert (found, place.produced) == (fields(some_answer()), 1)
        assert 0.4 <= seconds < 1.5
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)


def test_a_first_that_was_killed_is_not_waited_for(place):
    pid = first_that_hangs(place)
    waiting = fork(lambda: place.ask(seconds=60))
    time.sleep(0.1)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    begin = time.monotonic()
    assert os.waitpid(waiting, 0)[1] == 0
    found, _seconds = place.ask()
    assert (found, place.produced) == (fields(some_answer()), 0)
    assert time.monotonic() - begin < 2


def test_a_first_that_is_killed_at_any_time_leaves_a_whole_answer_or_none(place):
    noise = random.Random(1)
    answer = Answer(b"export A=%s\n" % (b"a1b2" * 8000), b"", Verdict("match"))
    whole = 0
    for _number in range(60):
        pid = fork(lambda: place.ask(answer=answer))
        time.sleep(noise.random() * 0.004)
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        place.produced = 0
        found, seconds = place.ask(answer=answer)
        assert found == fields(answer)
        assert seconds < 1
        whole += not place.produced
        os.unlink(place.entry())
    print("answers that the killed task had left: %d of 60" % whole)
    assert place.size() <= shared_result.LARGEST_DIRECTORY


# What the answer depends on

ENVIRON = {"PATH": "/bin", "SLURM_JOB_ID": "7", "SLURM_PROCID": "0", "CUDA_VISIBLE_DEVICES": "0"}
PER_TASK = [
    "SLURM_PROCID", "SLURM_LOCALID", "SLURM_TASK_PID", "SLURM_GTIDS", "PMI_RANK", "PMI_FD", "PMIX_RANK", "PALS_RANKID",
    "OMPI_COMM_WORLD_RANK", "SLURM_CPU_BIND_LIST", "SLURM_MEM_BIND",
]


@pytest.mark.parametrize("name", PER_TASK)
def test_what_differs_from_task_to_task_does_not_count(name):
    assert shared_result.key(dict(ENVIRON, **{name: "5"}), [], []) == shared_result.key(dict(ENVIRON, **{name: "6"}), [], [])


@pytest.mark.parametrize("name", [
    "PATH", "SLURM_JOB_ID", "SLURM_STEP_LAUNCHER_PORT", "SLURM_RESTART_COUNT", "LOADEDMODULES", "X",
])
def test_everything_else_counts(name):
    assert shared_result.key(dict(ENVIRON, **{name: "5"}), [], []) != shared_result.key(dict(ENVIRON, **{name: "6"}), [], [])
    assert shared_result.key(ENVIRON, [], ["5"]) != shared_result.key(ENVIRON, [], ["6"])


@pytest.mark.parametrize("name", sorted(shared_result.GPU_BINDING))
@pytest.mark.parametrize("models, shared", [
    (["A100"], True), (["A100", "A100"], True), (["A100", "H100"], False), ([], False),
])
def test_which_gpu_counts_unless_all_are_alike(name, models, shared):
    one, other = dict(ENVIRON, **{name: "0"}), dict(ENVIRON, **{name: "1"})
    assert shared_result.depends_on_gpus(one)
    assert (shared_result.key(one, models, []) == shared_result.key(other, models, [])) is shared


def test_without_a_binding_the_gpus_need_not_be_asked():
    assert not shared_result.depends_on_gpus({"PATH": "/bin"})


# What earlier steps left

def leave(parent, number, age=0.0, size=10):
    """Leave the directory of an earlier step."""
    path = os.path.join(str(parent), "eessi-arch-guard.%d.0.node" % number)
    os.mkdir(path, 0o700)
    with open(os.path.join(path, "0badcafe"), "wb") as entry:
        entry.write(b"x" * size)
    os.utime(path, (time.time() - age, time.time() - age))
    return path


def test_the_first_of_a_step_removes_what_is_old(place, tmp_path):
    old, new = leave(tmp_path, 1, 3600), leave(tmp_path, 2, 60)
    place.ask()
    assert (os.path.exists(old), os.path.exists(new)) == (False, True)
    old = leave(tmp_path, 1, 3600)
    place.ask()
    assert os.path.exists(old)


def test_only_the_newest_are_kept(place, tmp_path):
    paths = [leave(tmp_path, number, 100 + number) for number in range(20)]
    place.ask()
    assert [path for path in paths if os.path.exists(path)] == paths[:shared_result.KEPT_STEPS]


def test_those_whose_tasks_may_still_start_are_kept(place, tmp_path):
    paths = [leave(tmp_path, number, number) for number in range(20)]
    place.ask()
    assert all(map(os.path.exists, paths))


def test_what_is_kept_is_never_large(place, tmp_path):
    paths = [leave(tmp_path, number, number, 100000) for number in range(6)]
    place.ask()
    assert [path for path in paths if os.path.exists(path)] == paths[:2]


def test_what_is_not_ours_is_left(place, tmp_path):
    target = tmp_path / "target"
    target.mkdir()
    (target / "file").write_text("mine")
    link = tmp_path / "eessi-arch-guard.1.0.node"
    link.symlink_to(str(target))
    plain = tmp_path / "eessi-arch-guard.2.0.node"
    plain.write_text("")
    other = leave(tmp_path, 3, 3600)
    with_directory = leave(tmp_path, 4, 3600)
    os.mkdir(os.path.join(with_directory, "sub"))
    os.utime(with_directory, (1, 1))
    kept = [str(target / "file"), str(link), str(plain), with_directory]
    if os.geteuid() == 0:
        os.chown(other, NOBODY, NOBODY)
        kept.append(other)
    unrelated = tmp_path / "eessi-arch-guard"
    unrelated.mkdir()
    os.utime(str(unrelated), (1, 1))
    assert place.ask()[0] == fields(some_answer())
    assert [path for path in kept + [str(unrelated)] if not os.path.lexists(path)] == []


# The line for the start scripts

@pytest.mark.parametrize("line, left", [
    ("boot|a|b", b"boot|a|b\n"), ("\udcff", b"\xff\n"), ("", b""), ("one\ntwo", b""), ("x" * 200000, b""),
])
def test_the_line_is_left_whole_or_as_an_empty_file(place, line, left):
    shared_result.tell_start_scripts(place.directory, "before")
    shared_result.tell_start_scripts(place.directory, line)
    with open(os.path.join(place.directory, "match"), "rb") as file:
        assert file.read() == left
    assert os.listdir(place.directory) == ["match"]


def test_no_line_is_left_where_others_may_enter(place):
    os.mkdir(place.directory)
    os.chmod(place.directory, 0o755)
    shared_result.tell_start_scripts(place.directory, "line")
    assert os.listdir(place.directory) == []
