# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: BSD-2-Clause

"""Changes and messages -> the lines that Slurm takes from a TaskProlog.

SchedMD/slurm, src/slurmd/slurmstepd/task.c: ``export NAME=value``, ``unset NAME`` and ``print text``, one a line.
"""

from .errors import GuardError
from .text import clean

# src/common/env.c: name and value have to stay below 128 KiB with the = and the NUL.
LONGEST_VARIABLE = 131072
NAME_START = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_")
NAME_CHARACTERS = NAME_START | frozenset("0123456789")


class CannotCarry(GuardError):
    """A change that the form cannot carry; the text names the variable."""


def lines(changed, messages, longest_line=0):
    """Return the lines (bytes) for ``changed`` (dict of name -> value, None to unset) and ``messages`` (list of str).

    Exports and unsets come sorted by name, then the messages. ``longest_line``: bytes that a line may have where Slurm
    cuts longer ones, 0 for no limit. Raises CannotCarry: then nothing may be written, since half of a change is worse
    than none.
    """
    made = []
    for name in sorted(changed):
        value = changed[name]
        if not is_name(name):
            raise CannotCarry("a variable named '%s' cannot be passed on" % clean(name, 60))
        made.append(_line("unset", name, name, longest_line) if value is None else _export(name, value, longest_line))
    made.extend(_line("print", clean(message, 4000), "", 0) for message in messages)
    return b"".join(made)


def is_name(name):
    """Tell whether ``name`` is the name of a shell variable."""
    return bool(name) and name[0] in NAME_START and NAME_CHARACTERS.issuperset(name)


def _export(name, value, longest_line):
    if len(name.encode("ascii")) + len(_bytes(value)) + 2 >= LONGEST_VARIABLE:
        raise CannotCarry("%s cannot be passed on: its value has 128 KiB or more" % name)
    return _line("export", "%s=%s" % (name, value), name, longest_line)


def _line(word, rest, name, longest_line):
    """Return one line; the only place that makes one."""
    data = _bytes("%s %s" % (word, rest))
    if b"\n" in data or b"\0" in data:
        raise CannotCarry("%s cannot be passed on: its value has a line feed" % name)
    if longest_line and len(data) >= longest_line:
        raise CannotCarry("%s cannot be passed on: Slurm of this site cuts lines at %d bytes" % (name, longest_line))
    return data + b"\n"


def _bytes(text):
    return text.encode("utf-8", "surrogateescape")
