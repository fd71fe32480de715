# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The launcher of the guard, as the role would install it, for the files of this checkout."""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TEMPLATE = ROOT / "roles" / "eessi_arch_guard" / "templates" / "eessi-arch-guard.j2"
LIBRARY = ROOT / "plugins" / "module_utils"
NAME = "eessi-arch-guard"


def write_launcher(directory, python=sys.executable, library=LIBRARY, timeout=30, longest_line=0, on_failure="warn",
                   log="none", chain=()):
    """Write the launcher into `directory`, which is made if it is not there; returns its path.

    python: the interpreter, an absolute path. library: the directory that holds the package arch_guard.
    timeout: seconds a task may wait. longest_line: bytes of a line that Slurm takes whole, 0 for any.
    on_failure: warn or abort. log: none or syslog. chain: paths of programs that run before.
    Raises KeyError if the template asks for something else, ValueError for a value that sh would not take literally.
    """
    values = {
        "eessi_arch_guard_interpreter": python,
        "eessi_arch_guard_library": library,
        "eessi_arch_guard_timeout": timeout,
        "eessi_arch_guard_longest_line": longest_line,
        "eessi_arch_guard_on_failure": on_failure,
        "eessi_arch_guard_log": log,
    }
    for name, value in [*values.items(), *(("chain", program) for program in chain)]:
        if "'" in str(value):
            raise ValueError(f"{name}: {value}")
    values["eessi_arch_guard_chain_words"] = " ".join(f"'{program}'" for program in chain)
    text = TEMPLATE.read_text(encoding="utf-8")
    path = Path(directory) / NAME
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(re.sub(r"\{\{ (\w+) \}\}", lambda found: str(values[found[1]]), text), encoding="utf-8")
    path.chmod(0o755)
    return path
