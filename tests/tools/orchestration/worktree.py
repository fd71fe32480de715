# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A copy of the work tree, laid out as Ansible's tools want a collection."""

import shutil
import subprocess

from .paths import CACHE, ROOT


def copy(name):
    """Copy what git tracks or would add to .cache/`name`/ansible_collections/eessi/arch_guard; returns that folder.

    The copy is a git repository of its own, since the tools ask git which files there are.
    """
    target = CACHE / name / "ansible_collections" / "eessi" / "arch_guard"
    shutil.rmtree(CACHE / name, ignore_errors=True)
    target.mkdir(parents=True)
    for relative in files():
        source, copied = ROOT / relative, target / relative
        copied.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(source, copied, follow_symlinks=False)
    subprocess.run(["git", "init", "--quiet", "--initial-branch", "main", str(target)], check=True)
    return target


def files():
    """Relative paths of the files that are tracked or not ignored, without the link of the checkout to itself."""
    listing = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    names = sorted(set(listing.stdout.decode().split("\0")) - {""})
    return [
        name
        for name in names
        # Deleted in the work tree but still in the index: not there to copy.
        if not name.startswith(".collections/") and ((ROOT / name).exists() or (ROOT / name).is_symlink())
    ]
