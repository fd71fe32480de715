# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""One bash for all commands of a page, and the comparison of what they print with what the page shows."""

import re
import subprocess
from dataclasses import dataclass

TIME_LIMIT = 300
BEGIN, END = "\x1e", "\x1f"
ANYTHING = "..."


@dataclass(frozen=True)
class Result:
    """What a command printed on both outputs, and its status (None: it did not come to its end)."""

    output: str
    status: int | None


def run(commands, environment, cwd, keep_input=()):
    """Run `commands` (bash) one after the other in one shell; returns a Result for each.

    keep_input: numbers of commands that start a shell, which reads the commands that follow, up to an `exit`.
    """
    script = ""
    for number, command in enumerate(commands):
        source = "" if number in keep_input else " </dev/null"
        script += (
            f"printf '{BEGIN}%s\\n' {number}; (exit ${{status:-0}})\n{{ {command}\n}}{source}\n"
            f"status=$?; printf '{END}%s %s\\n' {number} $status\n"
        )
    # From a pipe, so that a shell that is started goes on where this one stopped.
    done = subprocess.run(
        ["/bin/bash", "--noprofile", "--norc"], input=script.encode(), cwd=cwd, env=environment,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=TIME_LIMIT, check=False,
    )
    return _results(done.stdout.decode(errors="replace"), len(commands))


def _results(output, count):
    results = []
    for number in range(count):
        printed = re.search(rf"{BEGIN}{number}\n(.*?)(?=[{BEGIN}{END}]|\Z)", output, re.DOTALL)
        status = re.search(f"{END}{number} (\\d+)\n", output)
        results.append(Result(printed[1] if printed else "", int(status[1]) if status else None))
    return results


def pattern(lines):
    """The regular expression of the text that `lines` stand for: a line ... is any lines, ... at an end any rest."""
    parts = []
    for line in lines:
        if line.strip() == ANYTHING:
            parts.append(r"(?:.*\n)*?")
        elif line.endswith(ANYTHING):
            parts.append(re.escape(line.removesuffix(ANYTHING)) + r".*\n")
        else:
            parts.append(re.escape(line) + r"\n")
    return re.compile("".join(parts))


def difference(command, expected, result):
    """What is wrong with the Result of a command whose lines are `expected`; "" where nothing is."""
    output = "".join(line.rstrip() + "\n" for line in result.output.splitlines())
    if pattern(expected).fullmatch(output):
        return ""
    return f"$ {command}\nexpected:\n" + "\n".join(expected) + f"\nprinted (status {result.status}):\n{output}"
