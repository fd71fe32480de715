# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""ansible-test's output and its pip bootstrap."""

import pytest

from orchestration.sanity import judge_warnings, write_bootstrap_files


def test_warnings_are_told_apart():
    output = (
        'Running sanity test "compile" on Python 3.9\n'
        'WARNING: Skipping sanity test "compile" on Python 3.14 because it could not be found.\n'
        "WARNING: The validate-modules sanity test cannot compare against the base commit because git is not used.\n"
        "WARNING: something new\n"
        "WARNING: Reviewing previous 3 warning(s):\n"
        "WARNING: something new\n"
    )
    skips, unknown = judge_warnings(output)
    assert skips == ['Skipping sanity test "compile" on Python 3.14 because it could not be found.']
    assert unknown == ["something new"]


def test_bootstrap_is_named_after_pip(tmp_path):
    source = tmp_path / "venv/lib/python3.12/site-packages/ansible_test/_internal/python_requirements.py"
    source.parent.mkdir(parents=True)
    source.write_text("default_packages = dict(\n    pip='24.2',\n)\n")
    write_bootstrap_files(tmp_path / "venv/bin", tmp_path / "cache")
    assert [path.name for path in (tmp_path / "cache").iterdir()] == ["get_pip_24_2.py"]


def test_unknown_ansible_test_is_an_error(tmp_path):
    with pytest.raises(LookupError):
        write_bootstrap_files(tmp_path / "bin", tmp_path / "cache")
