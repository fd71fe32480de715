# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Write the library on the node and compile it, so that no task has to. Runs as root, on Python 3.6 or newer.

Arguments: the directory, and `write`, or `check` to tell only what would be written. The files come as a JSON object
{name: text} on stdin. Prints a line for each file that is not as it should be; nothing means that all is well.
"""

import compileall
import importlib.util
import json
import os
import stat
import sys

FILE_MODE = 0o644
FOLDER_MODE = 0o755


def main(folder, task):
    """Bring every file into its state."""
    os.umask(0o022)
    writes = task == "write"
    for path in (os.path.dirname(folder), folder, os.path.join(folder, "__pycache__")):
        if not is_roots(path, stat.S_ISDIR, FOLDER_MODE):
            print(path)
            if writes:
                make_folder(path)
    for name, text in sorted(json.load(sys.stdin).items()):
        path = os.path.join(folder, name)
        if not is_roots(path, stat.S_ISREG, FILE_MODE) or read(path) != text.encode("utf-8"):
            print(path)
            if writes:
                put(path, text.encode("utf-8"))
        cached = importlib.util.cache_from_source(path)
        if writes:
            before = identity(cached)
            if not compileall.compile_file(path, quiet=1):
                sys.exit(f"{path} cannot be compiled.")
            if identity(cached) != before:
                print(cached)
        elif not os.path.exists(cached):
            print(cached)


def is_roots(path, is_right_kind, mode):
    """Tell whether `path` is there, is of that kind, and has root as owner and these permissions."""
    try:
        found = os.lstat(path)
    except FileNotFoundError:
        return False
    return is_right_kind(found.st_mode) and found.st_uid == 0 and stat.S_IMODE(found.st_mode) == mode


def make_folder(path):
    """Make the directory, or give it back to root."""
    os.makedirs(path, exist_ok=True)
    os.chown(path, 0, 0)
    os.chmod(path, FOLDER_MODE)


def read(path):
    """Return the bytes of the file."""
    with open(path, "rb") as file:
        return file.read()


def put(path, data):
    """Replace the file at once, so that a task that starts now reads the old one or the new one."""
    temporary = path + ".new"
    with open(temporary, "wb") as file:
        file.write(data)
    os.chown(temporary, 0, 0)
    os.chmod(temporary, FILE_MODE)
    os.replace(temporary, path)


def identity(path):
    """Return what differs between a file and the one that replaced it."""
    try:
        found = os.stat(path)
    except FileNotFoundError:
        return None
    return found.st_ino, found.st_mtime_ns


if __name__ == "__main__":
    main(*sys.argv[1:])
