# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where no cluster can run, one line says why."""

import os
import sys

from slurm import requirements


def test_other_system(monkeypatch):
    monkeypatch.setattr(sys, "platform", "darwin")
    assert requirements.why_not() == "the Slurm cluster needs Linux, this is darwin"


def test_not_root(monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert requirements.why_not().startswith("the Slurm cluster needs root: ")


def test_missing_packages(monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(requirements, "_has", lambda program: program not in ("munged", "srun"))
    assert requirements.why_not() == "the Slurm cluster needs packages that are not installed: slurm-client munge"


def test_no_mounts(monkeypatch, tmp_path):
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(requirements, "_has", lambda program: True)
    unshare = tmp_path / "unshare"
    unshare.write_text("#!/bin/sh\necho 'unshare failed:' >&2\necho 'Operation not permitted' >&2\nexit 1\n")
    unshare.chmod(0o755)
    monkeypatch.setattr(requirements, "PATH", f"{tmp_path}:/usr/bin:/bin")
    reason = "the Slurm cluster needs namespaces and mounts of its own: unshare failed: Operation not permitted"
    assert requirements.why_not() == reason
