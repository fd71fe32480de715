# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""ansible-test sanity, complete, without containers and without ignore files."""

import os
import re
from pathlib import Path

from . import process, worktree
from .cores import sanity_plan
from .environment import with_home
from .outcome import Outcome
from .paths import CACHE

HOME = CACHE / "ansible-test-home"

# ansible-test makes environments without pip and downloads a script that puts pip in. Where Python brings pip along,
# this does the same without a download. The two options dropped are ones that only that script knows. ensurepip is a
# process of its own because it turns pip's configuration off in the one that it runs in.
BOOTSTRAP = """\
import subprocess
import sys

subprocess.check_call([sys.executable, "-m", "ensurepip"], stdout=subprocess.DEVNULL)
words = [word for word in sys.argv[1:] if word not in ("--no-setuptools", "--no-wheel")]
sys.exit(subprocess.call([sys.executable, "-m", "pip", "install"] + words))
"""

# From here on ansible-test repeats the warnings it has given.
REVIEW = "WARNING: Reviewing previous "
WARNING = re.compile(r"^WARNING: (.*)", re.MULTILINE)
SKIP = re.compile(r"^Skipping ")

# Warnings that say nothing about the collection, with the reason.
HARMLESS = (
    # The copy that is checked has no history; the comparison is for pull requests against ansible-core.
    re.compile(r"cannot compare against the base commit"),
    # Debian without the package locales has C.UTF-8 alone; the checks compare no text that depends on it.
    re.compile(r'^Using locale "C.UTF-8" instead of "en_US.UTF-8"'),
    # Slower only.
    re.compile(r"may be slow due to missing libyaml support"),
)


def sanity(context, log):
    """One test: every ansible-test run of the plan must pass. What ansible-test skips counts as skipped."""
    tree = worktree.copy("sanity")
    outcome = Outcome()
    plan = sanity_plan(context.pythons)
    for number, (core, versions) in enumerate(plan):
        controller, bin_dir = context.core_venv(core)
        write_bootstrap_files(bin_dir, HOME / ".ansible" / "test" / "cache")
        env = _environment(context, bin_dir)
        base = [bin_dir / "ansible-test", "sanity", "--local", "--color", "no"]
        if number == 0:
            runs = [base]
        else:
            runs = [[*base, "--test", "compile", "--test", "import", "--python", version] for version in versions]
        print(f"  ansible-core {core.name} on Python {controller}, for Python {', '.join(versions)}", flush=True)
        for command in runs:
            start = log.stat().st_size if log.exists() else 0
            status = process.run(command, log, env=env, cwd=tree)
            with log.open("rb") as file:
                file.seek(start)
                output = file.read().decode(errors="replace")
            if status != 0:
                outcome.problems.append(f"ansible-test of core {core.name} exited {status}, see {log}")
            skips, unknown = judge_warnings(output)
            outcome.skips += skips
            outcome.problems += [f"unknown warning: {text}" for text in unknown]
    if outcome.problems:
        outcome.failed = 1
    else:
        outcome.passed = 1
    return outcome


def judge_warnings(output):
    """(skips, unknown): ansible-test's warnings that tell of something skipped, and those nobody has looked at yet."""
    given = output.partition(REVIEW)[0]
    texts = [text for text in WARNING.findall(given) if not any(pattern.search(text) for pattern in HARMLESS)]
    return [text for text in texts if SKIP.match(text)], [text for text in texts if not SKIP.match(text)]


def write_bootstrap_files(bin_dir, folder):
    """Write pip's bootstrap script under the name of each pip version that this ansible-test may ask for.

    Raises LookupError if ansible-test names none where it is looked for.
    """
    sources = list(
        Path(bin_dir).parent.glob("lib/python3*/site-packages/ansible_test/_internal/python_requirements.py")
    )
    versions = {found for source in sources for found in re.findall(r"\bpip='([0-9.]+)'", source.read_text())}
    if not versions:
        raise LookupError(f"no pip version found in the ansible-test of {bin_dir}")
    folder.mkdir(parents=True, exist_ok=True)
    for version in versions:
        (folder / f"get_pip_{version.replace('.', '_')}.py").write_text(BOOTSTRAP)


def _environment(context, bin_dir):
    # Real interpreters first: a version manager's shims do not work inside ansible-test.
    folders = [bin_dir, *dict.fromkeys(path.parent for path in context.pythons.values())]
    path = os.pathsep.join([*(str(folder) for folder in folders), context.env["PATH"]])
    env = with_home(dict(context.env, PATH=path), HOME)
    # The checked copy must not be steered by the checkout's configuration.
    for name in ("ANSIBLE_CONFIG", "ANSIBLE_HOME", "ANSIBLE_REMOTE_TMP", "PYTHONDONTWRITEBYTECODE"):
        env.pop(name)
    return env
