# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: BSD-2-Clause

"""The facts of one node: what the Ansible module and the command ``facts`` report."""

from . import __version__, accelerator, detection, versions
from . import settings as eessi
from .errors import ArchdetectFailed, CannotRead
from .missing_flags import missing_march_flags
from .text import clean
from .verdict import decide

DEFAULT_TIMEOUT = 20
# Seconds that the looks which only inform get at least, when the detection used up the time.
LAST_LOOK = 0.3
LONGEST_STRING = 4096
LONGEST_SENTENCE = 600
SCRIPT_LIMIT = 65536
# The flag that a processor shows when it is one that a hypervisor presents.
HYPERVISOR = "hypervisor"

# The statuses that a caller may declare to be failures.
PROBLEMS = ("archdetect-failed", "no-software-dir")


class Options(object):
    """What a caller may set; None stands for the default. ``timeout`` is in seconds, the rest are str."""

    def __init__(self, prefix=None, init_prefix=None, os_type=None, proc_cpuinfo=None, machine_type=None,
                 timeout=DEFAULT_TIMEOUT, loaded_cpu=None, loaded_accelerator=None):
        self.prefix = prefix
        self.init_prefix = init_prefix
        self.os_type = os_type
        self.proc_cpuinfo = proc_cpuinfo
        self.machine_type = machine_type
        self.timeout = timeout
        self.loaded_cpu = loaded_cpu
        self.loaded_accelerator = loaded_accelerator


class Investigation(object):
    """A node that was asked. ``node``: node.Node, as the options present it; ``settings``: settings.Settings, or None
    where there are no usable ones; ``found``: detection.Detection with its cpu_info; ``path``: of the cpuinfo file;
    ``deadline``: time.monotonic until which it may be asked more.
    """

    def __init__(self, node, settings, found, path, deadline):
        self.node = node
        self.settings = settings
        self.found = found
        self.path = path
        self.deadline = deadline


def gather(options, node, prolog):
    """Return the facts of ``node`` (node.Node) as a dict of plain values; always of the same shape.

    ``options``: Options; ``prolog``: the dict that tells how the guard is installed on the node. Returns within
    the timeout and two seconds, whatever the node does.
    """
    return describe(investigate(options, node), options, prolog)


def investigate(options, node):
    """Ask ``node`` (node.Node) with ``options`` (Options); return the Investigation. Never raises for what a node does."""
    deadline = node.deadline(options.timeout)
    node = _as_told(node, options)
    path = node.environ.get("EESSI_PROC_CPUINFO") or eessi.DEFAULT_CPUINFO
    settings = None
    try:
        prefix = options.prefix or versions.newest_prefix(node, deadline)
        settings = eessi.Settings(prefix, options.init_prefix or prefix + "/init", options.os_type or "linux", path)
        found = detection.detect(settings, node, deadline, thorough=True)
    except ArchdetectFailed as error:
        found = detection.failed(error)
    deadline = max(deadline, node.deadline(LAST_LOOK))
    if found.cpu_info is None:
        found.cpu_info = node.cpu_info(path, deadline)
    return Investigation(node, settings, found, path, deadline)


def describe(investigation, options, prolog):
    """Return the facts that ``investigation`` found, see gather."""
    node, settings, found = investigation.node, investigation.settings, investigation.found
    deadline = investigation.deadline
    facts = {
        "node": node.name,
        "cpu": _cpu(found.cpu),
        "accelerator": _accelerator(found, settings, node, deadline),
        "cpuinfo": _cpuinfo(found, investigation.path),
        "eessi": _eessi(options, settings, node, deadline),
        "prolog": prolog,
        "guard_version": __version__,
        "warnings": _warnings(found, investigation.path, settings, node, deadline),
    }
    facts.update(_verdict(found, options))
    return plain(facts)


def problems(facts, unwanted):
    """Return one line for each part of ``facts`` whose status is in ``unwanted`` (list of str)."""
    return [
        "%s: %s: %s" % (part, facts[part]["status"], facts[part]["reason"])
        for part in ("cpu", "accelerator")
        if facts[part]["status"] in unwanted
    ]


def plain(value, limit=LONGEST_STRING):
    """Return ``value`` with each string in it made one printable line of valid UTF-8 and bounded length."""
    if isinstance(value, dict):
        return {
            plain(key): plain(value[key], LONGEST_SENTENCE if key in ("reason", "warnings") else limit)
            for key in value
        }
    if isinstance(value, (list, tuple)):
        return [plain(item, limit) for item in value]
    return clean(value, limit) if isinstance(value, str) else value


def _as_told(node, options):
    """Return the node with the options laid over its environment, where the script and the rules read them."""
    environ = dict(node.environ)
    for name, value in (("EESSI_PROC_CPUINFO", options.proc_cpuinfo), ("EESSI_MACHINE_TYPE", options.machine_type)):
        if value:
            environ[name] = value
    return node.with_environ(environ)


def _cpu(cpu):
    return {
        "status": cpu.status,
        "reason": cpu.reason,
        "target": cpu.target or None,
        "unfiltered_target": cpu.unfiltered_target or None,
        "candidates": [
            {
                "name": candidate.name,
                "installed": candidate.installed,
                "excluded": candidate.excluded,
                "missing_flags": candidate.missing_flags,
            }
            for candidate in cpu.candidates
        ],
        "excluded": cpu.excluded,
        "pin": cpu.pin or None,
    }


def _accelerator(found, settings, node, deadline):
    target = found.accelerator
    installed = None
    if target.target and found.cpu.target:
        named = accelerator.directories(settings.software, found.cpu.target, target.target)
        looked_up = node.directories([path for name, path in named], [True] * len(named), deadline)
        installed = next((name for (name, path), (there, problem) in zip(named, looked_up) if there), None)
    return {
        "status": target.status,
        "reason": target.reason,
        "target": target.target or None,
        "installed_target": installed,
        "archdetect_status": target.archdetect_status,
    }


def _cpuinfo(found, path):
    info = found.cpu_info
    missing = {}
    if info.flags_lines:
        for candidate in found.cpu.candidates:
            flags = missing_march_flags(candidate.name, info.flags) if candidate.installed else None
            if flags is not None:
                missing[candidate.name] = flags
    return {
        "path": path,
        "logical_cpus": info.logical_cpus,
        "flags_lines": info.flags_lines,
        "uniform": info.uniform,
        "hypervisor": HYPERVISOR in info.flags if info.flags_lines else None,
        "missing_march_flags": missing,
    }


def _eessi(options, settings, node, deadline):
    prefix = settings.prefix if settings else options.prefix
    return {
        "version": (prefix or "").rstrip("/").rpartition("/")[2] or None,
        "prefix": prefix,
        "init_prefix": settings.init_prefix if settings else options.init_prefix,
        "os_type": settings.os_type if settings else options.os_type or "linux",
        "archdetect_version": _archdetect_version(settings, node, deadline) if settings else None,
    }


def _archdetect_version(settings, node, deadline):
    """Return what the script says in its VERSION= line; it is read, not run: not every version answers -v."""
    try:
        text = node.read(settings.script, SCRIPT_LIMIT, deadline)[0]
    except CannotRead:
        # The reason of the detection tells about a script that is not there.
        return None
    for line in text.split(b"\n"):
        if line.startswith(b"VERSION="):
            return clean(line[len(b"VERSION="):].strip(b"\"' \r"), 40) or None
    return None


def _verdict(found, options):
    if options.loaded_cpu is None and options.loaded_accelerator is None:
        return {"verdict": None, "label": None}
    compared = detection.Detection(
        found.cpu, found.accelerator if options.loaded_accelerator is not None else None, found.cpu_info
    )
    loaded_cpu = found.cpu.target if options.loaded_cpu is None else options.loaded_cpu
    verdict = decide(compared, loaded_cpu, options.loaded_accelerator or "")
    return {"verdict": verdict.kind, "label": verdict.label}


def _warnings(found, path, settings, node, deadline):
    """Return what an admin should know and no status tells, one line each."""
    said = []
    info = found.cpu_info
    if info.problem:
        said.append("no CPU flags were read: %s" % info.problem)
    elif not info.flags_lines and any(candidate.name.startswith("x86_64/") for candidate in found.cpu.candidates):
        said.append("no CPU flags were read: no flags line in %s" % path)
    if info.cut:
        said.append("only the first 16 MiB of %s were read" % path)
    if info.uniform is False:
        said.append("the logical CPUs of this node have different flags")
    said.extend(candidate.problem for candidate in found.cpu.candidates if candidate.problem)
    models = node.gpu_models(deadline)
    if len(set(models)) > 1:
        said.append("the GPUs of this node differ, accelpath reports the first: %s" % ", ".join(models))
    pinned_by = eessi.chosen_by_user(node.environ)
    if pinned_by:
        said.append(_pin_warning(pinned_by, node, settings, deadline))
    if node.environ.get(eessi.ACCELERATOR_PIN):
        said.append("%s is set: accelpath answers with it" % eessi.ACCELERATOR_PIN)
    return said


def _pin_warning(pinned_by, node, settings, deadline):
    value = node.environ[pinned_by]
    said = "%s is set to %s: the guard leaves jobs with it alone" % (pinned_by, clean(value))
    if settings is not None:
        paths = [settings.software_directory(name) for name in value.split(":") if name]
        found = node.directories(paths, [True] * len(paths), deadline)
        if not any(installed for installed, problem in found):
            said += "; no software directory for it under %s" % settings.software
    return said
