# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a reload makes of an environment."""

import pytest

from ansible_collections.eessi.arch_guard.plugins.module_utils.arch_guard.environment import (
    Rewriting,
    Stages,
    changes,
    parse,
)

MOVE = Rewriting([("/e/zen4/accel/nvidia/cc90", None), ("/e/zen4", "/e/zen2")])


def combine(name, incoming, purged, loaded, reference, hidden=()):
    """Return what becomes of the variable ``name``; None stands for a variable that is not set."""
    def only(value):
        return {} if value is None else {name: value}

    stages = Stages(only(incoming), only(purged), only(loaded), None if reference is False else only(reference), set(hidden))
    return stages.combine(MOVE).get(name)


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
    stages = Stages({"BASH_ENV": "/init"}, {}, {}, None if reference is False else reference, {"BASH_ENV"})
    assert stages.combine(MOVE) == {"BASH_ENV": "/init"}


@pytest.mark.parametrize("incoming, loaded, reference, expected", [
    ("u0:/e/zen4/lib:u1", "/e/zen2/lib", "/e/zen4/lib", "u0:/e/zen2/lib:u1"),
    ("u0:/e/zen4/lib:u1", None, "/e/zen4/lib", "u0:u1"),
    ("/e/zen4/lib", None, "/e/zen4/lib", None),
    ("/e/zen4/lib:/opt/m", "/e/zen2/lib:/opt/m", "/e/zen4/lib:/opt/m", "/e/zen2/lib:/opt/m"),
    (None, "/e/zen2/lib", None, "/e/zen2/lib"),
    ("u0:/e/zen4/lib", "/e/zen2/lib", False, "u0:/e/zen2/lib"),
    # What the user took out stays out.
    ("u0", "/e/zen2/lib", "/e/zen4/lib", "u0"),
    ("u0", "/e/zen2/new:/e/zen2/lib", "/e/zen4/lib", "/e/zen2/new:u0"),
    ("u0:/e/zen4/lib", "/e/zen2/lib:/opt/m", "/e/zen4/lib:/opt/m", "u0:/e/zen2/lib"),
    ("u0:/e/zen2/lib", "/e/zen2/lib", "/e/zen4/lib", "u0:/e/zen2/lib"),
])
def test_a_hidden_path(incoming, loaded, reference, expected):
    def stage(value):
        return {} if value is None else {"LD_LIBRARY_PATH": value, "__LMOD_REF_COUNT_LD_LIBRARY_PATH": "x"}

    stages = Stages(
        stage(incoming), {}, stage(loaded), None if reference is False else stage(reference), {"LD_LIBRARY_PATH"}
    )
    assert stages.combine(MOVE).get("LD_LIBRARY_PATH") == expected


def test_a_path_that_the_user_set_anew():
    def stage(value):
        return {"P": value, "__LMOD_REF_COUNT_P": "x"}

    stages = Stages(stage("u1"), {"P": "u1"}, stage("/e/zen2/bin:u1"), stage("/e/zen4/bin:u1"), set())
    assert stages.combine(MOVE)["P"] == "u1"


def test_a_path_without_entries_left_is_unset():
    counted = {"P": "/e/zen4/bin", "__LMOD_REF_COUNT_P": "/e/zen4/bin:1"}
    assert Stages(counted, {}, {}, dict(counted), set()).combine(MOVE) == {}


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


def test_parse():
    block = b"A=1\0B=x=y\nz\0BASH_FUNC_module%%=() { :;\n}\0C=\0nonsense\0=x\0D=\xff\xc3\xa4\0"
    assert parse(block) == {"A": "1", "B": "x=y\nz", "C": "", "D": "\udcffä"}


def test_changes():
    assert changes({"a": "1", "b": "2", "c": "3"}, {"a": "1", "b": "9", "d": "4"}) == {"b": "9", "c": None, "d": "4"}
