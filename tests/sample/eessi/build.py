# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Put the EESSI module and its scripts into a sample repository: the sample ones, or EESSI's own."""

import os
import shutil
from pathlib import Path

SAMPLE = Path(__file__).resolve().parent
WRAPPERS = ("lmod_eessi_archdetect_wrapper.sh", "lmod_eessi_archdetect_wrapper_accel.sh")
SCRIPTS_VARIABLE = "EESSI_SCRIPTS"
# The place that EESSI's own module has written in it; the sample has it too, so that both are treated alike.
EESSI_REPOSITORY = "/cvmfs/software.eessi.io"


def eessi_scripts(environment=None):
    """The checkout of EESSI's own scripts that the tests are pointed at, or None.

    environment: name -> value (None: that of this process).
    Raises FileNotFoundError if the variable names a directory that is no such checkout.
    """
    named = (os.environ if environment is None else environment).get(SCRIPTS_VARIABLE)
    if not named:
        return None
    script = Path(named) / "init" / "eessi_archdetect.sh"
    if not script.is_file():
        raise FileNotFoundError(f"{SCRIPTS_VARIABLE}={named}: no {script}")
    return Path(named)


def module_directory(root):
    """The directory for MODULEPATH from which a user loads EESSI."""
    return Path(root) / "init" / "modules"


def install_eessi(root, version, scripts=None):
    """Install the module EESSI/<version> and the scripts it sources below `root`; returns the module's directory.

    scripts: a checkout of EESSI's own scripts (see eessi_scripts) to be used in place of the sample. Its module takes
    `root` as a Lua pattern where EESSI_SITE_SOFTWARE_PREFIX is set: use a root of letters, digits and `_` for that.

    The sample leaves the eessi_archdetect.sh that stands there as it is.
    """
    init = Path(root) / "versions" / version / "init"
    init.mkdir(parents=True, exist_ok=True)
    if scripts is None:
        for name in WRAPPERS:
            shutil.copyfile(SAMPLE / name, init / name)
        shutil.copyfile(SAMPLE / "init_bash.sh", init / "bash")
        source = SAMPLE / "EESSI.lua"
    else:
        source = _install_own_scripts(Path(scripts) / "init", init, version, root)
    module = module_directory(root) / "EESSI" / f"{version}.lua"
    module.parent.mkdir(parents=True, exist_ok=True)
    _copy_for(root, source, module)
    return module_directory(root)


def _install_own_scripts(source, init, version, root):
    shutil.copytree(source, init, dirs_exist_ok=True)
    _copy_for(root, source / "eessi_defaults", init / "eessi_defaults", {"__EESSI_VERSION_DEFAULT__": version})
    module = source / "modules" / "EESSI" / f"{version}.lua"
    # One text serves every version: it takes its version from its own name.
    return module if module.is_file() else source / "modules" / "EESSI" / "2023.06.lua"


def _copy_for(root, source, target, placeholders=None):
    """Copy a file with what is filled in when EESSI is deployed: its repository, and `placeholders` (name -> value)."""
    text = source.read_text(encoding="utf-8")
    for old, new in {EESSI_REPOSITORY: str(root), **(placeholders or {})}.items():
        if old not in text:
            raise ValueError(f"{source} does not name {old}: cannot be made for {root}")
        text = text.replace(old, new)
    target.write_text(text, encoding="utf-8")
