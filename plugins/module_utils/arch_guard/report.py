# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: BSD-2-Clause

"""What ``eessi-arch-guard facts`` and ``explain`` print."""

import json

from . import facts, installation
from . import settings as eessi
from .errors import CannotRead
from .missing_flags import missing_march_flags


def make(form, node):
    """Return the facts of ``node`` as text: one line of JSON for the form ``facts``, words for ``explain``."""
    options = _options(node.environ)
    investigation = facts.investigate(options, node)
    gathered = facts.describe(investigation, options, installation.describe())
    if form == "facts":
        return json.dumps(gathered, sort_keys=True) + "\n"
    return explain(gathered, better_targets(investigation))


def _options(environ):
    """Return the facts.Options for a node with ``environ``: the EESSI version that is loaded, if there is one."""
    loaded = bool(environ.get("EESSI_SOFTWARE_SUBDIR"))
    return facts.Options(
        prefix=environ.get("EESSI_PREFIX") or None,
        init_prefix=environ.get("EESSI_INIT_PREFIX") or None,
        os_type=environ.get("EESSI_OS_TYPE") or None,
        loaded_cpu=environ["EESSI_SOFTWARE_SUBDIR"] if loaded else None,
        loaded_accelerator=environ.get("EESSI_ACCEL_SUBDIR", "")
        if loaded and not environ.get(eessi.ACCELERATOR_PIN) else None,
    )


def better_targets(investigation):
    """Return what installed targets of the same kind of processor would need that the node does not show.

    A list of (name, flags): those that the detection does not offer, the one that needs least first. The flags are
    those of GCC's -march for the target; the detection itself asks for fewer.
    """
    settings, cpu = investigation.settings, investigation.found.cpu
    kind = cpu.target.rpartition("/")[0]
    if "/" not in kind:
        return []
    try:
        leaves = investigation.node.entries("%s/%s" % (settings.software, kind), investigation.deadline)
    except CannotRead:
        # The candidates above were looked up there a moment ago; what is said about them stands.
        return []
    offered = [candidate.name for candidate in cpu.candidates]
    names = [name for name in ("%s/%s" % (kind, leaf) for leaf in sorted(leaves)) if name not in offered]
    lacking = [(name, missing_march_flags(name, investigation.found.cpu_info.flags)) for name in names]
    return sorted(((name, flags) for name, flags in lacking if flags), key=lambda entry: len(entry[1]))


def explain(gathered, better=()):
    """Return the facts in words, for a person (str of several lines). ``better``: see better_targets."""
    cpu, accelerator = gathered["cpu"], gathered["accelerator"]
    said = ["EESSI %s at %s" % (gathered["eessi"]["version"] or "is not there", gathered["eessi"]["prefix"])
            if gathered["eessi"]["prefix"] else "EESSI is not there"]
    said.append("CPU target: %s" % (cpu["target"] or "none, %s: %s" % (cpu["status"], cpu["reason"])))
    said.extend("  %s" % _about(candidate, cpu, gathered["cpuinfo"]) for candidate in cpu["candidates"])
    if cpu["pin"]:
        said.append("  EESSI's own module would take %s here; a reload pins %s" % (cpu["unfiltered_target"], cpu["pin"]))
    if better:
        name, flags = better[0]
        said.append("  %s: installed, not offered to this node; its compiler uses %s, which this node does not show"
                    % (name, ", ".join(flags)))
    said.append("Accelerator target: %s" % _about_accelerator(accelerator))
    if gathered["verdict"]:
        said.append("The loaded modules: %s" % " ".join(filter(None, (gathered["verdict"], gathered["label"]))))
    said.extend("Note: %s" % warning for warning in gathered["warnings"])
    return "\n".join(said) + "\n"


def _about(candidate, cpu, cpuinfo):
    """Return one line about a candidate: what became of it, and what the node lacks for it."""
    if candidate["excluded"]:
        became = "excluded, this node does not show %s" % ", ".join(candidate["missing_flags"])
        became += "" if candidate["installed"] else "; not installed"
    elif candidate["name"] == cpu["target"]:
        became = "chosen, the first that is installed and not excluded"
    else:
        became = {True: "installed", False: "not installed", None: "cannot be looked up"}[candidate["installed"]]
    lacking = [
        flag for flag in cpuinfo["missing_march_flags"].get(candidate["name"], ()) if flag not in candidate["missing_flags"]
    ]
    if lacking:
        became += " (its compiler may also use %s, which this node does not show)" % ", ".join(lacking)
    return "%s: %s" % (candidate["name"], became)


def _about_accelerator(accelerator):
    if not accelerator["target"]:
        return "%s, %s" % (accelerator["status"], accelerator["reason"])
    installed = accelerator["installed_target"]
    if installed == accelerator["target"]:
        return installed
    return "%s, %s" % (accelerator["target"], "served by %s" % installed if installed else "nothing is installed for it")
