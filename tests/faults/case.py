# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""One run of the launcher under one fault, as Slurm runs it, and the assertions that hold for all of them."""

import os
import shlex
import signal
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from faults.ground import BUDGET, LABEL, ZEN4

from harness.applier import apply
from harness.scenario import GUARD_VARIABLES, compare

# Seconds beyond the budget.
GRACE = 2
# Seconds after which a run counts as one that never ends.
NEVER = 40
# Seconds for the processes of a run to be gone after it.
LINGER = 2


@dataclass(frozen=True)
class Ended:
    status: int
    output: bytes
    seconds: float
    left: list


class Case:
    """One fault. `directory`: its files; `tmp`, `shm` and `home` are /tmp, /dev/shm and the home of the user.

    Everything can be changed before `run`: `environment` (the job's), `expected` (that of a right reload), `setup`
    (lines of sh that root runs in the case's own mount namespace), `settings` (of the launcher), `budget` (seconds),
    `wrapper` (words in front of the launcher), `shell` (the sh that runs it, None: its own), `descriptors` (to be
    inherited by the setup), `ignored` (names that a right reload need not have as expected).
    """

    def __init__(self, ground, directory):
        self.ground = ground
        self.user = next(ground.users)
        self.directory = Path(directory)
        self.tmp, self.shm, self.home = (self.directory / name for name in ("tmp", "shm", "home"))
        for place, mode in ((self.directory, 0o755), (self.tmp, 0o1777), (self.shm, 0o1777), (self.home, 0o700)):
            place.mkdir(parents=True, exist_ok=True)
            place.chmod(mode)
        os.chown(self.home, self.user, self.user)
        self.environment = {**ground.incoming, "HOME": str(self.home)}
        self.expected = {**ground.fresh, "HOME": str(self.home)}
        self.setup = []
        self.settings = {}
        self.wrapper = []
        self.shell = None
        self.descriptors = []
        self.budget = BUDGET
        self.ignored = ()

    def set(self, **variables):
        """Give the job variables that are kept by a reload; None takes one away."""
        for environment in (self.environment, self.expected):
            for name, value in variables.items():
                environment.pop(name, None)
                if value is not None:
                    environment[name] = value

    def file(self, name, text, mode=0o755):
        """Write a file of the case."""
        path = self.directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        path.chmod(mode)
        return path

    def archdetect(self, cpupath="echo x86_64/amd/zen2:x86_64/generic", accelpath="exit 2"):
        """Put a script in the place of EESSI's, for the guard's own questions."""
        self.file("init/eessi_archdetect.sh", f'case "$*" in\n"-a cpupath")\n{cpupath}\n;;\naccelpath)\n{accelpath}\n;;\nesac\n')
        self.environment["EESSI_INIT_PREFIX"] = str(self.directory / "init")

    def lmod(self, purge=":", load=":", reference=":"):
        """Put a script in front of Lmod that does something at one of its uses."""
        real = self.ground.incoming["LMOD_CMD"]
        path = self.file(
            "lmod", "#!/bin/bash\n"
            f'case "$*:$EESSI_SOFTWARE_SUBDIR_OVERRIDE" in\n*purge*)\n{purge}\n;;\n*load*:{ZEN4})\n{reference}\n;;\n'
            f"*load*)\n{load}\n;;\nesac\nexec {shlex.quote(real)} \"$@\"\n"
        )
        self.set(LMOD_CMD=str(path))

    def run(self):
        """Run it once and return what became of it; the processes that are left are not touched."""
        started, noting = os.pipe()
        launcher = self.ground.launcher(self.directory / "guard", timeout=self.budget, **self.settings)
        lines = [
            f"mount --bind {self.tmp} /tmp", f"mount --bind {self.shm} /dev/shm", *self.setup,
            shlex.join([
                "exec", "setpriv", f"--reuid={self.user}", f"--regid={self.user}", "--clear-groups", "--",
                # The environment is the job's only from here.
                "/usr/bin/env", "--ignore-environment", self.ground.python, "-I", "-S", "-c", START,
                str(noting), str(self.directory / "environment"), *self.wrapper,
                *([self.shell] if self.shell else []), str(launcher),
            ]),
        ]
        (self.directory / "environment").write_bytes(
            b"".join(os.fsencode(f"{name}={value}") + b"\0" for name, value in self.environment.items())
        )
        process = subprocess.Popen(
            ["unshare", "--mount", "--propagation", "private", "sh", "-ec", "\n".join(lines)],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True,
            pass_fds=[noting, *self.descriptors], env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin"}, cwd="/",
        )
        os.close(noting)
        with process, open(started, encoding="ascii") as notes:
            try:
                output = process.communicate(timeout=NEVER)[0]
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                raise AssertionError(f"the pipe did not reach its end in {NEVER} s; left: {self.processes()}") from None
            seconds = time.monotonic() - float(notes.read())
        return Ended(process.returncode, output, seconds, self.lingering())

    def processes(self):
        """The processes of the case's user, as (pid, state, command)."""
        found = []
        for entry in Path("/proc").iterdir():
            if not entry.name.isdigit():
                continue
            try:
                if entry.stat().st_uid != self.user:
                    continue
                state = (entry / "stat").read_text().rpartition(")")[2].split()[0]
                command = (entry / "cmdline").read_bytes().replace(b"\0", b" ")[:120].decode(errors="replace")
            except OSError:
                continue
            if state != "Z":
                found.append((int(entry.name), state, command))
        return found

    def lingering(self):
        """The processes that are still there after a moment."""
        give_up = time.monotonic() + LINGER
        while time.monotonic() < give_up:
            if not self.processes():
                return []
            time.sleep(0.02)
        return self.processes()

    def end_processes(self):
        """Kill what is left of the case."""
        for pid, _state, _command in self.processes():
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue

    def files_left(self, *allowed):
        """The names in /tmp, /dev/shm and the home directory that were not allowed to stay."""
        names = [
            str(path.relative_to(self.directory)) for place in (self.tmp, self.shm, self.home) for path in place.rglob("*")
        ]
        return sorted(name for name in names if not name.startswith(allowed))


# Starts argv[3:] with the environment of a file, which may have what no shell would pass on, and notes when it did.
START = """import os, sys, time
os.write(int(sys.argv[1]), str(time.monotonic()).encode())
os.closerange(3, 256)
entries = open(sys.argv[2], "rb").read().split(b"\\0")[:-1]
os.execve(sys.argv[3], sys.argv[3:], dict(entry.split(b"=", 1) for entry in entries))
"""


def check(case, ended, expect="any"):
    """Assert what holds under every fault; return the harness.applier.Applied.

    expect: right (the oracle), failed (as it was, one line that says why), nothing (as it was, in silence),
    any (one of these).
    """
    assert ended.status == 0, (ended.status, ended.output[-2000:])
    assert ended.seconds <= case.budget + GRACE, f"{ended.seconds:.1f} s, the budget is {case.budget} s"
    made = apply(ended.output, case.environment, strict=True)
    unchanged = compare(made.environment, case.environment, GUARD_VARIABLES)
    if not ended.output:
        became = "nothing"
        assert made.environment == case.environment
    elif "EESSI_ARCH_GUARD_FAILED" in made.environment:
        became = "failed"
        assert unchanged == []
        assert made.environment["EESSI_ARCH_GUARD_FAILED"].startswith(f"{ZEN4}->")
        assert len(made.printed) == 1, made.printed
        assert made.printed[0].startswith("eessi-arch-guard: ")
        assert made.printed[0].endswith("; environment left as it was")
        assert made.printed[0].isprintable()
        assert "guard-error" not in made.environment["EESSI_ARCH_GUARD_FAILED"], made.printed
    else:
        became = "right"
        different = compare(made.environment, case.expected, GUARD_VARIABLES + case.ignored)
        assert different == [], different
        assert made.environment["EESSI_ARCH_GUARD_RELOADED"] == LABEL
        assert len(made.printed) == 1, made.printed
    assert expect in (became, "any"), (became, ended.output[-2000:])
    return made


def check_nothing_left(case, ended, *allowed):
    """Assert that no process and no file of the run is left; `allowed`: beginnings of names, tmp/... or shm/..."""
    assert ended.left == []
    assert case.files_left(*allowed) == []
