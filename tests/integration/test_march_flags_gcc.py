# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later

"""The table of -march flags against the gcc of this machine, and the tool that compares them."""

import importlib.util
import re
import shutil
import subprocess
import sys
import types
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TOOL = ROOT / "tools" / "march_flags.py"


def load_tool():
    """Return tools/march_flags.py as a module."""
    spec = importlib.util.spec_from_file_location("march_flags_tool", TOOL)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def installed_compilers():
    """Return the names of all gcc on PATH, plain and with a version, that compile for x86_64."""
    names = ["gcc"] + [f"gcc-{major}" for major in range(11, 21)]
    found = []
    for name in names:
        if shutil.which(name):
            machine = subprocess.run([name, "-dumpmachine"], capture_output=True, text=True, timeout=60, check=False)
            if machine.stdout.startswith("x86_64"):
                found.append(name)
    return found


tool = load_tool()
COMPILERS = installed_compilers()


@pytest.mark.skipif(not COMPILERS, reason="no gcc for x86_64 on this machine")
@pytest.mark.parametrize("gcc", COMPILERS)
def test_table_agrees_with_the_installed_gcc(gcc):
    data = tool.load_data()
    survey = tool.Survey(data, gcc)
    # Otherwise the comparison might be of nothing.
    assert {"x86-64", "haswell", "skylake-avx512", "icelake-server", "znver2"} <= set(survey.flags)
    assert tool.differences(data, survey) == []
    assert tool.updated_flags(data, survey) == data.MARCH_FLAGS


@pytest.mark.skipif(not COMPILERS, reason="no gcc for x86_64 on this machine")
def test_check_from_the_command_line():
    done = subprocess.run(
        [sys.executable, str(TOOL), "--check", "--gcc", COMPILERS[0]],
        capture_output=True, text=True, timeout=300, check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.match(r"GCC \d+: \d+ marches compared, 0 differences\n", done.stdout)


def test_without_a_gcc_nothing_is_compared():
    done = subprocess.run(
        [sys.executable, str(TOOL), "--check", "--gcc", "/nonexistent/gcc"],
        capture_output=True, text=True, timeout=60, check=False,
    )
    assert done.returncode == 2
    assert "/nonexistent/gcc cannot be run" in done.stderr


def test_table_in_the_file_is_what_the_tool_writes():
    source = tool.DATA_FILE.read_text(encoding="utf-8")
    assert tool.replace_table(source, tool.load_data().MARCH_FLAGS) == source


def small_data(**changes):
    """Return a table of two marches; ``changes`` replace its parts."""
    parts = {
        "OPTION_FLAGS": {"-msse": "sse", "-mavx": "avx", "-mlzcnt": "abm", "-mabm": "abm"},
        "OPTIONS_WITHOUT_FLAG": {"-mkl": "no name"},
        "KNOWN_DIFFERENCES": {},
        "MARCH_FLAGS": {"x86-64": ("sse",), "new": ("abm", "avx", "sse")},
    }
    return types.SimpleNamespace(**{**parts, **changes})


def survey_of(data, printed, major=12):
    """Return the survey of a gcc that prints ``printed`` (march -> options; absent: not known)."""
    return tool.Survey(data, "gcc", options=lambda _gcc, march: printed.get(march), version=lambda _gcc: major)


BASE = frozenset(("-msse", "-m64"))


@pytest.mark.parametrize("new_options, expected", [
    (BASE | {"-mavx", "-mlzcnt"}, []),
    (BASE | {"-mavx", "-mabm", "-mlzcnt", "-mkl", "-maccumulate-outgoing-args"}, []),
    (BASE | {"-mlzcnt"}, ["new: only the table has avx"]),
    (BASE | {"-mavx", "-mlzcnt", "-mnew"}, ["new: the table does not know the options -mnew"]),
    (None, []),
])
def test_differences(new_options, expected):
    data = small_data()
    assert tool.differences(data, survey_of(data, {"x86-64": BASE, "new": new_options})) == expected


def test_a_flag_that_only_gcc_has_is_a_difference():
    data = small_data(MARCH_FLAGS={"x86-64": ("sse",), "new": ("sse",)})
    survey = survey_of(data, {"x86-64": BASE, "new": BASE | {"-mavx"}})
    assert tool.differences(data, survey) == ["new: only gcc has avx"]


@pytest.mark.parametrize("major, expected", [(12, []), (13, ["new: only gcc has avx", "new: only the table has abm"])])
def test_a_known_difference_counts_for_its_version_alone(major, expected):
    data = small_data(
        MARCH_FLAGS={"x86-64": ("sse",), "new": ("abm", "sse")},
        KNOWN_DIFFERENCES={12: {"new": {"more": ("avx",), "fewer": ("abm",), "reason": "made up"}}},
    )
    survey = survey_of(data, {"x86-64": BASE, "new": BASE | {"-mavx"}}, major)
    assert tool.differences(data, survey) == expected


def test_a_known_difference_that_is_gone_is_a_difference():
    data = small_data(KNOWN_DIFFERENCES={12: {"new": {"more": ("x",), "fewer": (), "reason": "made up"}}})
    survey = survey_of(data, {"x86-64": BASE, "new": BASE | {"-mavx", "-mlzcnt"}})
    assert tool.differences(data, survey) == ["new: only the table has x"]


def test_update_takes_what_gcc_prints_and_keeps_what_it_does_not_know():
    data = small_data(
        MARCH_FLAGS={"x86-64": (), "new": ("abm",), "unknown": ("avx",)},
        KNOWN_DIFFERENCES={12: {"new": {"more": ("avx",), "fewer": ("abm",), "reason": "made up"}}},
    )
    survey = survey_of(data, {"x86-64": BASE, "new": BASE | {"-mavx"}})
    assert tool.updated_flags(data, survey) == {"x86-64": ["sse"], "new": ["abm", "sse"], "unknown": ["avx"]}


def test_a_gcc_for_another_cpu_is_refused():
    with pytest.raises(tool.GccError, match="does not know -march=x86-64"):
        survey_of(small_data(), {})


def test_help_is_read_by_whole_rows():
    text = "  -mavx   \t\t[enabled]\n  -mavx2  \t\t[disabled]\n  -march=  \t\thaswell\n  -msse  [enabled] now\n\n"
    assert tool.parse_help(text) == {"-mavx"}


@pytest.mark.parametrize("source", ["", "# generated: begin\n", "# generated: end\n# generated: end\n"])
def test_a_file_without_its_marks_is_not_rewritten(source):
    with pytest.raises(ValueError, match="not in the file exactly once"):
        tool.replace_table(source, {})


def test_what_is_written_is_read_back():
    table = {"new": [], "one": ["a"], "many": [f"flag{number}" for number in range(100)]}
    read_back = {}
    exec(tool.render(table), read_back)
    assert read_back["MARCH_FLAGS"] == table
    assert max(len(line) for line in tool.render(table).splitlines()) <= tool.LINE_LIMIT
