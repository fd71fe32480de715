# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Start the guard as an ordinary user would, before Slurm does. Runs as root on the node, on Python 3.6 or newer.

Arguments: the user; the version; the launcher without chained programs, as text; paths that the user must be able to
run; after `--`, paths that he must be able to read. Ends with status 1 and one sentence on stderr where he cannot.
"""

import os
import pwd
import subprocess
import sys

TIME_LIMIT = 60
ENVIRONMENT = {"PATH": "/usr/bin:/bin"}


def main(user, version, text, *paths):
    """Check everything as `user` (str)."""
    become(user)
    programs = paths[:paths.index("--")]
    for path in programs + paths[len(programs) + 1:]:
        check_parents(user, path)
    for path in programs:
        if not os.access(path, os.R_OK | os.X_OK):
            sys.exit(f"The user {user} cannot run {path}.")
    said = run([text, "eessi-arch-guard", "--version"])
    if said != f"eessi-arch-guard {version}\n":
        sys.exit(f"As user {user} the guard does not say that it is version {version}, but {said!r}.")
    said = run([text, "eessi-arch-guard"])
    if said:
        sys.exit(f"As user {user}, and without EESSI, the guard prints {said!r} in place of nothing.")


def become(user):
    """Give up all privileges; there is no way back."""
    try:
        entry = pwd.getpwnam(user)
    except KeyError:
        sys.exit(f"There is no user {user} on this node; eessi_arch_guard_verify_user names the one to use.")
    if entry.pw_uid == 0:
        sys.exit(f"The user {user} may do everything, which shows nothing about the users of jobs.")
    os.setgroups([])
    os.setgid(entry.pw_gid)
    os.setuid(entry.pw_uid)
    os.chdir("/")


def check_parents(user, path):
    """End with the first directory above `path` that is closed to this process."""
    folders = []
    while path != "/":
        path = os.path.dirname(path)
        folders.insert(0, path)
    for folder in folders:
        if not os.access(folder, os.X_OK):
            sys.exit(f"The user {user} cannot get into the directory {folder}.")


def run(words):
    """Return what the launcher prints, on stderr too; end where it fails or hangs."""
    child = subprocess.Popen(
        ["/bin/sh", "-c"] + words, env=ENVIRONMENT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, universal_newlines=True
    )
    try:
        said = child.communicate(timeout=TIME_LIMIT)[0]
    except subprocess.TimeoutExpired:
        child.kill()
        sys.exit(f"The guard did not answer within {TIME_LIMIT} seconds.")
    if child.returncode != 0:
        sys.exit(f"The guard ended with status {child.returncode} and said {said!r}.")
    return said


if __name__ == "__main__":
    main(*sys.argv[1:])
