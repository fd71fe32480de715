# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later

"""The path of the dynamic loader, covered while the module tool runs."""

import pytest

from ansible_collections.eessi.arch_guard.plugins.module_utils.arch_guard.loader_path import COUNTS, NAME, LoaderPath
from ansible_collections.eessi.arch_guard.plugins.module_utils.arch_guard.path_counts import left_by_modules


def is_old(entry):
    return entry.startswith("/zen4")


def uncovered(incoming, stage, reference=None):
    path = LoaderPath(incoming)
    return path.uncovered(stage, path.users(reference, is_old))


@pytest.mark.parametrize("incoming, covered", [
    ({NAME: "/u:/v"}, "/dev/null/0:/dev/null/1"),
    ({NAME: ""}, ""),
    # Only as the last module command left it.
    ({NAME: "/u:/zen4:/v", COUNTS: "/zen4:1;/v:1"}, "/dev/null/0:/dev/null/1"),
])
def test_covered(incoming, covered):
    assert LoaderPath(incoming).covered() == covered


@pytest.mark.parametrize("value", ["/u", "/u:/v", "/u:", "/u::/v", "/u:/u", ""])
def test_what_no_module_touches_comes_out_as_it_was(value):
    incoming = {NAME: value}
    assert uncovered(incoming, {NAME: LoaderPath(incoming).covered()}) == incoming


def test_the_users_entries_are_uncovered_where_modules_left_them():
    incoming = {NAME: "/zen4:/u", COUNTS: "/zen4:1;/u:1"}
    stage = {NAME: "/zen2:/dev/null/0:/dev/null/1:/end", COUNTS: "/zen2:1;/dev/null/0:1;/dev/null/1:1;/end:1"}
    assert uncovered(incoming, stage) == {NAME: "/zen2:/u:/end", COUNTS: "/zen2:1;/u:1;/end:1"}


def test_an_entry_of_the_old_target_can_be_the_users():
    incoming = {NAME: "/zen4/mine"}
    assert uncovered(incoming, {NAME: "/dev/null/0"}) == {}
    assert uncovered(incoming, {NAME: "/dev/null/0"}, {NAME: "/dev/null/0"}) == incoming


def test_an_entry_that_a_module_has_too_is_where_the_module_put_it():
    incoming = {NAME: "/u:/m", COUNTS: "/u:1;/m:1"}
    stage = {NAME: "/m:/dev/null/0:/dev/null/1", COUNTS: "/m:1;/dev/null/0:1;/dev/null/1:1"}
    assert uncovered(incoming, stage) == {NAME: "/m:/u", COUNTS: "/m:2;/u:1"}


def test_no_cover_is_left_in_what_a_module_made_of_the_path():
    stage = {NAME: "/dev/null/0", "SAVED": "/x:/dev/null/0", "OTHER": "/dev/null/7:/dev/null/0x:/dev/null"}
    assert uncovered({NAME: "/u"}, stage) == {NAME: "/u", "SAVED": "/x:/u", "OTHER": "/dev/null/7:/dev/null/0x:/dev/null"}


@pytest.mark.parametrize("name, counted, left", [
    ("P", None, ["/u", "/a"]),
    ("P", "/a:2;:1", ["/a", ""]),
    ("P", "no account", ["/u", "/a"]),
    # The user's own directories of modules come by the module tool.
    ("MODULEPATH", "/a:1", ["/u", "/a"]),
])
def test_what_modules_left(name, counted, left):
    environment = {name: "/u:/a"}
    if counted is not None:
        environment["__LMOD_REF_COUNT_" + name] = counted
    assert left_by_modules(environment, name) == left
