# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether QEMU runs here is found out by a guest, and what is started is reachable from this machine alone."""

import time

import pytest

from vm import machines, qemu
from vm.image import Image

BOOTS = "echo 'Linux version 6.1'"


@pytest.fixture
def answer(tmp_path, monkeypatch):
    """Return a function that makes a QEMU out of what it does with kvm and with tcg, both shell code."""

    def make(kvm, tcg):
        program = tmp_path / "qemu"
        program.write_text(f"#!/bin/sh\ncase \"$*\" in *'-accel kvm'*) {kvm} ;; *'-accel tcg'*) {tcg} ;; esac\n")
        program.chmod(0o755)
        monkeypatch.setattr(qemu, "PROGRAM", str(program))
        monkeypatch.setattr(qemu, "TRIAL_SECONDS", 2)
        return qemu.accelerator(Image(tmp_path))

    return make


def test_kvm_where_a_guest_runs(answer):
    assert answer(BOOTS, "exit 1") == "kvm"


@pytest.mark.parametrize("kvm", [
    "echo 'Could not access KVM kernel module'; exit 1",
    "echo 'KVM internal error'; exec sleep 60",
    "exec sleep 60",
    # It ends as if all were well, and no kernel has said a word.
    "exit 0",
])
def test_emulation_where_no_guest_runs_with_kvm(answer, kvm):
    assert answer(kvm, BOOTS) == "tcg"


def test_a_guest_that_hangs_is_not_waited_for_once_qemu_says_so(answer):
    begun = time.monotonic()
    assert answer("echo 'KVM internal error. Suberror: 1'; exec sleep 60", BOOTS + "; exec sleep 60") == "tcg"
    assert time.monotonic() - begun < 2


def test_where_no_guest_runs_both_reasons_are_told(answer):
    with pytest.raises(qemu.QemuError) as caught:
        answer("echo no module; exit 1", "exit 3")
    assert str(caught.value) == "QEMU runs no guest here (kvm: no module; tcg: exit status 3)"


def test_without_qemu(tmp_path, monkeypatch):
    monkeypatch.setattr(qemu, "PROGRAM", "/nowhere/qemu")
    with pytest.raises(qemu.QemuError, match="kvm: there is no /nowhere/qemu; tcg: there is no /nowhere/qemu"):
        qemu.accelerator(Image(tmp_path))


def test_networks_end_at_the_loopback_interface(tmp_path):
    files = machines.Files(tmp_path, machines.MACHINES[0])
    command = qemu.command("control", Image(tmp_path), files, (2222, 3333), "tcg", "Nehalem", ["word"])
    networks = [command[number + 1] for number, word in enumerate(command) if word == "-netdev"]
    assert networks == [
        "user,id=ssh,restrict=on,hostfwd=tcp:127.0.0.1:2222-:22",
        "socket,id=machines,mcast=230.0.0.1:3333,localaddr=127.0.0.1",
    ]


def test_a_folder_with_a_comma_in_its_name(tmp_path):
    files = machines.Files(tmp_path, machines.MACHINES[0])
    command = qemu.command("control", Image(tmp_path / "a,b"), files, (1, 2), "tcg", "Nehalem", [])
    assert f"file={tmp_path}/a,,b/disk.img,format=raw,if=virtio,snapshot=on" in command
