# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Start a command again and again: arguments are the path of a file that says when it is enough, and the command.

Prints one JSON list: tasks in a row that ended alike are one entry with `status`, `lines` (stdout and stderr), `tasks`.
"""

import json
import os
import subprocess
import sys
import time

# Seconds after which it is enough without the file, for a run that was killed.
LONGEST = 1700
# Seconds that one task may take.
LIMIT = 60


def main(enough, *command):
    """Start tasks until `enough` exists, and one more after that."""
    end = time.monotonic() + LONGEST
    runs = []
    last = False
    while not last:
        last = os.path.exists(enough) or time.monotonic() > end
        task = subprocess.run(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
            timeout=LIMIT,
        )
        ended = {"status": task.returncode, "lines": task.stdout.splitlines()}
        if not runs or {key: runs[-1][key] for key in ended} != ended:
            runs.append({**ended, "tasks": 0})
        runs[-1]["tasks"] += 1
    print(json.dumps(runs))


main(*sys.argv[1:])
