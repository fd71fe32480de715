# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: BSD-2-Clause

"""TaskProlog in the text of slurm.conf: what Slurm takes it to be, setting it, and taking that back.

All texts are str. White space, comments, continuation lines and the order in which values count are Slurm's.
"""

import os
import re

from .errors import GuardError

KEY = "taskprolog"
BEGIN = "# BEGIN eessi_arch_guard"
BEGIN_AFTER_CUT_LINE = BEGIN + " (the line above had no line feed)"
END = "# END eessi_arch_guard"
# In front of each line of the site that does not count while the guard is there.
KEPT = "#eessi_arch_guard# "
DEEPEST_INCLUDE = 16

_SPACE = " \t\n\v\f\r"
_SETTING = re.compile(
    r'[ \t\n\v\f\r]*([A-Za-z0-9_.]+)[ \t\n\v\f\r]*[-*+/]?=[ \t\n\v\f\r]*(?:"([^"]*)"|([^ \t\n\v\f\r]+))'
    r"(?=[ \t\n\v\f\r]|$)(.*)", re.DOTALL
)
_INCLUDE = re.compile(r"include[ \t\n\v\f\r]+([^ \t\n\v\f\r]+)", re.IGNORECASE)
_COMMENT = re.compile(r"((?:[^\\#]|\\.)*)#.*", re.DOTALL)
_CONTINUED = re.compile(r"((?:.*[^\\])?(?:\\\\)*)\\[ \t\n\v\f\r]*$", re.DOTALL)


class BadSlurmConf(GuardError):
    """It cannot be told what Slurm takes TaskProlog to be, or what to take back; the text names file and reason."""

    word = "slurm-conf"


class Line(object):
    """What Slurm reads as one line: ``text`` without comment, continuation and escapes; ``lines`` of the file."""

    def __init__(self, text, lines):
        self.text = text
        self.lines = lines


class Setting(object):
    """One TaskProlog that is set: ``value`` (str, may be empty) and the ``path`` of the file it stands in."""

    def __init__(self, value, path):
        self.value = value
        self.path = path


def settings(path, read):
    """Return a Setting for each TaskProlog in the file ``path`` and what it includes, in order; the last counts.

    ``read``: function from path to text. Raises BadSlurmConf, and what ``read`` raises.
    """
    return _settings(path, read, {}, 0)


def is_wired(text):
    """Tell whether ``wire`` changed ``text``."""
    return any(line.startswith((BEGIN, KEPT)) for line in _lines(text))


def wire(text, program):
    """Return ``text`` with TaskProlog set to ``program``, an absolute path; what stood there is kept as comments."""
    if re.search(r'[\s"#\\]', program) or not program.startswith("/"):
        raise BadSlurmConf("TaskProlog cannot be %r" % program)
    kept = []
    for line in logical_lines(unwire(text)):
        ours = _key(line.text) == KEY
        kept.extend(KEPT + part if ours else part for part in line.lines)
    before = "".join(kept)
    begin = BEGIN
    if before and not before.endswith("\n"):
        before += "\n"
        begin = BEGIN_AFTER_CUT_LINE
    return "%s%s\nTaskProlog=%s\n%s\n" % (before, begin, program, END)


def unwire(text):
    """Return ``text`` as it was before ``wire``; raise BadSlurmConf where its marks are damaged."""
    found = []
    inside = False
    cut = False
    for line in _lines(text):
        mark = line.rstrip(_SPACE)
        if mark in (BEGIN, BEGIN_AFTER_CUT_LINE):
            if inside:
                raise BadSlurmConf("the line %r stands there twice without %r between" % (BEGIN, END))
            inside = True
            cut = mark == BEGIN_AFTER_CUT_LINE
        elif mark == END:
            if not inside:
                raise BadSlurmConf("the line %r stands there without %r before it" % (END, BEGIN))
            inside = False
        elif not inside:
            found.append(line[len(KEPT):] if line.startswith(KEPT) else line)
            # Somebody added a line below: then the line feed that was added has become part of the file.
            cut = False
    if inside:
        raise BadSlurmConf("the line %r stands there without %r after it" % (BEGIN, END))
    before = "".join(found)
    return before[:-1] if cut else before


def program(value, path):
    """Return the program that the ``value`` of TaskProlog in the file ``path`` stands for, None for none."""
    if not value:
        return None
    return os.path.normpath(os.path.join(os.path.dirname(path), value))


def logical_lines(text):
    """Yield a Line for each line of ``text`` as Slurm reads it."""
    joined = ""
    lines = []
    for line in _lines(text):
        lines.append(line)
        commented = _COMMENT.match(line)
        part = commented.group(1) if commented else line
        continued = _CONTINUED.match(part)
        if continued:
            joined += continued.group(1)
            continue
        yield Line(_without_escapes(joined + part), lines)
        joined = ""
        lines = []
    if lines:
        yield Line(_without_escapes(joined), lines)


def _lines(text):
    # Only a line feed ends a line; str.splitlines() knows many more.
    return re.findall(r"[^\n]*\n|[^\n]+$", text)


def _without_escapes(text):
    return re.sub(r"\\(.?)", r"\1", text, flags=re.DOTALL)


def _key(text):
    found = _SETTING.match(text)
    return found.group(1).lower() if found else None


def _settings(path, read, names, depth):
    if depth > DEEPEST_INCLUDE:
        raise BadSlurmConf("%s: files include each other" % path)
    found = []
    for line in logical_lines(read(path)):
        include = _INCLUDE.match(line.text)
        if include:
            if "*" in include.group(1):
                # Slurm has no patterns in names: it passes over such a line.
                continue
            found += _settings(_included(include.group(1), path, names), read, names, depth + 1)
            continue
        setting = _SETTING.match(line.text)
        if not setting:
            if re.match(r"\s*%s\s*=" % KEY, line.text, re.IGNORECASE):
                raise BadSlurmConf("%s: Slurm refuses a TaskProlog without a value" % path)
            continue
        key = setting.group(1).lower()
        value = setting.group(3) if setting.group(2) is None else setting.group(2)
        if key == "clustername":
            names["%c"] = value.lower()
        if key == KEY:
            rest = setting.group(4).strip(_SPACE)
            if rest:
                raise BadSlurmConf("%s: Slurm refuses what follows TaskProlog in its line: %s" % (path, rest))
            found.append(Setting(value, path))
    return found


def _included(name, path, names):
    if "%c" in name:
        if "%c" not in names:
            raise BadSlurmConf("%s: Include %s comes before ClusterName" % (path, name))
        name = name.replace("%c", names["%c"])
    return os.path.join(os.path.dirname(path), name)
