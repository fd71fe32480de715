# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Command lines of QEMU, and whether it runs here."""

import os
import select
import subprocess
import time

PROGRAM = "qemu-system-x86_64"
NICE = ["nice", "-n", "5"]
MEGABYTES = 512
# Where the machines meet: a multicast group that never leaves the loopback interface.
GROUP = "230.0.0.1"
TRIAL_SECONDS = 30
ALIVE = b"Linux version"
# What QEMU says before it waits for somebody to look at the guest.
STUCK = b"KVM internal error"


class QemuError(Exception):
    """QEMU did not do what was asked; the message has what it said."""


def accelerator(image):
    """kvm where a guest runs with it, else tcg, which emulates. Raises QemuError where neither runs a guest.

    /dev/kvm proves nothing: inside a virtual machine it may be there and fail with the first guest.
    """
    reasons = []
    for accel, model in (("kvm", "host"), ("tcg", "max")):
        reason = _why_no_guest(image, accel, model)
        if reason is None:
            return accel
        reasons.append(f"{accel}: {reason}")
    raise QemuError(f"QEMU runs no guest here ({'; '.join(reasons)})")


def _why_no_guest(image, accel, model):
    """Start the image's kernel without a disk; None as soon as it says something."""
    command = [PROGRAM, *_machine(accel, model), "-no-reboot", "-serial", "stdio", "-kernel", str(image.kernel)]
    command += ["-append", "earlycon=uart8250,io,0x3f8 console=ttyS0 panic=-1"]
    try:
        trial = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    except FileNotFoundError:
        return f"there is no {PROGRAM}"
    try:
        said = _said(trial.stdout, (ALIVE, STUCK), time.monotonic() + TRIAL_SECONDS)
        if said is None:
            return f"the trial guest did not say a word in {TRIAL_SECONDS} s"
        if ALIVE in said:
            return None
        lines = said.decode(errors="replace").strip().splitlines()
        return lines[0] if lines else f"exit status {trial.wait(TRIAL_SECONDS)}"
    finally:
        trial.kill()
        trial.wait()
        trial.stdout.close()


def _said(stream, awaited, deadline):
    """What comes from `stream` until one of the `awaited` bytes or the end of it; None where neither is in time."""
    said = b""
    while not any(word in said for word in awaited):
        if not select.select([stream], [], [], max(0, deadline - time.monotonic()))[0]:
            return None
        part = os.read(stream.fileno(), 65536)
        if not part:
            break
        said += part
    return said


def command(name, image, files, ports, accel, model, words):
    """The command that starts a machine in the background.

    name: of the machine. files: Files of it. ports: (ssh, machines), see below. words: for the kernel's command line.
    The first network card leads from a port of 127.0.0.1 to the machine's ssh and nowhere else; the second leads to
    the other machines with the same port of the multicast group.
    """
    ssh, machines = ports
    kernel = ["root=/dev/vda", "rw", "console=ttyS0", "net.ifnames=0", "mitigations=off", *words]
    return [
        *NICE, PROGRAM, *_machine(accel, model), "-name", name, "-daemonize", "-pidfile", str(files.pid),
        "-serial", f"file:{files.console}",
        "-drive", f"file={_value(image.disk)},format=raw,if=virtio,snapshot=on",
        "-netdev", f"user,id=ssh,restrict=on,hostfwd=tcp:127.0.0.1:{ssh}-:22",
        "-device", "virtio-net-pci,netdev=ssh,romfile=",
        "-netdev", f"socket,id=machines,mcast={GROUP}:{machines},localaddr=127.0.0.1",
        "-device", f"virtio-net-pci,netdev=machines,romfile=,mac={files.mac}",
        "-object", "rng-random,id=random,filename=/dev/urandom", "-device", "virtio-rng-pci,rng=random",
        "-kernel", str(image.kernel), "-initrd", str(image.initrd), "-append", " ".join(kernel),
    ]


def _machine(accel, model):
    return [
        "-nodefaults", "-no-user-config", "-machine", "q35", "-accel", accel, "-cpu", model, "-smp", "1",
        "-m", str(MEGABYTES), "-display", "none",
    ]


def _value(path):
    """A path as the value of an option that separates its parts by commas."""
    return str(path).replace(",", ",,")
