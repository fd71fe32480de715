# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later

"""Where entries of a path-like variable go in a reload."""

import pytest

from ansible_collections.eessi.arch_guard.plugins.module_utils.arch_guard import path_list

# u...: the user's own; x4 -> x2: a module's entry of the old and of the new target; others: a module's of no target.
MERGES = [
    # before, after, expected
    ("a4 b4 u1 u2", "a2 b2 u1 u2", "a2 b2 u1 u2"),
    ("u1 a4 b4 u2", "a2 b2 u1 u2", "u1 a2 b2 u2"),
    ("a4 b4 u1", "b2 a2 u1", "b2 a2 u1"),
    ("u0 a4 u1 b4 u2", "a2 b2 u0 u1 u2", "u0 a2 u1 b2 u2"),
    ("u0 a4 u2 z4", "a2 u0 u2 z2", "u0 a2 u2 z2"),
    ("a4 u1 z4 u9", "a2 u1 u9 z2", "a2 u1 z2 u9"),
    ("u1 u2", "a2 u1 u2 z2", "a2 u1 u2 z2"),
    ("", "a2 b2", "a2 b2"),
    ("a4 b4", "", ""),
    ("a4 u1", "u1", "u1"),
    ("u1 a4", "u1", "u1"),
    ("u0 a4 u1", "n2 a2 u0 u1", "u0 n2 a2 u1"),
    ("u0 a4 u1", "a2 n2 u0 u1", "u0 a2 n2 u1"),
    ("a4 u1", "a2 u1 n2", "a2 u1 n2"),
    ("m a4 u1", "m a2 u1", "m a2 u1"),
    ("u0 m u1", "m u0 u1", "u0 m u1"),
    ("u1 u1 a4", "a2 u1", "u1 u1 a2"),
    ("a4 a4 u1", "a2 u1", "a2 u1"),
    ("u1 c4 b4 a4 u2", "c2 a2 b2 u1 u2", "u1 c2 a2 b2 u2"),
]


def renamed(entry):
    """Stand for the move from one target to another."""
    return entry.replace("4", "2")


@pytest.mark.parametrize("before, after, expected", MERGES)
def test_merge(before, after, expected):
    own = {entry for entry in before.split() if entry.startswith("u")}
    assert path_list.merge(before.split(), own, [], after.split(), renamed) == expected.split()


@pytest.mark.parametrize("before, made, expected", [
    ("a4 b4 a4 u", "b4 a4 u", "a2 b2 a2 u"),
    ("b4 a4 u b4", "b4 a4 u", "b2 a2 u b2"),
    ("a4 a4 u", "a4 u", "a2 a2 u"),
    ("a4 a4 a4 u", "a4 u", "a2 a2 a2 u"),
    ("b4 u1 a4 b4 u2", "b4 a4 u2", "b2 u1 a2 b2 u2"),
    ("b4 a4 u1 b4 u2", "a4 b4 u2", "b2 a2 u1 b2 u2"),
    ("a4 b4 u", "b4 a4 u", "b2 a2 u"),
    ("a4 a4 u", "a4 a4 u", "a2 a2 u"),
    ("/e4/ b4 /e4", "b4 /e4", "/e2/ b2 /e2"),
])
def test_what_the_user_put_in_once_more_stays_where_it_is(before, made, expected):
    after = renamed(made).split()
    own = {entry for entry in before.split() if entry.startswith("u")}
    assert path_list.merge(before.split(), own, made.split(), after, renamed) == expected.split()


def test_a_copy_of_a_modules_entry_stays_where_it_is_and_leads_to_the_new_target():
    merged = path_list.merge(["a4", "u", "b4", "a4"], {"u"}, ["b4", "a4", "u"], ["b2", "a2", "u"], renamed)
    assert merged == ["a2", "u", "b2", "a2"]


@pytest.mark.parametrize("before, made, after, expected", [
    # Modules that put an entry to another place on the node.
    ("u1 a4", "u1 a4", "a2 u1", "a2 u1"),
    ("a4 u1 z4", "a4 u1 z4", "z2 u1 a2", "z2 u1 a2"),
    # The user did something: where it was.
    ("m u1", "u1 m", "u1 n", "n u1"),
    ("u1 m", "m u1", "n u1", "u1 n"),
    ("u1 a4 b4", "b4 a4 u1", "a2 b2 u1", "u1 a2 b2"),
    # The same, and the node's module puts an entry to the other end.
    ("u1 c4 s a4", "c4 u1 s a4", "a2 c2 u1 s z2", "u1 a2 c2 s z2"),
    # A module that was there for a while left an entry of two modules where it had put it.
    ("a4 m /usr/bin /bin b4", "a4 /usr/bin /bin b4 m", "a2 /usr/bin /bin b2 m", "a2 /usr/bin /bin b2 m"),
    ("a4 m /usr/bin /bin", "a4 /usr/bin /bin m", "a2 /usr/bin /bin m", "a2 /usr/bin /bin m"),
    ("b4 a4 u1 m", "b4 m a4 u1", "b2 m a2 u1", "b2 m a2 u1"),
    # Between the modules' entries at the front, between those at the end.
    ("b4 u1 a4 s", "b4 a4 u1 s", "b2 n2 a2 u1 s", "b2 n2 u1 a2 s"),
    ("s a4 u1 b4", "s u1 a4 b4", "s u1 a2 n2 b2", "s a2 u1 n2 b2"),
])
def test_what_the_user_did_not_touch_is_as_the_modules_make_it(before, made, after, expected):
    own = {"u1", "u2", "s", "/usr/bin", "/bin"}
    assert path_list.merge(before.split(), own, made.split(), after.split(), renamed) == expected.split()


@pytest.mark.parametrize("listed, before, expected", [
    ("a2 /usr/bin /bin u1 u2", "a4 u1 u2 /usr/bin /bin", "a2 u1 u2 /usr/bin /bin"),
    ("a2 /bin u1 u2 z2", "u1 a4 u2 /bin z4", "a2 u1 u2 /bin z2"),
    ("a2 b2 /bin u1 u2", "b4 a4 u1 u2", "a2 b2 u1 u2"),
])
def test_in_order(listed, before, expected):
    own = {"u1", "u2", "/usr/bin", "/bin"}
    assert path_list.in_order(listed.split(), own, before.split()) == expected.split()


@pytest.mark.parametrize("listed, once", [
    ("", ""), ("a", "a"), ("a b a", "b a"), ("/a/ b /a", "b /a"),
])
def test_each_once(listed, once):
    assert path_list.each_once(listed.split()) == once.split()


def test_the_users_spelling_is_kept():
    merged = path_list.merge(["/home//u/bin/", "/e4"], {"/home/u/bin"}, [], ["/e2", "/home/u/bin"], renamed)
    assert merged == ["/home//u/bin/", "/e2"]


@pytest.mark.parametrize("entry, normal", [
    ("/a/b", "/a/b"), ("/a/b/", "/a/b"), ("/a//b", "/a/b"), ("/a/./b", "/a/b"), ("/", "/"), ("//", "/"), ("", ""), (" /a ", "/a"),
    ("/a////b//", "/a/b"), (".", "."), ("/a/././b", "/a/b"),
])
def test_normal(entry, normal):
    assert path_list.normal(entry) == normal


@pytest.mark.parametrize("value, entries", [
    (None, []), ("", []), ("a", ["a"]), ("a:b", ["a", "b"]), (":a", ["", "a"]), ("a::b", ["a", "", "b"]),
    ("a:", ["a", ""]), ("a::", ["a", ""]), (":", [""]), ("::", [""]),
])
def test_entries(value, entries):
    assert path_list.entries(value) == entries


@pytest.mark.parametrize("listed, like, value", [
    ([], None, ""), (["a", "b"], "a:", "a:b"), (["", "a"], "", ":a"),
    (["a", ""], "b:", "a:"), (["a", ""], "b::", "a::"), (["a", ""], None, "a::"), ([""], ":", ":"), ([""], "a", "::"),
])
def test_joined(listed, like, value):
    assert path_list.joined(listed, like) == value
