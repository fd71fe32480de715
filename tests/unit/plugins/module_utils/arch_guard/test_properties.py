# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later

"""What holds for any input of the parsers."""

from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from ansible_collections.eessi.arch_guard.plugins.module_utils.arch_guard import (
    accelerator,
    archdetect,
    cpuinfo,
    facts,
    process,
    settings,
    target,
    text,
)
from ansible_collections.eessi.arch_guard.plugins.module_utils.arch_guard.errors import ArchdetectFailed

EXAMPLES = hypothesis_settings(max_examples=300, deadline=None)

NAMES = st.sampled_from([
    "x86_64/intel/sapphirerapids", "x86_64/intel/graniterapids", "x86_64/intel/icelake", "x86_64/amd/zen4", "x86_64/generic",
    "aarch64/nvidia/grace",
])
# Text near the forms that are right, since plain random text hardly ever comes close.
NEARLY = st.lists(st.one_of(
    NAMES.map(lambda name: name.encode("ascii")),
    st.sampled_from([b":", b"/", b".", b"..", b"\n", b"\r", b"\0", b"\x1f", b" ", b"accel/nvidia/cc", b"80", b"gfx90a"]),
    st.binary(max_size=3),
), max_size=12).map(b"".join)


@EXAMPLES
@given(NEARLY)
def test_cpupath_gives_safe_names_or_a_clean_refusal(stdout):
    try:
        names = archdetect.candidates(process.Outcome(process.EXITED, 0, stdout), "/e/eessi_archdetect.sh")
    except ArchdetectFailed as error:
        assert str(error).isprintable() and len(str(error)) < 400
        return
    line = stdout[:-1] if stdout.endswith(b"\n") else stdout
    assert names and len(set(names)) == len(names)
    assert set(names) == {field.decode("ascii") for field in line.split(b":") if field}
    for name in names:
        assert settings.is_relative_subdirectory(name)
        assert not name.startswith("/") and ".." not in name.split("/") and name.isprintable()


@EXAMPLES
@given(st.integers(0, 255), NEARLY)
def test_accelpath_gives_a_target_only_for_its_form(status, stdout):
    found = accelerator.from_answer(status, stdout)
    assert found.reason.isprintable()
    if found.status == "ok":
        assert status == 0 and stdout.rstrip(b"\n") == found.target.encode("ascii")
        assert found.target.startswith(("accel/nvidia/cc", "accel/amd/gfx"))
    else:
        assert not found.target
    assert found.status == "none" or status == 0


FLAG = st.sampled_from([b"fpu", b"waitpkg", b"avx2", b"waitpkg2", b"\xff", b"WAITPKG"])
LINE = st.one_of(
    st.tuples(st.sampled_from([b"flags", b"Flags", b"vmx flags", b"processor", b""]), st.sampled_from([b":", b"\t\t: ", b" "]),
              st.lists(FLAG, max_size=4)).map(lambda parts: parts[0] + parts[1] + b" ".join(parts[2])),
    st.binary(max_size=12).filter(lambda data: b"\n" not in data),
)


@EXAMPLES
@given(st.lists(LINE, max_size=8))
def test_cpuinfo_flags_are_those_of_each_flags_line(lines):
    info = cpuinfo.parse(b"\n".join(lines))
    wanted = [
        frozenset(line.partition(b":")[2].split()) for line in lines
        if line.partition(b":")[1] and line.partition(b":")[0].rstrip().lower() == b"flags"
    ]
    assert info.flags_lines == len(wanted)
    assert ("waitpkg" in info.flags) == (bool(wanted) and all(b"waitpkg" in flags for flags in wanted))
    assert info.uniform == (len(set(wanted)) == 1 if wanted else None)


@EXAMPLES
@given(st.lists(LINE, max_size=8), st.integers(0, 200))
def test_a_cut_never_makes_a_flag_go_missing(lines, size):
    data = b"\n".join(lines)
    whole = cpuinfo.parse(data)
    part = cpuinfo.parse(data[:size], cut=size < len(data))
    if part.flags_lines:
        assert whole.flags <= part.flags


@EXAMPLES
@given(st.lists(st.tuples(NAMES, st.sampled_from([True, False, None])), unique_by=lambda entry: entry[0]), st.booleans())
def test_walk(entries, has_waitpkg):
    candidates = target.check_flags([name for name, _answer in entries], {"waitpkg"} if has_waitpkg else set())
    for candidate, (_name, answer) in zip(candidates, entries):
        candidate.installed, candidate.problem = answer, "broken" if answer is None else ""
    found = target.choose(candidates, "/e")
    kept = [candidate for candidate in candidates if not candidate.excluded]
    first = next((candidate for candidate in kept if candidate.installed is not False), None)
    assert found.target == (first.name if first is not None and first.installed else "")
    assert found.target not in found.excluded
    if has_waitpkg:
        assert not found.excluded and not found.pin
    # A pin is the target itself, and is there whenever EESSI's module would pick another.
    assert found.pin in ("", found.target)
    if found.target and found.unfiltered_target != found.target:
        assert found.pin == found.target


@EXAMPLES
@given(st.one_of(st.text(max_size=300), st.binary(max_size=900)), st.integers(1, 250))
def test_clean_text_is_one_bounded_printable_line(value, limit):
    shown = text.clean(value, limit)
    assert shown.isprintable() and len(shown) <= limit + 3
    assert shown.encode("utf-8").decode("utf-8") == shown
    if isinstance(value, str) and value.isprintable() and len(value) <= limit:
        assert shown == value


PLAIN = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.text(max_size=20), st.text(alphabet="\udcff\x1b\n", max_size=5)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=5), inner, max_size=3)),
    max_leaves=8,
)


@EXAMPLES
@given(PLAIN)
def test_facts_hold_only_printable_strings(value):
    def strings(part):
        if isinstance(part, dict):
            return [found for key in part for found in [key] + strings(part[key])]
        if isinstance(part, list):
            return [found for item in part for found in strings(item)]
        return [part] if isinstance(part, str) else []

    assert all(found.isprintable() for found in strings(facts.plain(value)))
