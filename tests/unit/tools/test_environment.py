# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What suites must not inherit."""

import pytest

from orchestration.environment import clean, with_home


def test_what_steers_the_product_is_dropped():
    env = clean({"PATH": "/bin", "EESSI_VERSION": "x", "SLURM_JOB_ID": "1", "PYTHONPATH": "/x", "LANG": "C"})
    assert env["PATH"] == "/bin"
    assert env["LANG"] == "C"
    assert not {"EESSI_VERSION", "SLURM_JOB_ID", "PYTHONPATH"} & set(env)


@pytest.mark.parametrize("name", ["EESSI_SCRIPTS", "ARCH_GUARD_TEST_LMODS"])
def test_the_way_to_parts_to_test_with_is_kept(name):
    assert clean({name: "/x"})[name] == "/x"


def test_another_home_keeps_pip_configured(tmp_path):
    config = tmp_path / "user/.config/pip/pip.conf"
    config.parent.mkdir(parents=True)
    config.write_text("[global]\nindex-url = https://mirror.example/simple\ntimeout = 1\n")
    home = tmp_path / "home"
    env = with_home({"HOME": str(tmp_path / "user"), "PIP_TIMEOUT": "60"}, home)
    assert env == {"HOME": str(home), "PIP_TIMEOUT": "60"}
    text = (home / ".config/pip/pip.conf").read_text()
    assert "index-url = https://mirror.example/simple" in text
    assert "timeout = 60" in text
