# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later

"""Answer -> the flat record of one node and EESSI version that everything in the report is made from."""

from ...module_utils.arch_guard import accelerator
from . import guard_state
from .answer import OK

LOGIN = "login"
COMPUTE = "compute"


def record(answer, role, wanted_version):
    """Return the record of ``answer`` (Answer) as a dict; its keys are those of ``nodes`` in the report.

    ``role``: LOGIN or COMPUTE; ``wanted_version``: of the guard.
    """
    told = {
        "node": answer.node,
        "role": role,
        "outcome": answer.outcome,
        "status": answer.outcome,
        "reason": _without_name(answer.message, answer.node),
    }
    told.update(_of_facts(answer.facts, wanted_version) if answer.facts else NOTHING)
    if answer.facts and answer.outcome == OK:
        told.update(status=answer.facts["cpu"]["status"], reason=answer.facts["cpu"]["reason"])
    return told


def _of_facts(facts, wanted_version):
    cpu, gpu, info = facts["cpu"], facts["accelerator"], facts["cpuinfo"]
    return {
        "eessi_version": facts["eessi"]["version"],
        "cpu_status": cpu["status"],
        "cpu_target": cpu["target"],
        "unfiltered_target": cpu["unfiltered_target"],
        "pin": cpu["pin"],
        "excluded": [
            {"target": candidate["name"], "missing_flags": candidate["missing_flags"]}
            for candidate in cpu["candidates"] if candidate["excluded"]
        ],
        "accelerator_status": gpu["status"],
        "accelerator_reason": gpu["reason"],
        "accelerator_target": gpu["target"],
        "accelerator_installed": gpu["installed_target"],
        # Where nothing could be asked, that is told once.
        "accelerator_failed": accelerator_failed(gpu) and gpu["reason"] != cpu["reason"],
        "hidden_flags": info["missing_march_flags"].get(cpu["target"], []),
        "virtual": info["hypervisor"],
        "logical_cpus": info["logical_cpus"],
        "uniform": info["uniform"],
        "guard": guard_state.state(facts["prolog"], wanted_version),
        "guard_version": facts["prolog"]["version"],
        "features": features(cpu["target"], gpu["target"]),
        "warnings": facts["warnings"],
    }


def features(cpu_target, accelerator_target):
    """Return the words for Slurm's Feature= of a node: the last segments of its targets."""
    return [target.rpartition("/")[2] for target in (cpu_target, accelerator_target) if target]


def excluded_in_words(found):
    """Return the excluded targets of a record or group, each with the flags that are not there; "" where none is."""
    return ", ".join(
        "%s (no %s)" % (excluded["target"].rpartition("/")[2], ", ".join(excluded["missing_flags"]))
        for excluded in found["excluded"]
    )


def accelerator_failed(gpu):
    """Tell whether the accelerator is not known because what should tell it failed, not because there is none."""
    if gpu["status"] == accelerator.NONE:
        return gpu["archdetect_status"] not in accelerator.LEAVE_NO_FILE + (None,)
    return gpu["status"] != accelerator.OK


def _without_name(message, node):
    """Return ``message`` with the node's own name out of it: nodes with the same trouble say the same then."""
    return message.replace(node, "(this node)") if len(node) > 2 else message


NOTHING = {
    "eessi_version": None,
    "cpu_status": None,
    "cpu_target": None,
    "unfiltered_target": None,
    "pin": None,
    "excluded": [],
    "accelerator_status": None,
    "accelerator_reason": "",
    "accelerator_target": None,
    "accelerator_installed": None,
    "accelerator_failed": False,
    "hidden_flags": [],
    "virtual": None,
    "logical_cpus": None,
    "uniform": None,
    "guard": guard_state.UNKNOWN,
    "guard_version": None,
    "features": [],
    "warnings": [],
}
