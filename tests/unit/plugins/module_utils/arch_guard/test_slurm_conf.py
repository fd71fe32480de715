# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""TaskProlog in slurm.conf. Runs on Python 3.6 too."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.eessi.arch_guard.plugins.module_utils.arch_guard import slurm_conf

GUARD = "/opt/eessi-arch-guard/eessi-arch-guard"

# What stands in the file, and the programs that Slurm takes from it, in order.
READ = [
    ("", []),
    ("ClusterName=c\n", []),
    ("TaskProlog=/a\n", ["/a"]),
    ("TaskProlog=/a", ["/a"]),
    ("taskprolog=/a\n", ["/a"]),
    ("TASKPROLOG=/a\n", ["/a"]),
    ("  TaskProlog =\t/a \n", ["/a"]),
    ("TaskProlog=/a\r\n", ["/a"]),
    ("TaskProlog=/a # why\n", ["/a"]),
    ("TaskProlog=/a#b\n", ["/a"]),
    ("TaskProlog=/a\\#b\n", ["/a#b"]),
    ("#TaskProlog=/a\n", []),
    ("# x\n #TaskProlog=/a\n", []),
    ("\\\\#TaskProlog=/a\n", []),
    ('TaskProlog="/a b"\n', ["/a b"]),
    ('TaskProlog=""\n', [""]),
    ('TaskProlog="/a"b\n', ['"/a"b']),
    ("TaskProlog+=/a\n", ["/a"]),
    ("TaskProlog=/a\nTaskProlog=/b\n", ["/a", "/b"]),
    ("TaskProlog=\\\n/a\n", ["/a"]),
    ("TaskProlog=/a\\  \n/b\n", ["/a/b"]),
    ("Task\\\nProlog=/a\n", ["/a"]),
    ("TaskProlog=/a \\ # why\n\n", ["/a"]),
    ("# comment \\\nTaskProlog=/a\n", ["/a"]),
    ("NodeName=n \\\nTaskProlog=/a\n", []),
    ("TaskProlog=/a\\\\\nTaskProlog=/b\n", ["/a\\", "/b"]),
    ("TaskPrologs=/a\nXTaskProlog=/a\nTaskEpilog=/a\n", []),
    ("NodeName=n TaskProlog=/a\n", []),
    ("TaskProlog=/a\\", ["/a"]),
    ("TaskProlog=/a\x0bX=/b", ["refused"]),
    ("TaskProlog=/a TaskEpilog=/b\n", ["refused"]),
    ("TaskProlog=\n", ["refused"]),
    ("TaskProlog = # none\n", ["refused"]),
]


def values(text, files=None):
    found = dict(files or {})
    found["/etc/slurm/slurm.conf"] = text
    return [setting.value for setting in slurm_conf.settings("/etc/slurm/slurm.conf", found.__getitem__)]


@pytest.mark.parametrize("text, wanted", READ)
def test_it_is_read_as_slurm_reads_it(text, wanted):
    if wanted == ["refused"]:
        with pytest.raises(slurm_conf.BadSlurmConf):
            values(text)
    else:
        assert values(text) == wanted


@pytest.mark.parametrize("text", [text for text, wanted in READ if wanted != ["refused"]])
def test_the_guard_alone_counts_when_wired_and_everything_comes_back(text):
    wired = slurm_conf.wire(text, GUARD)
    assert values(wired) == [GUARD]
    assert slurm_conf.is_wired(wired) and not slurm_conf.is_wired(text)
    assert slurm_conf.unwire(wired) == text
    assert slurm_conf.wire(wired, GUARD) == wired
    assert slurm_conf.unwire(slurm_conf.wire(wired, "/elsewhere")) == text


LINES = st.lists(st.one_of(
    st.sampled_from([text for text, _wanted in READ] + ["a=b", "\\", "#", "\n", "\r", "\u2028", "\x0c"]),
    st.text(max_size=8),
)).map("".join).filter(lambda text: slurm_conf.BEGIN not in text and slurm_conf.KEPT not in text)


@given(LINES)
def test_any_text_comes_back(text):
    wired = slurm_conf.wire(text, GUARD)
    assert slurm_conf.unwire(wired) == text
    assert wired.count("\nTaskProlog=" + GUARD + "\n") == 1
    keys = [line.text for line in slurm_conf.logical_lines(wired) if "taskprolog" in line.text.lower()]
    assert keys[-1] == "TaskProlog=" + GUARD + "\n"


def test_lines_added_below_stay():
    wired = slurm_conf.wire("A=1", GUARD) + "B=2\n"
    assert slurm_conf.unwire(wired) == "A=1\nB=2\n"


def test_a_line_of_the_site_that_was_added_later_is_kept_too():
    wired = slurm_conf.wire("TaskProlog=/a\n", GUARD) + "TaskProlog=/b\n"
    assert values(wired) == [GUARD, "/b"]
    assert values(slurm_conf.unwire(wired)) == ["/a", "/b"]
    again = slurm_conf.wire(wired, GUARD)
    assert values(again) == [GUARD]
    assert slurm_conf.unwire(again) == "TaskProlog=/a\nTaskProlog=/b\n"


@pytest.mark.parametrize("text", [
    slurm_conf.BEGIN + "\n",
    slurm_conf.END + "\n",
    slurm_conf.BEGIN + "\n" + slurm_conf.BEGIN + "\n" + slurm_conf.END + "\n",
])
def test_damaged_marks_are_an_error(text):
    with pytest.raises(slurm_conf.BadSlurmConf):
        slurm_conf.unwire(text)


@pytest.mark.parametrize("program", ["relative", "/a b", "/a#b", '/a"b', "/a\nb", "/a\\b", ""])
def test_a_program_that_slurm_would_read_differently_is_refused(program):
    with pytest.raises(slurm_conf.BadSlurmConf):
        slurm_conf.wire("", program)


INCLUDED = {
    "/etc/slurm/more.conf": "TaskProlog=/more\n",
    "/etc/slurm/sub/a.conf": "include b.conf\n",
    "/etc/slurm/sub/b.conf": "TaskProlog=/b\n",
    "/etc/slurm/big.conf": "TaskProlog=/big\n",
    "/abs.conf": "TaskProlog=/abs\n",
    "/etc/slurm/loop.conf": "Include loop.conf\n",
}


@pytest.mark.parametrize("text, wanted", [
    ("Include more.conf\n", ["/more"]),
    ("INCLUDE\tmore.conf", ["/more"]),
    ("Include more.conf # why\n", ["/more"]),
    ("TaskProlog=/a\nInclude more.conf\n", ["/a", "/more"]),
    ("Include more.conf\nTaskProlog=/a\n", ["/more", "/a"]),
    ("Include /abs.conf\n", ["/abs"]),
    ("Include sub/a.conf\n", ["/b"]),
    ("ClusterName=BIG\nInclude %c.conf\n", ["/big"]),
    ("#Include more.conf\n", []),
    ("Includes more.conf\n", []),
    (" Include more.conf\n", []),
    ("Include *.conf\n", []),
])
def test_included_files_count(text, wanted):
    assert values(text, INCLUDED) == wanted
    wired = slurm_conf.wire(text, GUARD)
    assert values(wired, INCLUDED)[-1] == GUARD
    assert slurm_conf.unwire(wired) == text


@pytest.mark.parametrize("text", ["Include loop.conf\n", "Include %c.conf\n"])
def test_what_cannot_be_included_is_an_error(text):
    with pytest.raises(slurm_conf.BadSlurmConf):
        values(text, INCLUDED)


@pytest.mark.parametrize("value, wanted", [
    ("/a/b", "/a/b"), ("/a//b", "/a/b"), ("prolog.sh", "/etc/slurm/prolog.sh"), ("", None),
])
def test_the_program_of_a_value(value, wanted):
    assert slurm_conf.program(value, "/etc/slurm/slurm.conf") == wanted
