# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: BSD-2-Clause

"""Settings -> what this node is. The module, the TaskProlog and the audit all ask here."""

from . import accelerator, archdetect, target
from .cpuinfo import CpuInfo
from .errors import ArchdetectFailed
from .waitpkg import needs_waitpkg

# The look at cpuinfo, and that at the directories, gets at least this long, in seconds, when what came before used up
# the time. Twice this, and what killing takes, is how much longer than its deadline a detection can be.
LAST_LOOK = 0.4


class Detection(object):
    """What a node is: ``cpu`` (target.CpuTarget), ``accelerator`` (accelerator.AcceleratorTarget or None where it
    was not asked for) and ``cpu_info`` (cpuinfo.CpuInfo or None where no candidate depends on it).
    """

    def __init__(self, cpu, accelerator_target, cpu_info):
        self.cpu = cpu
        self.accelerator = accelerator_target
        self.cpu_info = cpu_info


def failed(error, compare_accelerator=True):
    """Return the Detection of a node that could not be asked, for the reason of ``error`` (ArchdetectFailed)."""
    reason = str(error)
    unknown = accelerator.AcceleratorTarget(accelerator.ARCHDETECT_FAILED, reason) if compare_accelerator else None
    return Detection(target.CpuTarget(target.ARCHDETECT_FAILED, reason), unknown, None)


def detect(settings, node, deadline, thorough=False):
    """Return the Detection of ``node`` for the EESSI version of ``settings``; never raises for what a node does.

    ``thorough``: look up the directory of every candidate and always read cpuinfo, as facts do; a task needs
    only what decides.
    """
    asked_at = node.now()
    cpupath, accelpath = archdetect.ask(settings, node, deadline)
    deadline = max(deadline, node.deadline(LAST_LOOK))
    cpu, cpu_info = _cpu(settings, node, cpupath, deadline, thorough)
    accelerator_target = None if accelpath is None else _accelerator(node, accelpath, settings.script, asked_at)
    return Detection(cpu, accelerator_target, cpu_info)


def _cpu(settings, node, cpupath, deadline, thorough):
    """Return (CpuTarget, CpuInfo or None)."""
    try:
        names = archdetect.candidates(cpupath, settings.script)
    except ArchdetectFailed as error:
        cpu_info = node.cpu_info(settings.cpuinfo, deadline) if thorough else None
        return target.CpuTarget(target.ARCHDETECT_FAILED, str(error)), cpu_info
    cpu_info = None
    if thorough or any(needs_waitpkg(name) for name in names):
        cpu_info = node.cpu_info(settings.cpuinfo, deadline)
    candidates = target.check_flags(names, (cpu_info or CpuInfo()).flags)
    paths = [settings.software_directory(candidate.name) for candidate in candidates]
    may_stop = [not thorough and not candidate.excluded for candidate in candidates]
    looked_up = node.directories(paths, may_stop, max(deadline, node.deadline(LAST_LOOK)))
    for candidate, found in zip(candidates, looked_up):
        candidate.installed, candidate.problem = found
    _pass_problem_on(candidates, len(looked_up))
    return target.choose(candidates, settings.software), cpu_info


def _pass_problem_on(candidates, looked_up):
    """Where the look-up got stuck at an excluded candidate, nothing is known about the next one for the same reason."""
    if candidates[looked_up - 1].excluded:
        for candidate in candidates[looked_up:]:
            if not candidate.excluded:
                candidate.problem = candidates[looked_up - 1].problem
                return


def _accelerator(node, outcome, script, asked_at):
    """Return the AcceleratorTarget."""
    detail = ""
    if outcome.status not in accelerator.LEAVE_NO_FILE:
        detail = node.remove_leftovers(asked_at)
    try:
        archdetect.complain_unless_answered(outcome, "accelpath", script)
    except ArchdetectFailed as error:
        return accelerator.AcceleratorTarget(accelerator.ARCHDETECT_FAILED, str(error))
    return accelerator.from_answer(outcome.status, outcome.stdout, detail)
