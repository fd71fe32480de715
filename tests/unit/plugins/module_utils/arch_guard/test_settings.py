# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later

"""Settings: each rule just inside and just outside."""

import pytest

from ansible_collections.eessi.arch_guard.plugins.module_utils.arch_guard import settings
from ansible_collections.eessi.arch_guard.plugins.module_utils.arch_guard.errors import ArchdetectFailed

GOOD = {
    "EESSI_PREFIX": "/cvmfs/software.eessi.io/versions/2025.06",
    "EESSI_INIT_PREFIX": "/cvmfs/software.eessi.io/versions/2025.06/init",
    "EESSI_OS_TYPE": "linux",
}

ABSOLUTE = ["/", "/a", "/a/b", "/a..b", "/..a", "/a..", "/...", "/a/./b", "/a//b", "/a b", "/\x1f", "/\t", "/ä", "/\udcff"]
NOT_ABSOLUTE = ["", "a", "./a", " /a", "/..", "/../a", "/a/..", "/a/../b", "/a\r", "/a\n", "/a\nb", "\n/a", "/a\0", "/\0"]

SUBDIRECTORIES = ["linux", "a/b", "x86_64/intel/icelake", "A.b+c-d_9", "...", "..a", "a..", "-", "+", "a/...", "0"]
NOT_SUBDIRECTORIES = [
    "", "/", "/a", "a/", "a//b", ".", "..", "a/.", "a/..", "./a", "../a", "a/../b", "a b", "a\n", "a\r", "a\0", "a\t",
    "ä", "a/ä", "²", "a~", "a:b", "a=b", "a\\b", "$a", "a*", "\udcff", "a@b", "[a", "{a", "a,b",
    "`a", "a^", "a;b", "a'",
]


@pytest.mark.parametrize("value", ABSOLUTE)
@pytest.mark.parametrize("name", ["EESSI_PREFIX", "EESSI_INIT_PREFIX"])
def test_absolute_path_is_taken(name, value):
    environ = dict(GOOD)
    environ[name] = value
    found = settings.read(environ)
    assert (found.prefix if name == "EESSI_PREFIX" else found.init_prefix) == value


@pytest.mark.parametrize("value", NOT_ABSOLUTE)
@pytest.mark.parametrize("name", ["EESSI_PREFIX", "EESSI_INIT_PREFIX"])
def test_other_path_is_refused(name, value):
    environ = dict(GOOD)
    environ[name] = value
    with pytest.raises(ArchdetectFailed) as raised:
        settings.read(environ)
    said = str(raised.value)
    assert name in said and "absolute path" in said if value else "is not set" in said
    assert said.isprintable()


@pytest.mark.parametrize("value", SUBDIRECTORIES)
def test_subdirectory_is_taken(value):
    assert settings.read(dict(GOOD, EESSI_OS_TYPE=value)).os_type == value


@pytest.mark.parametrize("value", NOT_SUBDIRECTORIES)
def test_other_subdirectory_is_refused(value):
    with pytest.raises(ArchdetectFailed) as raised:
        settings.read(dict(GOOD, EESSI_OS_TYPE=value))
    said = str(raised.value)
    assert "EESSI_OS_TYPE" in said
    assert said.isprintable()


@pytest.mark.parametrize("name", sorted(GOOD))
def test_setting_that_is_absent_is_named(name):
    environ = dict(GOOD)
    del environ[name]
    with pytest.raises(ArchdetectFailed) as raised:
        settings.read(environ)
    assert str(raised.value) == "%s is not set" % name


def test_error_shows_the_value_without_control_characters():
    with pytest.raises(ArchdetectFailed) as raised:
        settings.read(dict(GOOD, EESSI_PREFIX="\x1b[2Jx"))
    assert "'\\x1b[2Jx'" in str(raised.value)


def test_paths():
    found = settings.read(GOOD)
    assert found.script == "/cvmfs/software.eessi.io/versions/2025.06/init/eessi_archdetect.sh"
    assert found.software_directory("x86_64/amd/zen4") == (
        "/cvmfs/software.eessi.io/versions/2025.06/software/linux/x86_64/amd/zen4/software"
    )
    assert found.cpuinfo == "/proc/cpuinfo"


@pytest.mark.parametrize("value, path", [("/a/cpuinfo", "/a/cpuinfo"), ("", "/proc/cpuinfo")])
def test_cpuinfo_path_when_set(value, path):
    assert settings.read(dict(GOOD, EESSI_PROC_CPUINFO=value)).cpuinfo == path


@pytest.mark.parametrize("value, compared", [("", True), ("accel/nvidia/cc80", False), ("accel/amd/GFX90A", False)])
def test_accelerator_override_skips_the_comparison(value, compared):
    assert settings.read(dict(GOOD, EESSI_ACCELERATOR_TARGET_OVERRIDE=value)).compare_accelerator is compared


@pytest.mark.parametrize("environ, name", [
    ({}, None),
    ({"EESSI_SOFTWARE_SUBDIR_OVERRIDE": "", "EESSI_ARCHDETECT_OPTIONS_OVERRIDE": ""}, None),
    ({"EESSI_SOFTWARE_SUBDIR_OVERRIDE": "x86_64/nonsense"}, "EESSI_SOFTWARE_SUBDIR_OVERRIDE"),
    ({"EESSI_ARCHDETECT_OPTIONS_OVERRIDE": "a:b"}, "EESSI_ARCHDETECT_OPTIONS_OVERRIDE"),
])
def test_the_users_choice(environ, name):
    assert settings.chosen_by_user(environ) == name


@pytest.mark.parametrize("prefix, repository", [
    ("/cvmfs/software.eessi.io/versions/2025.06", "/cvmfs/software.eessi.io"),
    ("/cvmfs/software.eessi.io/versions/2025.06/", "/cvmfs/software.eessi.io"),
    ("/cvmfs/dev.eessi.io/riscv/versions/2025.06-001", "/cvmfs/dev.eessi.io/riscv"),
    ("/opt/eessi", "/opt/eessi"),
    ("/a/versions/b/c", "/a/versions/b/c"),
])
def test_repository_of_a_version(prefix, repository):
    assert settings.repository_of(prefix) == repository
