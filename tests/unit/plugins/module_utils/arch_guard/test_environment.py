# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a reload makes of an environment."""

import pytest

from ansible_collections.eessi.arch_guard.plugins.module_utils.arch_guard.environment import (
    Rewriting,
    Stages,
    changes,
)

MOVE = Rewriting([("/e/zen4/accel/nvidia/cc90", None), ("/e/zen4", "/e/zen2")])


def combine(name, incoming, purged, loaded, reference, hidden=()):
    """Return what becomes of the variable ``name``; None stands for a variable that is not set."""
    def only(value):
        return {} if value is None else {name: value}

    made = stages(only(incoming), only(purged), only(loaded), reference is not False and only(reference), hidden)
    return made.combine().get(name)


def stages(incoming, purged, loaded, reference=False, hidden=(), rewriting=MOVE):
    made = Stages(incoming, purged, loaded, set(hidden), rewriting)
    if reference is not False:
        made.refer_to(reference)
    return made


SCALARS = [
    # incoming, purged, loaded, reference, expected
    ("/e/zen4/x", None, "/e/zen2/x", "/e/zen4/x", "/e/zen2/x"),
    ("user", "user", "user", "user", "user"),
    ("user", None, "/e/zen2/x", "/e/zen4/x", "user"),
    ("user", "base", "/e/zen2/x", "/e/zen4/x", "user"),
    ("same", None, "same", "same", "same"),
    ("other", None, "same", "same", "other"),
    ("flags-zen4", None, "flags-zen2", "flags-zen4", "flags-zen2"),
    (None, None, "/e/zen2/x", None, "/e/zen2/x"),
    (None, None, "/e/zen2/x", "/e/zen4/x", None),
    ("/e/zen4/x", None, None, "/e/zen4/x", None),
    ("/e/zen4/mine", "/e/zen4/mine", "/e/zen4/mine", "/e/zen4/mine", "/e/zen4/mine"),
]
SCALARS_WITHOUT_REFERENCE = [
    ("/e/zen4/x", None, "/e/zen2/x", "/e/zen2/x"),
    ("user", None, "/e/zen2/x", "user"),
    ("user", "user", "user", "user"),
    (None, None, "new", "new"),
    ("/e/zen4/x", None, None, None),
    ("/e/zen4/y", None, "/e/zen2/x", "/e/zen2/x"),
]


@pytest.mark.parametrize("incoming, purged, loaded, reference, expected", SCALARS)
def test_plain_variables(incoming, purged, loaded, reference, expected):
    assert combine("V", incoming, purged, loaded, reference) == expected


@pytest.mark.parametrize("incoming, purged, loaded, expected", SCALARS_WITHOUT_REFERENCE)
def test_plain_variables_without_reference(incoming, purged, loaded, expected):
    assert combine("V", incoming, purged, loaded, False) == expected


@pytest.mark.parametrize("name", ["LOADEDMODULES", "_LMFILES_", "_ModuleTable001_", "__LMOD_REF_COUNT_X", "LMOD_FAMILY_MPI"])
def test_bookkeeping_is_taken_over_as_a_whole(name):
    assert combine(name, "a", "b", "c", "d") == "c"
    assert combine(name, "a", "b", None, "a") is None


@pytest.mark.parametrize("incoming, purged, loaded, expected", [
    ("x86_64/amd/zen4:x86_64/generic", None, "x86_64/amd/zen2", "x86_64/amd/zen2"),
    ("accel/nvidia/cc90", None, None, None),
    ("users", "users", "users", "users"),
])
def test_the_eessi_modules_own_account(incoming, purged, loaded, expected):
    # The reference has other values: the pin under which it was made changes them.
    assert combine("EESSI_X", incoming, purged, loaded, "pinned" if purged is None else "users") == expected


@pytest.mark.parametrize("reference", [{}, False])
def test_what_was_hidden_from_children_is_kept(reference):
    assert stages({"BASH_ENV": "/init"}, {}, {}, reference, {"BASH_ENV"}).combine() == {"BASH_ENV": "/init"}


@pytest.mark.parametrize("incoming, loaded, reference, expected", [
    ("u0:/e/zen4/lib:u1", "/e/zen2/lib", "/e/zen4/lib", "u0:/e/zen2/lib:u1"),
    ("u0:/e/zen4/lib:u1", None, "/e/zen4/lib", "u0:u1"),
    ("/e/zen4/lib", None, "/e/zen4/lib", None),
    ("/e/zen4/lib:/opt/m", "/e/zen2/lib:/opt/m", "/e/zen4/lib:/opt/m", "/e/zen2/lib:/opt/m"),
    (None, "/e/zen2/lib", None, "/e/zen2/lib"),
    ("u0:/e/zen4/lib", "/e/zen2/lib", False, "u0:/e/zen2/lib"),
    # What the user took out stays out.
    ("u0", "/e/zen2/lib", "/e/zen4/lib", "u0"),
    ("u0:/e/zen4/bin", "/e/zen2/new:/e/zen2/lib:/e/zen2/bin", "/e/zen4/lib:/e/zen4/bin", "u0:/e/zen2/new:/e/zen2/bin"),
    # None is left: the user set the variable anew.
    ("u0", "/e/zen2/new:/e/zen2/lib", "/e/zen4/lib", "u0"),
    ("u0:/e/zen4/lib", "/e/zen2/lib:/opt/m", "/e/zen4/lib:/opt/m", "u0:/e/zen2/lib"),
    ("u0:/e/zen2/lib", "/e/zen2/lib", "/e/zen4/lib", "u0:/e/zen2/lib"),
])
def test_a_hidden_path(incoming, loaded, reference, expected):
    def stage(value):
        return {} if value is None else {"LD_PRELOAD": value, "__LMOD_REF_COUNT_LD_PRELOAD": "x"}

    made = stages(stage(incoming), {}, stage(loaded), reference is not False and stage(reference), {"LD_PRELOAD"})
    assert made.combine().get("LD_PRELOAD") == expected


@pytest.mark.parametrize("counted, expected", [
    # The user's own entry, and a module's: it stays when the module goes.
    ("/e/zen4/lib:1;/opt/m:2", ("/e/zen2/lib:/opt/m", "/e/zen2/lib:1;/opt/m:1")),
    # A module's alone, which goes with it.
    ("/e/zen4/lib:1;/opt/m:1", ("/e/zen2/lib", "/e/zen2/lib:1")),
])
def test_an_entry_of_the_loaders_path_that_is_the_users_and_a_modules(counted, expected):
    name, count = "LD_LIBRARY_PATH", "__LMOD_REF_COUNT_LD_LIBRARY_PATH"
    covers = {name: "/dev/null/0:/dev/null/1"}

    def stage(entries):
        made = ":".join(entry.rpartition(":")[0] for entry in entries.split(";"))
        return {name: f"{made}:{covers[name]}", count: f"{entries};/dev/null/0:1;/dev/null/1:1"}

    incoming = {name: "/e/zen4/lib:/opt/m", count: counted}
    made = stages(incoming, covers, stage("/e/zen2/lib:1"), stage("/e/zen4/lib:1;/opt/m:1")).combine()
    assert (made[name], made[count]) == expected


@pytest.mark.parametrize("incoming, expected", [
    # As the last module command left it, put in once more, in front, and taken away by the user.
    ("/e/zen4/bin:/opt/m:/u", "/e/zen2/bin:/e/zen2/new:/opt/m:/u"),
    ("/opt/m:/e/zen4/bin:/opt/m:/u", "/opt/m:/e/zen2/bin:/e/zen2/new:/opt/m:/u"),
    ("/u:/e/zen4/bin:/opt/m", "/u:/e/zen2/bin:/e/zen2/new:/opt/m"),
    (None, None),
])
def test_what_the_module_tool_counted_tells_what_the_user_did_where_there_is_no_reference(incoming, expected):
    counted = {"__LMOD_REF_COUNT_P": "/e/zen4/bin:1;/opt/m:1;/u:1"}
    brought = dict(counted) if incoming is None else dict(counted, P=incoming)
    loaded = {"P": "/e/zen2/bin:/e/zen2/new:/opt/m:/u", "__LMOD_REF_COUNT_P": "x"}
    made = stages(brought, {"P": "/u"}, loaded)
    assert not made.is_told()
    made.refer_to_counts()
    assert made.combine().get("P") == expected


@pytest.mark.parametrize("incoming, counted, given, expected", [
    # The user put it in front after the module was loaded, and the node's modules have it as well.
    ("/opt/common:/e/zen4/m/bin", "/e/zen4/m/bin:1", None, "/opt/common:/e/zen2/m/bin:/opt/common"),
    # It was there before.
    ("/e/zen4/m/bin:/opt/common", "/e/zen4/m/bin:1;/opt/common:1", "/opt/common", "/e/zen2/m/bin:/opt/common"),
])
def test_a_users_entry_that_a_module_has_on_the_node_only(incoming, counted, given, expected):
    def stage(value):
        return {} if value is None else {"P": value, "__LMOD_REF_COUNT_P": "x"}

    reference = stage(":".join(["/e/zen4/m/bin", *([given] if given else [])]))
    loaded = stage("/e/zen2/m/bin:/opt/common")
    assert stages({"P": incoming, "__LMOD_REF_COUNT_P": counted}, stage(given), loaded, reference).combine()["P"] == expected


@pytest.mark.parametrize("incoming, loaded, expected", [
    # As people write an empty entry at the end, and as the module tool does.
    ("/u:", "/u::", "/u:"),
    ("/u::", "/u::", "/u::"),
    ("/e/zen4/man:/u:", "/e/zen2/man:/u::", "/e/zen2/man:/u:"),
    ("/e/zen4/man::", "/e/zen2/man::", "/e/zen2/man::"),
    ("/u", "/e/zen2/man:/u", "/e/zen2/man:/u"),
])
def test_an_empty_entry_at_the_end_is_written_as_it_was(incoming, loaded, expected):
    own = incoming.replace("/e/zen4/man:", "")
    made = stages({"P": incoming}, {"P": own}, {"P": loaded, "__LMOD_REF_COUNT_P": "x"}, {"P": incoming})
    assert made.combine()["P"] == expected


def test_a_users_entry_that_a_module_has_too_is_not_told_by_moving_directories():
    counted = {"LD_LIBRARY_PATH": "/opt/m", "__LMOD_REF_COUNT_LD_LIBRARY_PATH": "/opt/m:2"}
    loaded = {"LD_LIBRARY_PATH": "/opt/m:/dev/null/0", "__LMOD_REF_COUNT_LD_LIBRARY_PATH": "/opt/m:1;/dev/null/0:1"}
    assert not stages(counted, {"LD_LIBRARY_PATH": "/dev/null/0"}, loaded).is_told()


@pytest.mark.parametrize("incoming, aside, expected", [
    ("/e/zen4/gone/cc", "L2UvemVuNC9nb25lL2Nj", "/e/zen2/cc"),
    ("/e/zen4/gone/cc", "ZmFsc2U=:L2UvemVuNC9nb25lL2Nj", "/e/zen2/cc"),
    ("/e/zen4/mine/cc", "L2UvemVuNC9nb25lL2Nj", "/e/zen4/mine/cc"),
    ("gcc", "Z2Nj", "gcc"),
    # Of a directory that is the same for both targets.
    ("/e/own/gone/cc", "L2Uvb3duL2dvbmUvY2M=", "/e/zen2/cc"),
    # Of a module of the user's: as the module tool put it back, and not as the user changed it then.
    ("/u/gone/cc", "L3UvZ29uZS9jYw==", "/e/zen2/cc"),
    ("/u/gone/cc", "ZmFsc2U=:L3UvZ29uZS9jYw==", "/u/gone/cc"),
])
def test_a_value_that_a_module_left_behind_is_not_the_users(incoming, aside, expected):
    purged = {"CC": "gcc"} if incoming == "gcc" else {}
    rewriting = Rewriting([("/e/zen4", "/e/zen2"), ("/e/own", "/e/own")])
    made = stages(
        {"CC": incoming, "__LMOD_STACK_CC": aside}, purged, {"CC": "/e/zen2/cc"}, {"CC": "/e/zen4/cc"}, rewriting=rewriting,
    )
    assert made.combine()["CC"] == expected


@pytest.mark.parametrize("loaded", ["/e/zen2/bin:u1", "/e/zen2/new:/e/zen2/bin:u1"])
def test_a_path_that_the_user_set_anew(loaded):
    def stage(value):
        return {"P": value, "__LMOD_REF_COUNT_P": "x"}

    made = stages(stage("u1"), {"P": "u1"}, stage(loaded), stage("/e/zen4/bin:u1"))
    assert made.combine()["P"] == "u1"


@pytest.mark.parametrize("name, incoming, purged, loaded, is_told", [
    ("V", "same", None, "same", True),
    ("V", "/e/zen4/x", None, "/e/zen2/x", True),
    ("V", "user", None, "/e/zen2/x", False),
    ("V", "user", None, None, False),
    ("V", None, None, "new", False),
    ("V", "flags-zen4", None, "flags-zen2", False),
    ("EESSI_CPU_FAMILY", "amd", None, "intel", True),
    ("_LMFILES_", "a", None, "b", True),
    ("PWD", "/a", "/b", "/b", True),
    ("P", "u0:/e/zen4/bin:u1", "u0:u1", "/e/zen2/bin:u0:u1", True),
    ("P", "u0/:/e/zen4/bin", "u0", "/e/zen2/bin:u0", True),
    ("P", "/e/zen4/accel/nvidia/cc90/bin:/e/zen4/bin", None, "/e/zen2/bin", True),
    ("P", "/e/zen4/bin:/opt/m:u1", "u1", "/e/zen2/bin:/opt/m:u1", True),
    # What only one of the targets has may be the module's or the user's doing.
    ("P", "u1", "u1", "/e/zen2/bin:u1", False),
    ("P", "/e/zen4/bin:/e/zen4/lib:u1", "u1", "/e/zen2/bin:u1", False),
    ("P", "/e/zen4/bin:u1:/e/zen4/bin", "u1", "/e/zen2/bin:u1", False),
    ("P", "/e/zen4/a:/e/zen4/b:u1", "u1", "/e/zen2/b:/e/zen2/a:u1", False),
    (None, "u0:/e/zen4/lib", None, "/e/zen2/lib", True),
    (None, "u0:/opt/m:/e/zen4/lib", None, "/e/zen2/lib:/opt/m", False),
])
def test_whether_the_move_to_the_other_target_explains_all(name, incoming, purged, loaded, is_told):
    def stage(value):
        counted = {"__LMOD_REF_COUNT_P": "x"} if name == "P" else {"__LMOD_REF_COUNT_LD_PRELOAD": "x"}
        return {} if value is None else {name or "LD_PRELOAD": value, **counted}

    hidden = () if name else ("LD_PRELOAD",)
    assert stages(stage(incoming), stage(purged), stage(loaded), hidden=hidden).is_told() is is_told


def test_a_path_without_entries_left_is_unset():
    counted = {"P": "/e/zen4/bin", "__LMOD_REF_COUNT_P": "/e/zen4/bin:1"}
    assert stages(counted, {}, {}, dict(counted)).combine() == {}


@pytest.mark.parametrize("value, moved, old", [
    ("/e/zen4", "/e/zen2", True),
    ("/e/zen4/a:/e/zen4x:/x/e/zen4", "/e/zen2/a:/e/zen4x:/x/e/zen4", True),
    ("/e/zen4x", "/e/zen4x", False),
    ("/e/zen4/accel/nvidia/cc90/m", "/e/zen2/accel/nvidia/cc90/m", True),
    ("", "", False),
])
def test_rewriting(value, moved, old):
    assert MOVE.entry(value) == moved
    assert MOVE.is_old(value) is old


def test_an_equal_pair_is_no_old_directory():
    assert not Rewriting([("/e/zen4", "/e/zen4"), ("", "/x")]).is_old("/e/zen4/a")


def test_changes():
    assert changes({"a": "1", "b": "2", "c": "3"}, {"a": "1", "b": "9", "d": "4"}) == {"b": "9", "c": None, "d": "4"}
