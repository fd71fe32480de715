# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Write module files and their software, as EasyBuild lays them out: modules/all and software below one directory.

That directory may be that of a CPU or accelerator target, of a site outside EESSI, or of a user's own tree.
"""

import json
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class Software:
    """One module and the programs it brings.

    A version that starts with a dot is hidden from Lmod's listings.
    loads, depends_on, prereqs, conflicts: names of modules, with or without version.
    setenv, pushenv: name -> value; `{installdir}` in a value is the directory of the software.
    prepend_path, append_path: name -> entries; an entry that is not absolute lies in that directory.
    programs: names of shell scripts in bin/ that print where they lie (see write_software).
    sticky: whether Lmod keeps the module at a purge.
    lua: further lines for the end of the module file, as they stand; `installdir` is a variable there.
    """

    name: str
    version: str
    loads: tuple[str, ...] = ()
    depends_on: tuple[str, ...] = ()
    prereqs: tuple[str, ...] = ()
    conflicts: tuple[str, ...] = ()
    family: str = ""
    setenv: dict[str, str] = field(default_factory=dict)
    pushenv: dict[str, str] = field(default_factory=dict)
    prepend_path: dict[str, tuple[str, ...]] = field(default_factory=lambda: {"PATH": ("bin",)})
    append_path: dict[str, tuple[str, ...]] = field(default_factory=dict)
    programs: tuple[str, ...] = ()
    sticky: bool = False
    lua: tuple[str, ...] = ()

    @property
    def full_name(self):
        return f"{self.name}/{self.version}"


def modules_of(directory):
    """The directory for MODULEPATH."""
    return Path(directory) / "modules" / "all"


def install_directory(directory, software):
    return Path(directory) / "software" / software.name / software.version


def module_file(directory, software):
    return modules_of(directory) / software.name / f"{software.version}.lua"


def write_software(directory, *softwares, label=None):
    """Write module files and programs; each program prints `label` (default: the directory) and its arguments."""
    for software in softwares:
        installed = install_directory(directory, software)
        _write(module_file(directory, software), _module_text(software, installed))
        for program in software.programs:
            path = installed / "bin" / program
            _write(path, f'#!/bin/sh\nprintf \'%s\\n\' "{label or directory}${{*:+ $*}}"\n')
            path.chmod(0o755)


def write_for_targets(repository, targets, *softwares):
    """Write software for targets of a sample repository; its programs print the target.

    targets: names such as "x86_64/amd/zen4" or "x86_64/amd/zen4/accel/nvidia/cc80".
    """
    for target in targets:
        write_software(repository.target(target), *softwares, label=target)


def default_by_link(directory, name, version):
    """Make `version` what `module load <name>` takes, by the link that EasyBuild and many sites make."""
    (modules_of(directory) / name / "default").symlink_to(f"{version}.lua")


def default_by_modulerc(directory, name, version):
    """Make `version` what `module load <name>` takes, by a .modulerc.lua file."""
    add_to_modulerc(modules_of(directory) / name, f'module_version({_lua(f"{name}/{version}")}, "default")')


def add_version_alias(directory, name, version, alias):
    """Let `<name>/<alias>` mean `<name>/<version>`."""
    add_to_modulerc(modules_of(directory) / name, f"module_version({_lua(f'{name}/{version}')}, {_lua(alias)})")


def add_name_alias(directory, alias, full_name):
    """Let `alias` mean the module `full_name`."""
    add_to_modulerc(modules_of(directory), f"module_alias({_lua(alias)}, {_lua(full_name)})")


def hide(directory, full_name):
    """Hide a module from Lmod's listings by a .modulerc.lua file; it can still be loaded by its full name."""
    add_to_modulerc(modules_of(directory), f"hide_version({_lua(full_name)})")


def add_to_modulerc(directory, line):
    """Append one line of Lua to the .modulerc.lua file of a directory of module files."""
    path = Path(directory) / ".modulerc.lua"
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as file:
        file.write(line + "\n")


def _module_text(software, installed):
    installed = str(installed)
    variable = "".join(character if character.isalnum() else "_" for character in software.name).upper()
    lines = [
        f"help({_lua(software.full_name)})",
        f"local installdir = {_lua(installed)}",
        *(_call("conflict", name) for name in software.conflicts),
        *(_call("prereq", name) for name in software.prereqs),
        *(f"if not isloaded({_lua(name)}) then {_call('load', name)} end" for name in software.loads),
        *(_call("depends_on", name) for name in software.depends_on),
        *(_call("family", name) for name in (software.family,) if name),
    ]
    if software.sticky:
        lines.append(_call("add_property", "lmod", "sticky"))
    for function, paths in (("prepend_path", software.prepend_path), ("append_path", software.append_path)):
        for name, entries in paths.items():
            lines += [_call(function, name, str(Path(installed, entry))) for entry in entries]
    of_easybuild = {f"EBROOT{variable}": installed, f"EBVERSION{variable}": software.version}
    for function, values in (("setenv", {**of_easybuild, **software.setenv}), ("pushenv", software.pushenv)):
        lines += [_call(function, name, value.replace("{installdir}", installed)) for name, value in values.items()]
    return "\n".join([*lines, *software.lua]) + "\n"


def _call(function, *arguments):
    return f"{function}({', '.join(map(_lua, arguments))})"


def _lua(text):
    # For text without control characters a JSON string is a Lua string too, except that Lua has no \u1234.
    return json.dumps(text, ensure_ascii=False)


def _write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
