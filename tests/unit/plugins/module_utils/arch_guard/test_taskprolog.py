# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later

"""The lines for Slurm."""

import pytest

from ansible_collections.eessi.arch_guard.plugins.module_utils.arch_guard import taskprolog


def test_order_and_forms():
    assert taskprolog.lines({"b": "2", "A": None, "a": "1", "C": ""}, ["one", "two"]) == (
        b"unset A\nexport C=\nexport a=1\nexport b=2\nprint one\nprint two\n"
    )


def test_nothing_to_say():
    assert taskprolog.lines({}, []) == b""


@pytest.mark.parametrize("value", ["a b", " a ", "=", "\t", "\x1b[31m", "ä\udcff", "print x", "'\"$(x)`", "a\rb"])
def test_values_are_passed_as_they_are(value):
    assert taskprolog.lines({"A": value}, []) == b"export A=" + value.encode("utf-8", "surrogateescape") + b"\n"


@pytest.mark.parametrize("changed, said", [
    ({"A": "x\nunset HOME"}, "A cannot be passed on: its value has a line feed"),
    ({"A": "x\0"}, "A cannot be passed on: its value has a line feed"),
    ({"A-B": "x"}, "a variable named 'A-B' cannot be passed on"),
    ({"A\nB": None}, "a variable named 'A\\nB' cannot be passed on"),
    ({"": "x"}, "a variable named '' cannot be passed on"),
    ({"1A": "x"}, "a variable named '1A' cannot be passed on"),
    ({"Ä": "x"}, "a variable named 'Ä' cannot be passed on"),
    ({"FINE": "1", "LONG": "x" * 131066}, "LONG cannot be passed on: its value has 128 KiB or more"),
    ({"LONG": "x" * 131072}, "LONG cannot be passed on: its value has 128 KiB or more"),
    ({"LONG": "ä" * 65533}, "LONG cannot be passed on: its value has 128 KiB or more"),
])
def test_what_the_form_cannot_carry_is_named(changed, said):
    with pytest.raises(taskprolog.CannotCarry) as raised:
        taskprolog.lines(changed, ["message"])
    assert str(raised.value) == said


def test_the_longest_value():
    # name + value + 2 have to stay below 131,072.
    assert taskprolog.lines({"LONG": "x" * 131065}, [])


@pytest.mark.parametrize("size, fits", [(4093 - len("export A="), True), (4094 - len("export A="), False)])
def test_lines_that_an_old_slurm_cuts(size, fits):
    changed = {"A": "x" * size}
    if fits:
        assert taskprolog.lines(changed, [], 4094)
        return
    with pytest.raises(taskprolog.CannotCarry) as raised:
        taskprolog.lines(changed, [], 4094)
    assert str(raised.value) == "A cannot be passed on: Slurm of this site cuts lines at 4094 bytes"


def test_a_message_is_one_line():
    assert taskprolog.lines({}, ["a\nunset HOME\x1b"]) == b"print a\\nunset HOME\\x1b\n"
