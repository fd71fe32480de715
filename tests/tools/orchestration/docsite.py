# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The documentation as Ansible's tools see it, and the site that they and Sphinx make of it."""

import os
import shutil

from . import process, worktree
from .environment import with_home
from .outcome import Outcome
from .paths import CACHE, ROOT

SITE = CACHE / "docsite"
NAME = "eessi.arch_guard"
# Folder of docs/ -> heading in the site, in the order of the site.
KINDS = {
    "tutorial": "Tutorial", "how-to": "How to", "reference": "Reference", "explanation": "Explanation",
    "collection": "Module and role",
}
# What ansible-doc is asked for; each has to come out without a complaint.
ASKED = (
    ("module", "eessi_arch_guard"), ("module", "eessi_arch_guard_report"), ("module", "eessi_arch_guard_wiring"),
    ("role", "eessi_arch_guard"),
)


def docsite(context, log):
    """One test for each step: lint, what ansible-doc shows, the pages of the collection, the site."""
    bin_dir = context.docsite_venv()
    tree = worktree.copy("docsite-tree")
    source = SITE / "source"
    shutil.rmtree(SITE, ignore_errors=True)
    collection = source / "collection"
    collection.mkdir(parents=True)
    # antsibull-docs writes only where nobody else may.
    collection.chmod(0o700)
    env = dict(context.env, PATH=f"{bin_dir}{os.pathsep}{context.env['PATH']}", ANSIBLE_COLLECTIONS_PATH=str(tree.parents[2]))
    env = with_home(env, CACHE / "home")
    env.pop("ANSIBLE_CONFIG")
    _copy_pages(tree / "docs", source)
    lint = ["--plugin-docs", "--validate-collection-refs", "self", "--disallow-unknown-collection-refs"]
    commands = [
        [bin_dir / "antsibull-docs", "lint-collection-docs", *lint, tree],
        *([bin_dir / "ansible-doc", "--type", kind, f"{NAME}.{name}"] for kind, name in ASKED),
        [bin_dir / "antsibull-docs", "collection", "--use-current", "--squash-hierarchy", "--dest-dir", collection, NAME],
        [bin_dir / "sphinx-build", "-W", "--keep-going", "-q", "-b", "html", "-c", ROOT / "tools" / "docsite", source,
         SITE / "html"],
    ]
    outcome = Outcome()
    for command in commands:
        status = process.run(command, log, env=env, show=command[0].name != "ansible-doc")
        if status == 0:
            outcome.passed += 1
        else:
            outcome.fail(f"{command[0].name} exited {status}, see {log}")
    print(f"The site: {SITE / 'html' / 'index.html'}", flush=True)
    return outcome


def _copy_pages(docs, source):
    for kind in KINDS:
        if (docs / kind).is_dir():
            shutil.copytree(docs / kind, source / kind)
    text = (docs / "README.md").read_text(encoding="utf-8")
    for kind, heading in KINDS.items():
        pages = f"{kind}/index" if kind == "collection" else f"{kind}/*"
        text += f"\n```{{toctree}}\n:hidden:\n:glob:\n:caption: {heading}\n\n{pages}\n```\n"
    (source / "index.md").write_text(text, encoding="utf-8")
