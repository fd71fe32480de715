# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: BSD-2-Clause

"""Candidates, CPU flags and directories -> the CPU target of the node."""

from .waitpkg import WAITPKG, needs_waitpkg

OK = "ok"
ARCHDETECT_FAILED = "archdetect-failed"
NO_SOFTWARE_DIR = "no-software-dir"


class Candidate(object):
    """One field of cpupath.

    ``installed``: True, False, or None where it was not looked up or could not be told;
    ``problem``: one line, why it could not be told, or "";
    ``missing_flags``: the flags for which the candidate is excluded, a list of str.
    """

    def __init__(self, name, missing_flags=()):
        self.name = name
        self.missing_flags = list(missing_flags)
        self.installed = None
        self.problem = ""

    @property
    def excluded(self):
        """Whether the waitpkg check dropped this candidate."""
        return bool(self.missing_flags)


class CpuTarget(object):
    """The CPU side of a detection.

    ``status``: OK, ARCHDETECT_FAILED or NO_SOFTWARE_DIR; ``reason``: one line, "" where the status is OK;
    ``target``: str or ""; ``unfiltered_target``: str or "", what EESSI's own module would pick;
    ``candidates``: list of Candidate, best first; ``pin``: the target that a reload has to pin, or "".
    """

    def __init__(self, status, reason="", target="", unfiltered_target="", candidates=(), pin=""):
        self.status = status
        self.reason = reason
        self.target = target
        self.unfiltered_target = unfiltered_target
        self.candidates = list(candidates)
        self.pin = pin

    @property
    def excluded(self):
        """Names of the candidates that the waitpkg check dropped."""
        return [candidate.name for candidate in self.candidates if candidate.excluded]


def check_flags(names, flags):
    """Return a Candidate for each of ``names`` (str, best first), excluded where ``flags`` (a set) lacks waitpkg."""
    return [
        Candidate(name, (WAITPKG,) if WAITPKG not in flags and needs_waitpkg(name) else ()) for name in names
    ]


def choose(candidates, software):
    """Return the CpuTarget for ``candidates`` whose directories were looked up.

    The walk takes the first candidate that is not excluded and installed. A directory that gave no answer stops
    the walk: going further down would put a slower tree in place of one that is there but does not answer.
    ``software`` is the directory that was walked, for the reason.
    """
    unfiltered = ""
    overtaken = False
    for candidate in candidates:
        if candidate.excluded:
            if candidate.installed and not unfiltered:
                unfiltered = candidate.name
            # One that does not answer may be the directory that EESSI's module will see and take.
            overtaken = overtaken or candidate.installed is not False
        elif candidate.problem:
            return CpuTarget(NO_SOFTWARE_DIR, candidate.problem, "", unfiltered, candidates)
        elif candidate.installed:
            pin = candidate.name if overtaken else ""
            return CpuTarget(OK, "", candidate.name, unfiltered or candidate.name, candidates, pin)
    return CpuTarget(NO_SOFTWARE_DIR, _nothing_installed(candidates, software), "", unfiltered, candidates)


def _nothing_installed(candidates, software):
    """Return the reason of a walk that found nothing."""
    tried = [candidate.name for candidate in candidates if not candidate.excluded]
    excluded = [candidate.name for candidate in candidates if candidate.excluded]
    reason = "no software directory under %s for %s" % (software, ", ".join(tried) or "any candidate")
    if excluded:
        reason += "; excluded for lack of %s: %s" % (WAITPKG, ", ".join(excluded))
    return reason
