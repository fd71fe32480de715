# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Start and stop the machines of the scenario."""

import json
import os
import shutil
import signal
import socket
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from harness.ports import free_ports

from . import qemu
from .processor import can_hide_waitpkg, processor

START_SECONDS = 400
STOP_SECONDS = 10
POLL = 0.5
CONSOLE_LINES = 20
BANNER = b"SSH-"
DESCRIPTION = "machines.json"
HOST = "127.0.0.1"


@dataclass(frozen=True)
class Machine:
    """One machine. cpuinfo: the sample that says which processor it has. address: among the machines."""

    name: str
    cpuinfo: str
    address: str


# Users log in on the first.
MACHINES = (
    Machine("control", "sapphirerapids", "192.168.77.10"),
    Machine("spr-vm", "sapphirerapids-vm", "192.168.77.11"),
    Machine("zen4", "zen4", "192.168.77.12"),
)


@dataclass(frozen=True)
class Files:
    """What a machine has in the directory of the run. mac: of its card on the machines' network."""

    directory: Path
    machine: Machine

    @property
    def pid(self):
        return self.directory / f"{self.machine.name}.pid"

    @property
    def console(self):
        return self.directory / f"{self.machine.name}.console"

    @property
    def mac(self):
        return f"52:54:00:00:00:{int(self.machine.address.rsplit('.', 1)[1]):02x}"


def up(image, directory, system):
    """Start all machines, wait until each answers to ssh, and write machines.json, for the inventory.

    directory: the directory of the run, which must not exist; down() takes it away. system: in words what is in the
    image. What is written: `system`, `key` and `known_hosts` (paths of files for ssh), and `machines`: name -> host,
    port, address (among the machines), processor (in words). Raises qemu.QemuError.
    """
    directory.mkdir(parents=True, mode=0o700)
    accel = qemu.accelerator(image)
    can_hide = accel == "kvm" and can_hide_waitpkg()
    key = directory / "key"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", key], check=True)
    public_key = key.with_suffix(".pub").read_text(encoding="utf-8").strip()
    shared, *ports = free_ports(1 + len(MACHINES), HOST)
    host_key = " ".join(image.host_key.read_text(encoding="utf-8").split()[:2])
    known_hosts = directory / "known_hosts"
    known_hosts.write_text("".join(f"[{HOST}]:{port} {host_key}\n" for port in ports))
    described = {}
    for machine, port in zip(MACHINES, ports, strict=True):
        chosen = processor(machine, accel, can_hide)
        words = [f"systemd.hostname={machine.name}", f"vm.address={machine.address}/24"]
        words += [f"vm.cpuinfo={chosen.cpuinfo}"] if chosen.cpuinfo else []
        words.append(f'"systemd.set_credential=ssh.authorized_keys.root:{public_key}"')
        _start(qemu.command(machine.name, image, Files(directory, machine), (port, shared), accel, chosen.model, words))
        described[machine.name] = {
            "host": HOST, "port": port, "address": machine.address, "processor": chosen.means,
        }
    deadline = time.monotonic() + START_SECONDS
    for machine in MACHINES:
        _wait_for_ssh(described[machine.name]["port"], Files(directory, machine), deadline)
    run = {"system": system, "key": str(key), "known_hosts": str(known_hosts), "machines": described}
    (directory / DESCRIPTION).write_text(json.dumps(run, indent=2) + "\n")


def down(directory, logs):
    """End what up() started in this directory, and take the directory away; nothing there is fine.

    logs: the folder that keeps what the machines' consoles showed. Raises qemu.QemuError where one does not end.
    """
    for path in sorted(directory.glob("*.pid")):
        _end(int(path.read_text()), path)
    logs.mkdir(parents=True, exist_ok=True)
    for path in directory.glob("*.console"):
        shutil.copyfile(path, logs / f"{path.name}.log")
    if directory.exists():
        shutil.rmtree(directory)


def _start(command):
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=60)
    if done.returncode != 0:
        raise qemu.QemuError(f"QEMU exited {done.returncode}: {done.stderr.strip()}")


def _wait_for_ssh(port, files, deadline):
    while not _answers(port):
        if not _is_ours(int(files.pid.read_text()), files.pid):
            raise qemu.QemuError(f"{files.machine.name} has ended{_shown_by(files.console)}")
        if time.monotonic() > deadline:
            raise qemu.QemuError(
                f"{files.machine.name} does not answer to ssh after {START_SECONDS} s{_shown_by(files.console)}"
            )
        time.sleep(POLL)


def _answers(port):
    """Whether ssh answers. That the port is open says nothing: QEMU opens it."""
    try:
        with socket.create_connection((HOST, port), timeout=10) as connection:
            return connection.recv(len(BANNER)) == BANNER
    except OSError:
        return False


def _shown_by(console):
    lines = console.read_text(errors="replace").splitlines()[-CONSOLE_LINES:]
    return "".join(f"\n  {line}" for line in lines)


def _is_ours(pid, pid_file):
    """Whether the process is the QEMU that wrote this file, and not one that got its number since."""
    try:
        words = Path("/proc", str(pid), "cmdline").read_bytes().split(b"\0")
    except (FileNotFoundError, ProcessLookupError):
        return False
    return os.fsencode(pid_file) in words


def _end(pid, pid_file):
    for number in (signal.SIGTERM, signal.SIGKILL):
        deadline = time.monotonic() + STOP_SECONDS
        while _is_ours(pid, pid_file):
            if time.monotonic() > deadline:
                break
            _signal(pid, number)
            time.sleep(0.1)
        else:
            return
    raise qemu.QemuError(f"process {pid}, which wrote {pid_file}, does not end")


def _signal(pid, number):
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        # It ended by itself in the meantime.
        return
