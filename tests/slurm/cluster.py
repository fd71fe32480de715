# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A real Slurm cluster of several nodes on this machine, for tests.

Every process of it is in a process namespace of its own, and dies with the first of them (supervisor.py). Each node
has its own mount namespace, and in it its own /proc/cpuinfo, /tmp, /dev/shm, host name, and programs in /usr/bin.
Files are in one temporary directory. Nothing of it outlives the cluster, whatever ended it.
"""

import json
import os
import secrets
import shutil
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from harness.ports import free_ports
from slurm import commands, config
from slurm.nodes import NODES
from slurm.requirements import PATH

HERE = Path(__file__).resolve().parent
CONTROLLER = "n-controller"
USER = "jobuser"
# Debian and its kin give 60000 and above to nobody.
FIRST_FREE_UID = 40000
USER_PATH = "/usr/local/bin:/usr/bin:/bin"
START_TIMEOUT = 30
STOP_TIMEOUT = 10
# More than KillWait of slurm.conf.
CANCEL_TIMEOUT = 15
RECONFIGURE_TIMEOUT = 20
POLL = 0.05
PKILL_FOUND_NONE = 1
# slurmd writes the first when it starts to read its configuration again, and the second when it has.
RECONFIGURED = ("got reconfigure request", "CPUs=")
# States of a job that has not ended, or whose processes have not.
UNFINISHED = {"PENDING", "CONFIGURING", "RUNNING", "COMPLETING", "SUSPENDED", "STAGE_OUT"}


class ClusterError(Exception):
    """The cluster cannot do what was asked; the text has the reason, and the logs where they help."""


@dataclass(frozen=True)
class BatchResult:
    """What became of a batch job.

    state: as squeue spells it (COMPLETED, FAILED, ...); of a job array, the states of its tasks, joined by commas.
    output: the text of the job's output file; of a job array, of its tasks in order.
    """

    job_id: int
    state: str
    output: str


class Cluster:
    """The cluster is up inside a `with` block.

    nodes: the machines (nodes.Node); the first is the login node.
    shared: directories under /tmp that every node sees at their place; the rest of /tmp is each node's own.

    Attributes while it is up: `directory` (Path), `conf` (Path of slurm.conf), `home` (Path, the user's), `uid` (the
    user's user and group id), `process_namespace` (as in /proc/PID/ns/pid), `start_seconds` (how long it took).
    Raises ClusterError where it does not come up.
    """

    def __init__(self, nodes=NODES, shared=()):
        self.nodes = {node.name: node for node in nodes}
        self.login = nodes[0].name
        self._shared = [str(Path(path).resolve()) for path in shared]

    def __enter__(self):
        started = time.monotonic()
        with ExitStack() as undo:
            # Short: the name of a unix socket in it must stay below 108 bytes.
            self.directory = Path(tempfile.mkdtemp(prefix="slurm-", dir="/tmp"))
            self._supervisor = None
            undo.callback(self._stop)
            self._write_files()
            self._start()
            self._wait_until_idle(started + START_TIMEOUT)
            undo.pop_all()
        self.start_seconds = time.monotonic() - started
        return self

    def __exit__(self, *exception):
        self._stop()

    # What a node has of its own, as seen from outside.

    def tmp(self, node):
        return self.directory / "nodes" / node / "tmp"

    def shm(self, node):
        return self.directory / "nodes" / node / "shm"

    # Configuration.

    def configure(self, task_prolog=None, extra=(), includes=None):
        """Write slurm.conf anew and make every daemon read it.

        task_prolog: value of TaskProlog; None: no such line. extra: further lines, "Include site.conf" for one.
        includes: file name -> text, written beside slurm.conf.
        """
        for name, text in (includes or {}).items():
            (self.conf.parent / name).write_text(text)
        self._write_conf(task_prolog, extra)
        self.reconfigure()

    def reconfigure(self):
        """Make every daemon read its configuration again, and wait until it has."""
        before = self.log_sizes()
        self._check(self.run_as_root(["scontrol", "reconfigure"]))
        self.wait_reconfigured(before)

    def log_sizes(self):
        """Return node -> bytes of its slurmd's log, for wait_reconfigured."""
        return {name: self._slurmd_log(name).stat().st_size for name in self.nodes}

    def wait_reconfigured(self, before):
        """Wait until every slurmd has read its configuration again since `before` (from log_sizes)."""
        deadline = time.monotonic() + RECONFIGURE_TIMEOUT
        waiting = set(self.nodes)
        while waiting:
            waiting = {name for name in waiting if not self._has_reconfigured(name, before[name])}
            if waiting:
                self._pause(deadline, f"not reconfigured after {RECONFIGURE_TIMEOUT} s: {' '.join(sorted(waiting))}")

    # Commands. All return subprocess.CompletedProcess with text, and raise subprocess.TimeoutExpired, after which the
    # user has no process left: Slurm would let the job of a killed srun run on.

    def run_as_user(self, argv, env=None, cwd=None, timeout=60, node=None, stdin=None):
        """Run argv as the unprivileged user on a node (default: the login node).

        env: added to a plain login environment; a value of None takes a variable away.
        cwd: default: the user's home. stdin: text; None: /dev/null.
        """
        with self._nothing_left_behind():
            return commands.run(self._user_command(argv, env, cwd, node), timeout, stdin)

    def run_on_terminal(self, argv, typed, env=None, cwd=None, timeout=60, node=None):
        """Like run_as_user, on a terminal on which the text `typed` is typed; stdout is what the terminal shows."""
        command = self._user_command(argv, env, cwd, node, ("setsid", "--ctty"))
        with self._nothing_left_behind():
            return commands.run_on_terminal(command, timeout, typed)

    def run_as_root(self, argv, env=None, timeout=60, node=None):
        """Run argv as root in the namespaces of the cluster, on a node if one is named."""
        variables = {"PATH": PATH, "HOME": "/root", "SLURM_CONF": str(self.conf), "LC_ALL": "C.UTF-8"}
        return commands.run(self._enter(node) + _env(variables, env) + _texts(argv), timeout)

    def srun(self, *arguments, **options):
        """srun as the user; options: as in run_as_user."""
        return self.run_as_user(["srun", *arguments], **options)

    def salloc(self, *arguments, **options):
        """salloc as the user; the arguments end with the command that is run on the login node."""
        return self.run_as_user(["salloc", *arguments], **options)

    def salloc_shell(self, typed, *arguments, **options):
        """salloc on a terminal: the shell of the interactive step, on the allocated node, gets `typed`."""
        return self.run_on_terminal(["salloc", *arguments], typed, **options)

    def sbatch(self, script, *arguments, timeout=60, **options):
        """Submit the text of a batch script as the user, wait until it has ended, and return its BatchResult."""
        folder = self.home / f"batch-{secrets.token_hex(4)}"
        folder.mkdir()
        path = folder / "script.sh"
        path.write_text(script)
        os.chown(folder, self.uid, self.uid)
        path.chmod(0o644)
        argv = ["sbatch", "--parsable", f"--output={folder}/%6a.out", *arguments, path]
        job_id = int(self._check(self.run_as_user(argv, **options)).stdout)
        state = self._wait_for_job(job_id, time.monotonic() + timeout)
        output = "".join(part.read_text(errors="surrogateescape") for part in sorted(folder.glob("*.out")))
        return BatchResult(job_id, state, output)

    def cancel_jobs(self):
        """End all jobs and all other processes of the user, and wait until they are gone."""
        self._check(self.run_as_root(["scancel", f"--user={USER}"]))
        deadline = time.monotonic() + CANCEL_TIMEOUT
        while left := self._check(self.run_as_root(["squeue", "--noheader", "--format=%i %T"])).stdout.split():
            self._pause(deadline, f"jobs are left {CANCEL_TIMEOUT} s after scancel: {left}")
        # linuxproc loses a process whose parent ended before it. Only processes of the cluster can be seen there.
        kill = ["pkill", "-KILL", "-U", str(self.uid)]
        while (killed := self.run_as_root(kill)).returncode != PKILL_FOUND_NONE:
            self._check(killed)
            self._pause(deadline, f"processes of the user are left {CANCEL_TIMEOUT} s after scancel")

    def logs(self, lines=15):
        """Return the last lines of what each daemon wrote: its log, or where it has none its output."""
        text = ""
        # A daemon that has a log writes the same lines to its output.
        newest = {path.stem: path for path in sorted((self.directory / "log").iterdir(), reverse=True)}
        for _name, path in sorted(newest.items()):
            tail = path.read_text(errors="replace").splitlines()[-lines:]
            text += "".join(f"{path.name}: {line}\n" for line in tail)
        return text

    # Start and end.

    def _write_files(self):
        os.chmod(self.directory, 0o755)
        for name in ("etc", "home", "log", "run", "spool", "state"):
            (self.directory / name).mkdir()
        self.home = self.directory / "home"
        self._write_user()
        key = self.directory / "munge.key"
        key.touch(0o600)
        key.write_bytes(secrets.token_bytes(128))
        hosts = "".join(f"127.0.0.1 {name}\n" for name in (CONTROLLER, *self.nodes))
        (self.directory / "hosts").write_text(Path("/etc/hosts").read_text() + hosts)
        for node in self.nodes.values():
            self._write_node(node)
        controller_port, *node_ports = free_ports(1 + len(self.nodes))
        self._ports = (controller_port, dict(zip(self.nodes, node_ports, strict=True)))
        self.conf = self.directory / "etc" / "slurm.conf"
        self._write_conf()

    def _write_user(self):
        """Make a user that only the cluster knows."""
        users, groups = Path("/etc/passwd").read_text(), Path("/etc/group").read_text()
        taken = {int(line.split(":")[2]) for line in (users + groups).splitlines() if line.count(":") >= 3}
        self.uid = next(uid for uid in range(FIRST_FREE_UID, FIRST_FREE_UID + 10000) if uid not in taken)
        user = f"{USER}:*:{self.uid}:{self.uid}:test user:{self.home}:/bin/bash\n"
        (self.directory / "passwd").write_text(users + user)
        (self.directory / "group").write_text(f"{groups}{USER}:*:{self.uid}:\n")
        os.chown(self.home, self.uid, self.uid)

    def _write_node(self, node):
        folder = self.directory / "nodes" / node.name
        for name in ("bin", "tmp", "shm"):
            (folder / name).mkdir(parents=True)
        for name in ("tmp", "shm"):
            (folder / name).chmod(0o1777)
        (self.directory / "spool" / node.name).mkdir()
        shutil.copyfile(node.cpuinfo, folder / "cpuinfo")
        for name, source in node.programs.items():
            shutil.copyfile(source, folder / "bin" / name)
            (folder / "bin" / name).chmod(0o755)

    def _write_conf(self, task_prolog=None, extra=()):
        text = config.slurm_conf(self.directory, CONTROLLER, *self._ports, task_prolog, extra)
        replacement = self.conf.with_suffix(".new")
        replacement.write_text(text)
        replacement.replace(self.conf)

    def _start(self):
        plan = {
            "directory": str(self.directory),
            "controller": CONTROLLER,
            "slurm_conf": str(self.conf),
            "nodes": list(self.nodes),
            "shared": [str(self.directory), *self._shared],
        }
        namespaces = ["unshare", "--mount", "--uts", "--pid", "--fork", "--kill-child", "--mount-proc"]
        command = [*namespaces, sys.executable, "-IS", HERE / "supervisor.py", json.dumps(plan)]
        with open(self.directory / "log" / "supervisor.out", "wb") as log:
            self._supervisor = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                env={"PATH": PATH, "LC_ALL": "C.UTF-8"},
                cwd="/",
                start_new_session=True,
            )
        line = self._supervisor.stdout.readline()
        if not line:
            raise self._error("the cluster did not start")
        self._slurmds = json.loads(line)
        self.process_namespace = os.readlink(f"/proc/{self._supervisor.pid}/ns/pid_for_children")

    def _wait_until_idle(self, deadline):
        while True:
            if (self.directory / "died").exists():
                raise self._error("the cluster did not start")
            answer = self.run_as_root(["sinfo", "--noheader", "--Node", "--format=%N %T"])
            states = dict(line.split() for line in answer.stdout.splitlines())
            if all(states.get(name) == "idle" for name in self.nodes):
                return
            self._pause(deadline, f"not idle after {START_TIMEOUT} s: {states} {answer.stderr.strip()}")

    def _stop(self):
        supervisor = self._supervisor
        if supervisor is not None:
            supervisor.stdin.close()
            try:
                supervisor.wait(STOP_TIMEOUT)
            except subprocess.TimeoutExpired:
                # Takes the supervisor with it (--kill-child), and the kernel the rest.
                supervisor.kill()
                supervisor.wait(STOP_TIMEOUT)
            supervisor.stdout.close()
        if self.directory.exists():
            shutil.rmtree(self.directory)

    # Parts of the above.

    def _slurmd_log(self, node):
        return self.directory / "log" / f"slurmd-{node}.log"

    def _has_reconfigured(self, node, offset):
        with open(self._slurmd_log(node), encoding="utf-8", errors="replace") as log:
            log.seek(offset)
            _before, begin, rest = log.read().rpartition(RECONFIGURED[0])
        return bool(begin) and RECONFIGURED[1] in rest

    def _wait_for_job(self, job_id, deadline):
        argv = ["squeue", "--noheader", "--array", "--states=all", f"--jobs={job_id}", "--format=%T"]
        while True:
            states = self._check(self.run_as_root(argv)).stdout.split()
            if states and not UNFINISHED.intersection(states):
                return ",".join(states)
            if time.monotonic() > deadline:
                self.cancel_jobs()
                raise self._error(f"job {job_id} has not ended in time: {' '.join(states)}")
            time.sleep(POLL)

    @contextmanager
    def _nothing_left_behind(self):
        try:
            yield
        except subprocess.TimeoutExpired:
            self.cancel_jobs()
            raise

    def _user_command(self, argv, env, cwd, node, wrapper=()):
        variables = {
            "PATH": USER_PATH,
            "HOME": str(self.home),
            "USER": USER,
            "LOGNAME": USER,
            "SHELL": "/bin/bash",
            "LC_ALL": "C.UTF-8",
            "SLURM_CONF": str(self.conf),
        }
        identity = ["setpriv", f"--reuid={self.uid}", f"--regid={self.uid}", "--clear-groups"]
        place = _env(variables, env, cwd or self.home)
        return [*self._enter(node or self.login), *wrapper, *identity, *place, *_texts(argv)]

    def _enter(self, node):
        """Return the start of a command that is run in the namespaces of the cluster, or of a node."""
        died = self.directory / "died"
        if died.exists():
            raise self._error("the cluster is broken")
        namespaces = f"/proc/{self._supervisor.pid}/ns"
        enter = [
            "nsenter",
            f"--mount={namespaces}/mnt",
            f"--uts={namespaces}/uts",
            f"--pid={namespaces}/pid_for_children",
            "--",
        ]
        if node is not None:
            # A process id of the cluster's own namespace: it can be used only after the first step.
            enter += ["nsenter", f"--target={self._slurmds[node]}", "--mount", "--uts", "--"]
        return enter

    def _pause(self, deadline, message):
        """Wait a little before the next look; raise ClusterError with the message at the deadline."""
        if time.monotonic() > deadline:
            raise self._error(message)
        time.sleep(POLL)

    def _check(self, result):
        if result.returncode:
            raise self._error(f"{result.args[-2:]} ended with status {result.returncode}: {result.stderr.strip()}")
        return result

    def _error(self, text):
        died = self.directory / "died"
        reason = f": {died.read_text().strip()}" if died.exists() else ""
        return ClusterError(f"{text}{reason}\n{self.logs()}")


def _env(variables, changes, cwd=None):
    """Return the start of a command that is run with these variables alone, in cwd."""
    merged = {**variables, **(changes or {})}
    chdir = [] if cwd is None else [f"--chdir={cwd}"]
    return ["env", "-i", *chdir, *(f"{name}={value}" for name, value in merged.items() if value is not None)]


def _texts(argv):
    return [str(argument) for argument in argv]
