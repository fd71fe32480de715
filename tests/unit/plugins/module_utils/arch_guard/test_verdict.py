# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later

"""Detection x loaded -> verdict and label."""

import pytest

from ansible_collections.eessi.arch_guard.plugins.module_utils.arch_guard import accelerator, detection, target, verdict

ZEN4, ZEN2 = "x86_64/amd/zen4", "x86_64/amd/zen2"
CC90, CC120, CC86 = "accel/nvidia/cc90", "accel/nvidia/cc120", "accel/nvidia/cc86"


def detected(cpu, accel):
    """Return a Detection; accel None: not compared."""
    found = None if accel is None else accelerator.AcceleratorTarget("ok" if accel else "none", "", accel)
    return detection.Detection(target.CpuTarget("ok", "", cpu, cpu), found, None)


VERDICTS = [
    # node cpu, node accel, loaded cpu, loaded accel, kind, label
    (ZEN4, "", ZEN4, "", "match", ""),
    (ZEN4, CC90, ZEN4, CC90, "match", ""),
    (ZEN4, CC86, ZEN4, CC86, "match", ""),
    (ZEN4, None, ZEN4, CC90, "match", ""),
    (ZEN2, "", ZEN4, "", "reload", "x86_64/amd/zen4->x86_64/amd/zen2"),
    (ZEN2, CC90, ZEN4, CC90, "reload", "x86_64/amd/zen4->x86_64/amd/zen2"),
    (ZEN2, None, ZEN4, CC90, "reload", "x86_64/amd/zen4->x86_64/amd/zen2"),
    (ZEN4, CC120, ZEN4, CC90, "reload",
     "x86_64/amd/zen4 accel/nvidia/cc90->x86_64/amd/zen4 accel/nvidia/cc120"),
    (ZEN4, "", ZEN4, CC90, "reload", "x86_64/amd/zen4 accel/nvidia/cc90->x86_64/amd/zen4 no accel"),
    (ZEN4, CC90, ZEN4, "", "reload", "x86_64/amd/zen4 no accel->x86_64/amd/zen4 accel/nvidia/cc90"),
    (ZEN2, "", ZEN4, CC90, "reload", "x86_64/amd/zen4 accel/nvidia/cc90->x86_64/amd/zen2 no accel"),
    (ZEN4, CC90, ZEN4, "accel/nvidia/cc90 ", "reload",
     "x86_64/amd/zen4 accel/nvidia/cc90 ->x86_64/amd/zen4 accel/nvidia/cc90"),
    (ZEN4, "", "x86\x1b[31m\nunset HOME", "", "reload", "x86\\x1b[31m\\nunset HOME->x86_64/amd/zen4"),
    (ZEN4, "", ZEN4, "\n\0", "reload", "x86_64/amd/zen4 \\n\\x00->x86_64/amd/zen4 no accel"),
]


@pytest.mark.parametrize("cpu, accel, loaded_cpu, loaded_accel, kind, label", VERDICTS)
def test_decide(cpu, accel, loaded_cpu, loaded_accel, kind, label):
    found = verdict.decide(detected(cpu, accel), loaded_cpu, loaded_accel)
    assert (found.kind, found.label) == (kind, label)


@pytest.mark.parametrize("status", ["archdetect-failed", "no-software-dir"])
def test_cpu_that_is_unknown_is_a_failure_with_its_word(status):
    unknown = detection.Detection(
        target.CpuTarget(status, "why"), accelerator.AcceleratorTarget("ok", "", CC90), None
    )
    found = verdict.decide(unknown, ZEN4, CC120)
    assert (found.kind, found.label, found.reason) == ("failure", "x86_64/amd/zen4->" + status, "why")


def test_accelerator_that_is_unknown_is_a_failure():
    unknown = detection.Detection(
        target.CpuTarget("ok", "", ZEN4, ZEN4), accelerator.AcceleratorTarget("archdetect-failed", "why"), None
    )
    found = verdict.decide(unknown, ZEN4, "")
    assert (found.kind, found.label, found.reason) == ("failure", "x86_64/amd/zen4->archdetect-failed", "why")
