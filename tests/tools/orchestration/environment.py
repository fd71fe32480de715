# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The environment variables that suites see."""

import configparser
import os
import shutil
from pathlib import Path

from .paths import CACHE, ROOT

# What a developer's shell says about these would change results.
DROPPED_NAMES = {"PYTEST_ADDOPTS", "PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "BASH_ENV", "ENV"}
DROPPED_PREFIXES = ("ANSIBLE_", "ARCH_GUARD_", "EESSI_", "LMOD_", "SLURM_")
# But for what names parts to test with: EESSI's own scripts, and further Lmods.
KEPT_NAMES = {"EESSI_SCRIPTS", "ARCH_GUARD_TEST_LMODS"}

# How pip reaches its index.
PIP_SETTINGS = (
    "PIP_CERT",
    "PIP_CLIENT_CERT",
    "PIP_EXTRA_INDEX_URL",
    "PIP_FIND_LINKS",
    "PIP_INDEX_URL",
    "PIP_PROXY",
    "PIP_TIMEOUT",
    "PIP_TRUSTED_HOST",
)


def clean(incoming):
    """A copy of the mapping `incoming` for a suite: without what steers the product or the tools, caches in CACHE."""
    env = {
        name: value
        for name, value in incoming.items()
        if name in KEPT_NAMES or not (name in DROPPED_NAMES or name.startswith(DROPPED_PREFIXES))
    }
    env.update(
        ANSIBLE_CONFIG=str(ROOT / "ansible.cfg"),
        ANSIBLE_HOME=str(CACHE / "ansible-home"),
        ANSIBLE_REMOTE_TMP=str(CACHE / "ansible-home" / "remote-tmp"),
        PIP_DISABLE_PIP_VERSION_CHECK="1",
        PYTHONDONTWRITEBYTECODE="1",
        PYTHONUNBUFFERED="1",
    )
    return env


def with_home(env, home):
    """`env` with the folder `home` as HOME, for tools that write there. pip finds its usual settings in it.

    ansible-test hands its children HOME and little else, so what the environment says to pip goes into a file.
    """
    settings = configparser.RawConfigParser()
    settings.read(_pip_files(env))
    if not settings.has_section("global"):
        settings.add_section("global")
    for name, value in env.items():
        if name in PIP_SETTINGS:
            settings.set("global", name.removeprefix("PIP_").lower().replace("_", "-"), value)
    # Errors only: warnings of pip would be taken for warnings of the tool that runs it.
    settings.set("global", "quiet", "2")
    path = Path(home, ".config", "pip", "pip.conf")
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8") as file:
        settings.write(file)
    kept = {name: value for name, value in env.items() if name not in ("PIP_CONFIG_FILE", "XDG_CONFIG_HOME")}
    return dict(kept, HOME=str(home))


def missing_programs(env, names):
    """Those of the programs `names` that PATH of `env` does not lead to."""
    return [name for name in names if shutil.which(name, path=env["PATH"]) is None]


def _pip_files(env):
    if "PIP_CONFIG_FILE" in env:
        return [env["PIP_CONFIG_FILE"]]
    home = env.get("HOME", os.path.expanduser("~"))
    config_home = env.get("XDG_CONFIG_HOME", os.path.join(home, ".config"))
    return [os.path.join(home, ".pip", "pip.conf"), os.path.join(config_home, "pip", "pip.conf")]
