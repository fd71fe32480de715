# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Facts of made-up nodes, in the shape that the module reports, for fleets of any size."""

import copy
import json

VERSION = "2025.06"
PREFIX = "/cvmfs/software.eessi.io/versions/"
ZEN2, ZEN4, GRACE = "x86_64/amd/zen2", "x86_64/amd/zen4", "aarch64/nvidia/grace"
SPR, ICELAKE = "x86_64/intel/sapphirerapids", "x86_64/intel/icelake"
BROKEN = {
    "status": "none", "reason": "nvidia-smi failed: Driver/library version mismatch", "target": None,
    "installed_target": None, "archdetect_status": 3,
}
NO_GPU = {
    "status": "none", "reason": "nvidia-smi was not found", "target": None, "installed_target": None, "archdetect_status": 2,
}
ABSENT = {"installed": False, "version": None, "path": None, "intact": None, "wired": None}


def prolog(version="1.0.0", intact=True, wired=True):
    """Facts of an installed guard."""
    path = "/opt/eessi-arch-guard/eessi-arch-guard"
    return {"installed": True, "version": version, "path": path, "intact": intact, "wired": wired}


def facts(node="node1", target=ZEN4, accelerator=None, hidden=(), version=VERSION, cpus=128, guard=None, gpu=None, **parts):
    """Facts of a node that is fine, with `parts` (name -> dict or value) laid over the parts of those names.

    accelerator: its target; gpu: the whole part `accelerator` instead; guard: the part `prolog`.
    """
    family = target.split("/")[0]
    gpu = gpu or (NO_GPU if accelerator is None else {
        "status": "ok", "reason": "", "target": accelerator, "installed_target": accelerator, "archdetect_status": 0,
    })
    candidates = [
        {"name": name, "installed": True, "excluded": False, "missing_flags": []} for name in (target, f"{family}/generic")
    ]
    told = {
        "node": node,
        "cpu": {
            "status": "ok", "reason": "", "target": target, "unfiltered_target": target, "candidates": candidates,
            "excluded": [], "pin": None,
        },
        "accelerator": dict(gpu),
        "cpuinfo": {
            "path": "/proc/cpuinfo", "logical_cpus": cpus, "flags_lines": cpus, "uniform": True, "hypervisor": False,
            "missing_march_flags": {target: list(hidden), f"{family}/generic": []},
        },
        "eessi": {
            "version": version, "prefix": PREFIX + version, "init_prefix": f"{PREFIX}{version}/init", "os_type": "linux",
            "archdetect_version": "1.2.0",
        },
        "prolog": prolog() if guard is None else guard,
        "verdict": None,
        "label": None,
        "guard_version": "1.0.0",
        "warnings": [],
    }
    for name, change in parts.items():
        told[name] = {**told[name], **change} if isinstance(change, dict) else change
    return told


def without_waitpkg(node="vm1", **others):
    """Facts of a Sapphire Rapids guest whose hypervisor hides waitpkg."""
    told = facts(node, ICELAKE, cpuinfo={"hypervisor": True}, **others)
    told["cpu"].update(unfiltered_target=SPR, excluded=[SPR], pin=ICELAKE)
    told["cpu"]["candidates"].insert(0, {"name": SPR, "installed": True, "excluded": True, "missing_flags": ["waitpkg"]})
    return told


def no_target(node="node1", status="archdetect-failed", reason="no EESSI on this node: /cvmfs: No such file (ENOENT)"):
    """Facts of a node of which the detection made nothing."""
    told = facts(node)
    told["cpu"].update(status=status, reason=reason, target=None, unfiltered_target=None, candidates=[], pin=None)
    told["accelerator"].update(status=status if status == "archdetect-failed" else "none", reason=reason)
    return told


def broken_gpu(node="bad1"):
    """Facts of a node whose GPU driver and its library differ."""
    return facts(node, gpu=BROKEN)


# What a fleet is made of: how many of a hundred nodes, and their facts.
_KINDS = (
    (40, "cn", lambda name: facts(name, ZEN4)),
    (20, "gpu", lambda name: facts(name, ZEN4, "accel/nvidia/cc90")),
    (20, "old", lambda name: facts(name, ZEN2, guard=prolog("0.9.0"))),
    (10, "arm", lambda name: facts(name, GRACE, "accel/nvidia/cc90", cpus=72)),
    (6, "vm", lambda name: without_waitpkg(name, guard=ABSENT)),
    (2, "big", lambda name: facts(name, SPR, cpus=256)),
    (1, "lost", no_target),
    (1, "bad", broken_gpu),
)


def fleet(count):
    """Facts of `count` nodes of several kinds, two of them login nodes (login1, login2), one an odd one (cn00007)."""
    made = [facts("login1", ZEN4, guard=ABSENT), facts("login2", ZEN4, guard=ABSENT)]
    shared = {prefix: make(prefix) for _share, prefix, make in _KINDS}
    for number in range(count - len(made)):
        prefix = _prefix(number)
        name = f"{prefix}{number:05d}"
        told = copy.copy(shared[prefix])
        told["node"] = name
        if number == 7:
            told = facts(name, ZEN4, hidden=["pku"])
        made.append(told)
    return made


def _prefix(number):
    left = number % 100
    for share, prefix, _make in _KINDS:
        if left < share:
            return prefix
        left -= share
    raise AssertionError("the shares make a hundred")


def lines(made):
    """The facts as `eessi-arch-guard facts` prints them on each node."""
    return "".join(json.dumps(told, sort_keys=True) + "\n" for told in made)
