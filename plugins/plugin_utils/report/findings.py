# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later

"""Records -> what an administrator should know and do, in sentences. Every value in them is clean already."""

from ...module_utils.arch_guard import __version__, target
from . import guard_state, names
from .answer import FAILED, UNREACHABLE
from .record import COMPUTE

ERROR = "error"
WARNING = "warning"
INFORMATION = "information"
SEVERITIES = (ERROR, WARNING, INFORMATION)

NOTHING_FOUND = "No node was found whose modules EESSI would pick wrongly, every node answered, and each is guarded."

_DEPLOY = "Run the playbook eessi.arch_guard.deploy on these nodes."
_UNTIL_THEN = "Until then jobs here need the guard, which the playbook eessi.arch_guard.deploy installs."
_GUARD = {
    guard_state.ABSENT: (WARNING, "the guard is not installed", _DEPLOY),
    guard_state.OUTDATED: (
        WARNING, "the guard is of another version than this collection (%s)" % __version__, _DEPLOY,
    ),
    guard_state.CHANGED: (
        ERROR, "files of the guard were changed since it was installed, or others than root may change them",
        "Find out who changed them, then run eessi.arch_guard.deploy, which puts them back.",
    ),
    guard_state.NOT_WIRED: (
        WARNING, "the guard is installed, but TaskProlog of Slurm does not lead to it",
        "Set TaskProlog to the guard, or run eessi.arch_guard.deploy with eessi_arch_guard_wiring.",
    ),
    guard_state.UNKNOWN: (
        WARNING, "it cannot be told whether the guard is whole",
        "Look at the mount that holds the guard on these nodes; it did not answer in time.",
    ),
}


def of_record(record):
    """Return the findings of one record: a list of (code, severity, text, advice), the gravest first."""
    found = list(_found(record))
    return sorted(found, key=lambda finding: SEVERITIES.index(finding[1]))


def collect(records):
    """Return the findings of all ``records``, the gravest and most frequent first, and set ``findings`` of each.

    A finding is a dict: ``code``, ``severity``, ``text``, ``advice`` (str each) and ``nodes`` (names in order).
    ``findings`` of a record is the list of its codes.
    """
    nodes_of = {}
    for record in records:
        found = of_record(record)
        record["findings"] = sorted({code for code, _severity, _text, _advice in found})
        for finding in found:
            nodes_of.setdefault(finding, set()).add(record["node"])
    ordered = sorted(nodes_of.items(), key=lambda item: (SEVERITIES.index(item[0][1]), -len(item[1]), item[0]))
    return [
        dict(zip(("code", "severity", "text", "advice"), finding), nodes=sorted(nodes, key=names.in_order))
        for finding, nodes in ordered
    ]


def _found(record):
    if record["outcome"] == UNREACHABLE:
        yield (
            "unreachable", ERROR, "could not be reached: %s" % record["reason"],
            "Start the node or take it out of the inventory; where ssh is not for you, have srun write the facts.",
        )
        return
    if record["outcome"] == FAILED:
        yield (
            "module-failed", ERROR, "the module failed: %s" % record["reason"],
            "Nodes need Python 3.6 or newer; set ansible_python_interpreter where it is not found.",
        )
    if record["cpu_status"] is None:
        return
    for part in (_cpu, _accelerator, _guard, _flags):
        yield from part(record)
    for warning in record["warnings"]:
        yield "note", INFORMATION, warning, "Look at the node with eessi-arch-guard explain."


def _cpu(record):
    if record["cpu_status"] == target.NO_SOFTWARE_DIR:
        yield (
            "no-software-dir", ERROR, "no CPU target: %s" % (record["reason"] or record["cpu_status"]),
            "Look whether the mount answers, and whether this EESSI version is built for the processor.",
        )
    elif record["cpu_status"] != target.OK:
        yield (
            "archdetect-failed", ERROR, "no CPU target: %s" % (record["reason"] or record["cpu_status"]),
            "Mount EESSI on the node; eessi-arch-guard explain tells there what the detection says.",
        )
    for excluded in record["excluded"]:
        if excluded["target"] == record["unfiltered_target"]:
            yield _excluded(record, excluded)


def _excluded(record, excluded):
    flags = ", ".join(excluded["missing_flags"])
    text = (
        "%s is excluded, since the CPU does not show %s; EESSI's own detection would pick it, and its programs can die "
        "with SIGILL" % (excluded["target"], flags)
    )
    if record["virtual"]:
        advice = (
            "This is a virtual machine whose hypervisor hides the flag: have it shown (QEMU: -overcommit cpu-pm=on). "
        )
    else:
        advice = "Look for a firmware setting or kernel option that turns the flag off. "
    if record["guard"] in guard_state.GUARDS or record["role"] != COMPUTE:
        return "excluded", WARNING, text, advice + "Until then it gets the next best target."
    return "excluded-unguarded", ERROR, text, advice + _UNTIL_THEN


def _accelerator(record):
    if record["accelerator_failed"]:
        yield (
            "accelerator-failed", ERROR,
            "the accelerator was not found out: %s" % (record["accelerator_reason"] or record["accelerator_status"]),
            "Run nvidia-smi on the node; after an update of the driver it usually wants a reboot.",
        )
    elif record["accelerator_target"] and not record["accelerator_installed"] and record["cpu_target"]:
        yield (
            "accelerator-without-software", INFORMATION,
            "%s has no software for %s" % (record["cpu_target"], record["accelerator_target"]),
            "Ask EESSI for it, or take another EESSI version; CPU software works there.",
        )


def _guard(record):
    # Users load modules on login nodes; no job starts there that the guard could look at.
    if record["role"] == COMPUTE and record["guard"] in _GUARD:
        severity, text, advice = _GUARD[record["guard"]]
        yield "guard-" + record["guard"].replace(" ", "-"), severity, text, advice


def _flags(record):
    if record["hidden_flags"]:
        yield (
            "hidden-flags", INFORMATION,
            "for information: GCC may use %s in %s, which this CPU does not show"
            % (", ".join(record["hidden_flags"]), record["cpu_target"]),
            "Nothing is wrong unless programs die with SIGILL here; then have the hypervisor show the flags.",
        )
