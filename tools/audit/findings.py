# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Host results -> what an administrator should know, in sentences. Pure; every value of a node is cleaned."""

from ansible_collections.eessi.arch_guard.plugins.module_utils.arch_guard.text import clean
from audit.table import gpu_failed

NAMED_HOSTS = 5
NOTHING_FOUND = "No node was found whose modules EESSI would pick wrongly, and every node answered."


def render(results):
    """Return one line for each different finding, led by the hosts it was found on."""
    hosts_of = {}
    for result in results:
        for text in of_host(result):
            hosts_of.setdefault(text, []).append(clean(result.host))
    return [f"{_names(hosts)}: {text}" for text, hosts in hosts_of.items()] or [NOTHING_FOUND]


def of_host(result):
    """Return the findings of one HostResult, each one clean line."""
    if result.facts is None:
        what = "could not be reached" if result.outcome == "unreachable" else "the module failed"
        return [f"{what}: {clean(result.message)}"]
    facts = result.facts
    texts = [*_cpu(facts["cpu"]), *_accelerator(facts["accelerator"]), *_march_flags(facts["cpuinfo"], facts["cpu"])]
    if result.outcome == "failed":
        texts.append(f"the module failed: {clean(result.message)}")
    return texts + [clean(warning) for warning in facts["warnings"]]


def _cpu(cpu):
    if cpu["status"] != "ok":
        yield f"no CPU target: {clean(cpu['reason'] or cpu['status'])}"
    alone = cpu["unfiltered_target"]
    for candidate in cpu["candidates"]:
        if candidate["excluded"] and candidate["name"] == alone:
            missing = clean(", ".join(candidate["missing_flags"]))
            yield (
                f"{clean(alone)} is excluded, since the CPU does not show {missing}; "
                "EESSI's own detection would pick it, and its programs can die with SIGILL"
            )


def _accelerator(accelerator):
    if gpu_failed(accelerator) or accelerator["status"] not in ("ok", "none"):
        yield f"the accelerator was not found out: {clean(accelerator['reason'] or accelerator['status'])}"


def _march_flags(cpuinfo, cpu):
    missing = cpuinfo["missing_march_flags"].get(cpu["target"])
    if missing:
        yield (
            f"for information: GCC may use {clean(', '.join(missing))} in {clean(cpu['target'])}, "
            "which this CPU does not show"
        )


def _names(hosts):
    if len(hosts) <= NAMED_HOSTS + 1:
        return ", ".join(hosts)
    return f"{', '.join(hosts[:NAMED_HOSTS])} and {len(hosts) - NAMED_HOSTS} more"
