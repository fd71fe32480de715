# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Suites that are one command each."""

import os
import re
import shutil

from . import process, worktree
from .environment import with_home
from .outcome import Outcome, Unavailable
from .paths import CACHE, ROOT


def _one_command(command, log, env, cwd=ROOT):
    status = process.run(command, log, env=env, cwd=cwd)
    if status == 0:
        return Outcome(passed=1)
    return Outcome(failed=1, problems=[f"{os.path.basename(command[0])} exited {status}, see {log}"])


def ruff(context, log):
    return _one_command([context.lint_venv() / "ruff", "check", "."], log, context.env)


def yamllint(context, log):
    return _one_command([context.lint_venv() / "yamllint", "--strict", "."], log, context.env)


def reuse(context, log):
    # In a copy, since it looks at byte code and the like in folders that git does not track yet.
    return _one_command([context.lint_venv() / "reuse", "lint"], log, context.env, worktree.copy("reuse"))


def changelog(context, log):
    return _one_command([context.lint_venv() / "antsibull-changelog", "lint"], log, context.env)


def ansible_lint(context, log):
    bin_dir = context.lint_venv()
    # It writes beside what it reads, and judges a collection by where it lies.
    tree = worktree.copy("ansible-lint")
    path = f"{bin_dir}{os.pathsep}{context.env['PATH']}"
    env = dict(
        context.env, PATH=path, ANSIBLE_CONFIG=str(tree / "ansible.cfg"), ANSIBLE_COLLECTIONS_PATH=str(tree.parents[2])
    )
    env = with_home(env, CACHE / "home")
    return _one_command([bin_dir / "ansible-lint", "--nocolor", "--profile", "production", "--strict"], log, env, tree)


def shellcheck(context, log):
    program = shutil.which("shellcheck", path=context.env["PATH"])
    if program is None:
        raise Unavailable("shellcheck is not installed")
    scripts = shell_scripts()
    if not scripts:
        return Outcome(failed=1, problems=["no shell script was found"])
    readable = [_without_placeholders(name) if name.endswith(".j2") else name for name in scripts]
    return _one_command([program, "--external-sources", *readable], log, context.env)


def _without_placeholders(name):
    """The path of a copy of a template in which words stand for its values, since `{{ value }}` is no shell."""
    copy = CACHE / "shellcheck" / name.removesuffix(".j2")
    copy.parent.mkdir(parents=True, exist_ok=True)
    copy.write_text(re.sub(r"\{\{ (\w+) \}\}", r"\1 more", (ROOT / name).read_text()))
    return copy


def shell_scripts():
    """Relative paths of the project's shell scripts, told by their names or first lines."""
    return [name for name in worktree.files() if _is_shell_script(ROOT / name)]


def _is_shell_script(path):
    if path.is_symlink() or not path.is_file():
        return False
    if path.suffix == ".sh":
        return True
    with path.open("rb") as file:
        first = file.readline(200)
    return first.startswith(b"#!") and first.split()[-1].rsplit(b"/", 1)[-1] in (b"sh", b"bash", b"dash")
