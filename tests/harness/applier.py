# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Run a TaskProlog as Slurm runs it, and apply its output as Slurm (21.08 and newer) applies it.

stdout and stderr of the program are one pipe, read to its end. Of its lines three forms count:

    print TEXT          white space in front of TEXT goes; TEXT is written to the task's stdout
    export NAME=VALUE   white space around NAME goes; VALUE reaches to the line feed
    unset NAME          white space around NAME goes

Everything else is dropped in silence. A NUL byte ends the reading.
"""

import os
import re
import signal
import subprocess
from dataclasses import dataclass

# Slurm takes a variable only while name, value and two bytes more stay below this; the kernel's limit is the same.
VARIABLE_LIMIT = 131072
# What C's isspace knows.
SPACE = b" \t\n\v\f\r"
SHELL_NAME = re.compile(rb"[A-Za-z_][A-Za-z0-9_]*")


class PrologOutputError(Exception):
    """A line that a TaskProlog must not write."""


@dataclass(frozen=True)
class Applied:
    """environment: name -> value after all lines. written: bytes on the task's stdout. dropped: other lines."""

    environment: dict[str, str]
    written: bytes
    dropped: tuple[str, ...]

    @property
    def printed(self):
        """The lines on the task's stdout."""
        return [os.fsdecode(line) for line in self.written.removesuffix(b"\n").split(b"\n")] if self.written else []


def apply(output, environment, strict=False):
    """Apply the bytes of a TaskProlog's pipe to a copy of `environment` (name -> value).

    strict: raise PrologOutputError at the first thing that Slurm would drop, or read otherwise than it is written:
    another form of line, white space that goes, a name that is no shell's, a variable over the limit, a NUL byte,
    output that ends without a line feed.
    """
    text, nul, _after = output.partition(b"\0")
    if strict and nul:
        raise PrologOutputError(f"a NUL byte after {text[-200:]!r}")
    if strict and text and not text.endswith(b"\n"):
        raise PrologOutputError(f"no line feed at the end: {text[-200:]!r}")
    reading = _Reading({os.fsencode(name): os.fsencode(value) for name, value in environment.items()}, strict)
    for line in re.findall(rb"[^\n]*\n|[^\n]+", text):
        reading.line(line)
    after = {os.fsdecode(name): os.fsdecode(value) for name, value in reading.environment.items()}
    return Applied(after, bytes(reading.written), tuple(map(os.fsdecode, reading.dropped)))


def run_as_task_prolog(arguments, environment, timeout=120):
    """Run a program as slurmstepd does; returns its status (negative: the signal) and the bytes of its one pipe.

    The pipe is read until nobody holds it any more, as Slurm reads it: a daemon left behind keeps the task waiting.
    Raises subprocess.TimeoutExpired (Slurm itself has no limit); the program's process group is gone then.
    """
    process = subprocess.Popen(
        arguments, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    with process:
        try:
            output, _nothing = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            raise
    return process.returncode, output


class _Reading:
    def __init__(self, environment, strict):
        self.environment = environment
        self.strict = strict
        self.written = bytearray()
        self.dropped = []

    def line(self, line):
        word, _space, rest = line.partition(b" ")
        apply_form = {b"print": self._print, b"export": self._export, b"unset": self._unset}.get(word)
        if apply_form is None or line[len(word):len(word) + 1] != b" ":
            self._drop(line, "none of the three forms")
        else:
            apply_form(line, rest)

    def _print(self, line, rest):
        text = rest.lstrip(SPACE)
        # White space is skipped across the line feed: a line of nothing else writes nothing.
        if not text:
            self._drop(line, "nothing to print")
            return
        if self.strict and text != rest:
            raise PrologOutputError(f"white space in front of the text: {line!r}")
        # Without a line feed the byte after the text is written in its place, and that is the NUL.
        self.written += text if text.endswith(b"\n") else text + b"\0"

    def _export(self, line, rest):
        name, equals, value = rest.removesuffix(b"\n").partition(b"=")
        name = self._name(line, name)
        if not equals or not name:
            self._drop(line, "no name and value")
        elif len(name) + len(value) + 2 >= VARIABLE_LIMIT:
            self._drop(line, f"{len(name) + len(value) + 2} bytes, the limit is {VARIABLE_LIMIT}")
        else:
            self.environment[name] = value

    def _unset(self, line, rest):
        name = self._name(line, rest.removesuffix(b"\n"))
        if name:
            self.environment.pop(name, None)
        else:
            self._drop(line, "no name")

    def _name(self, line, text):
        name = text.strip(SPACE)
        if self.strict and name != text:
            raise PrologOutputError(f"white space around the name: {line[:200]!r}")
        if self.strict and not SHELL_NAME.fullmatch(name):
            raise PrologOutputError(f"not a name of a variable: {line[:200]!r}")
        return name

    def _drop(self, line, reason):
        if self.strict:
            raise PrologOutputError(f"{reason}: {line[:200]!r}")
        self.dropped.append(line.removesuffix(b"\n"))
