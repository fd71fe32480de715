# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is fuzzed: for each reader of text from outside a function of bytes that raises where it breaks its promise."""

import re

from ansible_collections.eessi.arch_guard.plugins.module_utils.arch_guard import (
    accelerator,
    archdetect,
    cpuinfo,
    environ_block,
    environment,
    lmod,
    path_list,
    process,
    shared_result,
    slurm_conf,
    taskprolog,
    text,
)
from ansible_collections.eessi.arch_guard.plugins.module_utils.arch_guard.errors import ArchdetectFailed
from ansible_collections.eessi.arch_guard.plugins.module_utils.arch_guard.prolog import Answer
from ansible_collections.eessi.arch_guard.plugins.module_utils.arch_guard.verdict import Verdict
from harness.applier import apply

SEGMENT = re.compile(r"[A-Za-z0-9_.+-]+")
TARGET = re.compile(r"accel/nvidia/cc[0-9]+|accel/amd/gfx[0-9a-fA-F]+")
PROGRAM = "/opt/eessi-arch-guard/eessi-arch-guard"


def promise(kept, what):
    """Raise AssertionError unless ``kept``; a statement that no option of the interpreter takes away."""
    if not kept:
        raise AssertionError(what)


def is_sentence(said, limit=2000):
    """Tell whether it can be shown in one line."""
    return said.isprintable() and len(said) <= limit and "\n" not in said


def cpupath(data):
    """An answer of cpupath is a list of safe names, or refused in one line."""
    try:
        names = archdetect.candidates(process.Outcome(process.EXITED, 0, data), "/s")
    except ArchdetectFailed as error:
        promise(is_sentence(str(error)), str(error))
        return
    promise(names and len(set(names)) == len(names), names)
    for name in names:
        segments = name.split("/")
        promise(all(SEGMENT.fullmatch(segment) and segment not in (".", "..") for segment in segments), name)
    promise(b"\n" not in data.rstrip(b"\n") and len(data) <= 65537, len(data))


def accelpath(data):
    """An answer of accelpath is a target of one of the two forms, none, or refused in one line."""
    found = accelerator.from_answer(0, data)
    promise(is_sentence(found.reason), found.reason)
    promise(bool(TARGET.fullmatch(found.target)) == (found.status == accelerator.OK), found.target)
    promise((found.status == accelerator.NONE) == (data in (b"", b"\n")), found.status)


def flags(data):
    """The flags are those that each flags line has."""
    found = cpuinfo.parse(data)
    common, lines = None, 0
    for line in data.split(b"\n"):
        key, colon, value = line.partition(b":")
        if colon and key.rstrip().lower() == b"flags":
            lines += 1
            common = set(value.split()) if common is None else common & set(value.split())
    promise(found.flags_lines == lines, found.flags_lines)
    promise(found.flags == {flag.decode("ascii", "backslashreplace") for flag in common or ()}, found.flags)
    promise((found.uniform is None) == (lines == 0), found.uniform)
    whole = data.rpartition(b"\n")[0] if b"\n" in data else b""
    promise(cpuinfo.parse(data, cut=True).flags == cpuinfo.parse(whole).flags, "the last line of a cut file counts")


def environment_block(data):
    """Reading a block and writing it again loses nothing but what is no variable."""
    found = environ_block.parse(data)
    promise(all(name and "=" not in name and "\0" not in name + value for name, value in found.items()), found)
    again = b"".join(
        name.encode("utf-8", "surrogateescape") + b"=" + value.encode("utf-8", "surrogateescape") + b"\0"
        for name, value in found.items()
    )
    promise(environ_block.parse(again) == found, again)


def lines(data):
    """What is written for Slurm is what Slurm reads, or nothing is written."""
    before = environ_block.parse(data[:len(data) // 2])
    after = environ_block.parse(data[len(data) // 2:])
    changed = environment.changes(before, after)
    message = data.decode("latin-1")
    try:
        output = taskprolog.lines(changed, ["m " + message])
    except taskprolog.CannotCarry as error:
        promise(is_sentence(str(error)), str(error))
        return
    made = apply(output, before, strict=True)
    promise(made.environment == after, made.environment)
    promise(len(made.printed) == 1, made.printed)


def complaint(data):
    """What Lmod complains about becomes one line."""
    promise(is_sentence(lmod.complaint(data)), lmod.complaint(data))


def entry(data):
    """A shared entry comes back as it was; damaged in one byte or made up it is none, or the same."""
    parts = data.split(b"\0")
    parts += [b""] * (3 - len(parts))
    wanted, spoken, silent = parts[:3]
    found = Answer(spoken, silent, Verdict("failure", "x", "y", "guard-error", spoken.decode("utf-8", "surrogateescape")))
    packed = shared_result._encoded(wanted, found)
    again = shared_result._decoded(wanted, packed, Answer)
    promise(again is not None and (again.spoken, again.silent) == (spoken, silent), packed)
    promise(again.verdict.reason == found.verdict.reason, again.verdict.reason)
    promise(shared_result._decoded(wanted + b"x", packed, Answer) is None, "another key is answered")
    place = sum(data) % len(packed)
    damaged = packed[:place] + bytes([packed[place] ^ (1 + len(data) % 255)]) + packed[place + 1:]
    other = shared_result._decoded(wanted, damaged, Answer)
    promise(other is None or (other.spoken, other.silent) == (spoken, silent), damaged)
    shared_result._decoded(wanted, data, Answer)
    shared_result._decoded(wanted, shared_result.FORM + b" " + data, Answer)


def slurm(data):
    """TaskProlog is ours after wiring, and the text is what it was after taking that back."""
    conf = data.decode("utf-8", "surrogateescape")
    try:
        before = slurm_conf.unwire(conf)
        wired = slurm_conf.wire(before, PROGRAM)
    except slurm_conf.BadSlurmConf as error:
        promise(is_sentence(text.clean(str(error), 1000)), str(error))
        return
    promise(slurm_conf.unwire(wired) == before, wired)
    try:
        found = slurm_conf.settings("/etc/slurm/slurm.conf", lambda path: wired if path.endswith("slurm.conf") else "")
    except slurm_conf.BadSlurmConf:
        return
    promise(found and found[-1].value == PROGRAM, wired)


def merge(data):
    """No entry of the user is lost or moved against another, none of a module is lost, and none is made up."""
    names = [chr(97 + byte % 16) for byte in data]
    third = len(names) // 3
    before, made, after = names[:third], names[third:2 * third], names[2 * third:]
    own = [name for name in dict.fromkeys(before) if name < "h"]
    # Modules put theirs among what was there.
    made, after = (_among(own, [name for name in listed if name >= "h"]) for listed in (made, after))
    merged = path_list.merge(before, set(own), made, after, str.upper)
    promise(list(dict.fromkeys(name for name in merged if name in own)) == own, merged)
    promise({name for name in merged if name not in own and name.islower()} == set(after).difference(own), merged)
    copied = [name.lower() for name in merged if name.isupper()]
    promise(all(copied.count(name) <= before.count(name) for name in copied), merged)


def _among(own, added):
    """The `added` ones, half of them in front of the own ones."""
    half = len(added) // 2
    return added[:half] + own + added[half:]


def sentence(data):
    """Anything can be shown."""
    promise(is_sentence(text.clean(data, 100), 103), data)
    promise(is_sentence(text.clean(data.decode("utf-8", "surrogateescape"), 100), 103), data)


TARGETS = {
    function.__name__: function
    for function in (
        cpupath, accelpath, flags, environment_block, lines, complaint, entry, slurm, merge, sentence,
    )
}
