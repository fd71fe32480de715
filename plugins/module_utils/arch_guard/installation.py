# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: BSD-2-Clause

"""How the guard is installed on this node, as far as its own record and the files tell."""

import hashlib
import json
import os
import stat
import time

from . import process

RECORD = "/etc/eessi-arch-guard.json"
# Where a node's slurm.conf is when the record does not name one that exists; the second is that of configless nodes.
USUAL_SLURM_CONF = ("/etc/slurm/slurm.conf", "/run/slurm/conf/slurm.conf")
# Seconds; a file may be on a mount that hangs.
TIME_LIMIT = 5
LARGEST_FILE = 1 << 24
LARGEST_ANSWER = 1 << 16
WRITABLE_BY_OTHERS = stat.S_IWGRP | stat.S_IWOTH


def describe(record=RECORD, usual=USUAL_SLURM_CONF, limit=TIME_LIMIT):
    """Return the dict ``prolog`` of the facts: whether, where and how the guard stands between Slurm and its tasks.

    ``record``: the file that the role leaves; ``usual``: paths of slurm.conf to look at besides the recorded one;
    ``limit``: seconds that this may take. ``intact`` is None where nothing is installed, ``wired`` where that cannot
    be told, and both where a file does not answer in time.
    """
    if not os.path.lexists(record):
        return {"installed": False, "version": None, "path": None, "intact": None, "wired": None}
    child = process.call(lambda: _write(_described(record, usual)), LARGEST_ANSWER)
    outcome = process.wait([child], time.monotonic() + limit)[0]
    if outcome.how == process.EXITED and outcome.status == 0:
        return json.loads(outcome.stdout.decode("ascii"))
    return {"installed": True, "version": None, "path": None, "intact": None, "wired": None}


def _write(described):
    data = json.dumps(described).encode("ascii")
    while data:
        data = data[os.write(1, data):]


def _described(record, usual):
    try:
        told = _parse(_read(record))
    except (OSError, ValueError):
        return {"installed": True, "version": None, "path": None, "intact": False, "wired": None}
    return {
        "installed": True,
        "version": told["version"],
        "path": told["launcher"],
        "intact": _intact(told),
        "wired": _wired(told, usual),
    }


def _parse(text):
    """Return the record as a dict; raise ValueError for one that the role did not write."""
    told = json.loads(text)
    if not isinstance(told, dict):
        raise ValueError("no object")
    for name in ("version", "launcher", "wiring", "slurm_conf", "task_prolog_dir"):
        if not isinstance(told.get(name), str):
            raise ValueError(name)
    files = told.get("files")
    if not isinstance(files, dict) or told["launcher"] not in files:
        raise ValueError("files")
    return told


def _read(path):
    """Return the text of a file; raise OSError, or ValueError for one that is too large."""
    # O_NONBLOCK: a FIFO must not hold the reader until somebody opens its other end.
    with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK), "rb") as file:
        data = file.read(LARGEST_FILE + 1)
    if len(data) > LARGEST_FILE:
        raise ValueError("%s: too large" % path)
    return data.decode("utf-8", "surrogateescape")


def _intact(told):
    """Tell whether every file is as it was installed, and root's alone to change."""
    files = told["files"]
    folders = {os.path.dirname(path) for path in files}
    if not all(_is_safe(folder, stat.S_ISDIR) for folder in folders):
        return False
    for path, wanted in files.items():
        if not _is_safe(path, stat.S_ISREG):
            return False
        try:
            text = _read(path)
        except (OSError, ValueError):
            return False
        if hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest() != wanted:
            return False
    return bool(os.stat(told["launcher"]).st_mode & stat.S_IXOTH)


def _is_safe(path, is_right_kind):
    try:
        found = os.lstat(path)
    except OSError:
        return False
    return is_right_kind(found.st_mode) and found.st_uid == 0 and not found.st_mode & WRITABLE_BY_OTHERS


def _wired(told, usual):
    """Tell whether TaskProlog leads to the launcher; None where there is no slurm.conf that tells."""
    # Here, since a node without the guard needs none of it, and compiles it each time it is asked.
    from . import slurm_conf

    path = next((path for path in (told["slurm_conf"],) + tuple(usual) if os.path.exists(path)), None)
    if path is None:
        return None
    try:
        settings = slurm_conf.settings(path, _read)
    except (OSError, ValueError, slurm_conf.BadSlurmConf):
        return None
    program = slurm_conf.program(settings[-1].value, path) if settings else None
    if program is None:
        return False
    if told["wiring"] == "task_prolog_d":
        return _leads_into(told["task_prolog_dir"], told["launcher"])
    return os.path.realpath(program) == os.path.realpath(told["launcher"])


def _leads_into(folder, launcher):
    """Tell whether ``folder`` has a link to the launcher."""
    try:
        names = os.listdir(folder)
    except OSError:
        return False
    wanted = os.path.realpath(launcher)
    return any(os.path.realpath(os.path.join(folder, name)) == wanted for name in names)
