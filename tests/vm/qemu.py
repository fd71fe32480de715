# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Command lines of QEMU, and whether it runs here."""

import subprocess

PROGRAM = "qemu-system-x86_64"
NICE = ["nice", "-n", "5"]
MEGABYTES = 512
# Where the machines meet: a multicast group that never leaves the loopback interface.
GROUP = "230.0.0.1"
TRIAL_SECONDS = 30
ALIVE = b"Linux version"


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
    """Start the image's kernel without a disk, which it says and ends; None if it did."""
    command = [PROGRAM, *_machine(accel, model), "-no-reboot", "-serial", "stdio", "-kernel", str(image.kernel)]
    command += ["-append", "console=ttyS0 panic=-1"]
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
            timeout=TRIAL_SECONDS,
        )
    except FileNotFoundError:
        return f"there is no {PROGRAM}"
    except subprocess.TimeoutExpired:
        return f"the trial guest did not end in {TRIAL_SECONDS} s"
    if done.returncode == 0 and ALIVE in done.stdout:
        return None
    lines = done.stdout.decode(errors="replace").strip().splitlines()
    return lines[0] if lines else f"exit status {done.returncode}"


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
