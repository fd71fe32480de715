# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The first process of the cluster's namespaces: starts the daemons, and takes everything away at the end.

Started by cluster.py with a plan as its only argument (JSON; the keys are those that main reads).
stdout: one line of JSON, process id of each node's slurmd by the node's name, as seen in this namespace.
The cluster lives until stdin ends, which it also does when the starter is killed. As this process is the
first of its namespace, the kernel then kills every other process of the cluster, daemons of jobs included.
Should a daemon die before, a line that says so is in the file "died" of the cluster's directory.
"""

import json
import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
SOCKET_TIMEOUT = 10


def main(plan):
    directory = Path(plan["directory"])
    try:
        watch(directory, start(directory, plan))
    finally:
        kill_all()
    # Not after an error: the starter reads the logs, and removes them.
    shutil.rmtree(directory)


def start(directory, plan):
    """Start every daemon and report the nodes. Return each daemon by a name for people."""
    socket.sethostname(plan["controller"])
    for name in ("passwd", "group", "hosts"):
        subprocess.run(["mount", "--bind", directory / name, f"/etc/{name}"], check=True)
    daemons = {}
    munge = [
        "munged", "--foreground", "--force", "--num-threads=2",
        f"--key-file={directory}/munge.key", f"--socket={directory}/munge.socket",
        f"--pid-file={directory}/run/munged.pid", f"--log-file={directory}/log/munged.log",
        f"--seed-file={directory}/run/munged.seed",
    ]
    daemons["munged"] = launch(munge, directory, "munged")
    wait_for(directory / "munge.socket")
    conf = plan["slurm_conf"]
    daemons["slurmctld"] = launch(["slurmctld", "-D", "-c", "-f", conf], directory, "slurmctld")
    nodes = {}
    for name in plan["nodes"]:
        folder = directory / "nodes" / name
        script = ["sh", HERE / "node.sh", name, folder, conf, *plan["shared"]]
        slurmd = launch(["unshare", "--mount", "--uts", *script], directory, f"slurmd-{name}")
        nodes[name] = slurmd.pid
        daemons[f"slurmd of {name}"] = slurmd
    print(json.dumps(nodes), flush=True)
    return daemons


def launch(command, directory, name):
    """Start a daemon that stays in the foreground; what it writes there is kept in log/NAME.out."""
    with open(directory / "log" / f"{name}.out", "wb") as output:
        return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=output)


def wait_for(path):
    deadline = time.monotonic() + SOCKET_TIMEOUT
    while not path.exists():
        if time.monotonic() > deadline:
            raise TimeoutError(f"{path} did not appear within {SOCKET_TIMEOUT} s")
        time.sleep(0.02)


def watch(directory, daemons):
    """Reap what ends until stdin ends."""
    names = {daemon.pid: name for name, daemon in daemons.items()}
    # Wakes the select below whenever a child ends.
    read_end, write_end = os.pipe()
    os.set_blocking(write_end, False)
    os.set_blocking(read_end, False)
    signal.set_wakeup_fd(write_end, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda number, frame: None)
    while True:
        for pid, status in reaped():
            if pid in names:
                (directory / "died").write_text(f"{names[pid]} ended, {describe(status)}\n")
        ready, _writable, _failed = select.select([0, read_end], [], [])
        if 0 in ready and not os.read(0, 1024):
            return
        if read_end in ready:
            os.read(read_end, 1024)


def reaped():
    """Yield process id and wait status of each child that has ended, orphans that came here included."""
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if pid == 0:
            return
        yield pid, status


def describe(status):
    code = os.waitstatus_to_exitcode(status)
    return f"killed by signal {-code}" if code < 0 else f"status {code}"


def kill_all():
    """Kill and reap every other process of this namespace."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    try:
        os.kill(-1, signal.SIGKILL)
        while True:
            os.wait()
    except (ProcessLookupError, ChildProcessError):
        return


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
