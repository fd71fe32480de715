# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later

"""Login nodes x compute nodes -> what the guard would do with a job. The verdict is the guard's own."""

from ...module_utils.arch_guard import accelerator, detection, target, verdict
from . import names
from .record import COMPUTE, LOGIN

MATCH = "match"
RELOAD = "reload"
PINNED = "reload pinned"
NO_DIRECTORY = "no directory"
FAILED = "detection failed"
UNKNOWN = "unknown"
KINDS = (MATCH, RELOAD, PINNED, NO_DIRECTORY, FAILED, UNKNOWN)

_OF_FAILURE = {target.NO_SOFTWARE_DIR: NO_DIRECTORY, target.ARCHDETECT_FAILED: FAILED}
_SIDE = ("status", "cpu_status", "cpu_target", "unfiltered_target", "pin", "accelerator_status", "accelerator_target")


def build(records):
    """Return one matrix for each EESSI version that login nodes have: a list of dicts; empty without login nodes.

    ``logins`` and ``computes``: sides, each {nodes, cpu_target, accelerator_target, status}; ``cells``: rows of
    {kind, label, reason}, a row for each of ``logins``; ``pairs``: kind -> how many pairs of nodes it concerns.
    A login node brings what EESSI alone picks there, since no guard runs on it.
    """
    logins = [record for record in records if record["role"] == LOGIN]
    versions = sorted({record["eessi_version"] for record in logins if record["eessi_version"]})
    return [_of_version(version, records) for version in versions or ([None] if logins else [])]


def _of_version(version, records):
    here = [record for record in records if record["eessi_version"] in (version, None)]
    logins = _sides(record for record in here if record["role"] == LOGIN)
    computes = _sides(record for record in here if record["role"] == COMPUTE)
    cells = [[cell(login[0], compute[0]) for compute in computes] for login in logins]
    pairs = dict.fromkeys(KINDS, 0)
    for login, row in zip(logins, cells):
        for compute, found in zip(computes, row):
            pairs[found["kind"]] += len(login) * len(compute)
    return {
        "eessi_version": version,
        "logins": [_side(members, "unfiltered_target") for members in logins],
        "computes": [_side(members, "cpu_target") for members in computes],
        "cells": cells,
        "pairs": pairs,
    }


def _sides(records):
    alike = {}
    for record in records:
        alike.setdefault(tuple(record[name] for name in _SIDE), []).append(record)
    return sorted(alike.values(), key=lambda members: -len(members))


def _side(members, target_key):
    first = members[0]
    return {
        "nodes": sorted((member["node"] for member in members), key=names.in_order),
        "cpu_target": first[target_key],
        "accelerator_target": first["accelerator_target"],
        "status": first["status"],
    }


def cell(login, compute):
    """Return {kind, label, reason} for a job with the modules of record ``login`` on the node of record ``compute``."""
    if not login["unfiltered_target"]:
        return _cell(UNKNOWN, "", "what is loaded on the login node is not known: %s" % (login["reason"] or login["status"]))
    if compute["cpu_status"] is None:
        return _cell(UNKNOWN, "", "the compute node did not answer: %s" % (compute["reason"] or compute["status"]))
    found = verdict.decide(_detection(compute), login["unfiltered_target"], login["accelerator_target"] or "")
    if found.kind == verdict.FAILURE:
        return _cell(_OF_FAILURE.get(found.word, FAILED), found.label, found.reason)
    if found.kind == verdict.RELOAD:
        return _cell(PINNED if compute["pin"] else RELOAD, found.label, "")
    return _cell(MATCH, "", "")


def _cell(kind, label, reason):
    return {"kind": kind, "label": label, "reason": reason}


def _detection(record):
    """Return the detection.Detection that the facts of ``record`` were made from, as far as a verdict needs it."""
    cpu = target.CpuTarget(
        record["cpu_status"], record["reason"], record["cpu_target"] or "", record["unfiltered_target"] or "",
        pin=record["pin"] or "",
    )
    gpu = accelerator.AcceleratorTarget(
        record["accelerator_status"], record["accelerator_reason"], record["accelerator_target"] or ""
    )
    return detection.Detection(cpu, gpu, None)
