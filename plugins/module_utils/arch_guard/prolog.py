# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: BSD-2-Clause

"""The way of a task through the guard: settings, detection, verdict, reload, lines for Slurm.

What is large and only the first task of a step needs is imported there: the others would pay for it.
"""

from . import messages, shared_result, taskprolog
from . import settings as eessi
from . import verdict as verdicts
from .errors import GuardError
from .text import clean

RELOADED = "EESSI_ARCH_GUARD_RELOADED"
FAILED = "EESSI_ARCH_GUARD_FAILED"
MISSING = "EESSI_ARCH_GUARD_MISSING"
SWITCH = "EESSI_ARCH_GUARD"

DEFAULT_BUDGET = 30
# What of the budget the detection may take; the rest is for the reload.
DETECTION_SHARE = 0.6
# Of the budget, what the first task of a step may take, and how long the others wait for it before they do without.
FIRST_SHARE = 0.8
WAITING_SHARE = 0.85
# Seconds for the names of the GPUs.
MODELS_LIMIT = 1.0


class Site(object):
    """What a site decides.

    ``budget``: seconds that a task may wait at most; ``longest_line``: bytes of a line that Slurm of the site takes
    whole, 0 for any; ``on_failure``: warn or abort; ``log``: none or syslog.
    """

    def __init__(self, budget=DEFAULT_BUDGET, longest_line=0, on_failure="warn", log="none"):
        self.budget = budget
        self.longest_line = longest_line
        self.on_failure = on_failure
        self.log = log


class Answer(object):
    """What a task gets. ``spoken``, ``silent``: the lines for Slurm with and without messages (bytes); ``verdict``:
    verdict.Verdict, the last word about the task.
    """

    def __init__(self, spoken, silent, verdict):
        self.spoken = spoken
        self.silent = silent
        self.verdict = verdict

    def output(self, environ):
        """Return the lines for the task with ``environ``: the messages are for one task of a node."""
        return self.spoken if is_first_of_node(environ) else self.silent


class Step(object):
    """How a task may share. ``directory``: where the tasks of the step on this node share their answer, "" for nowhere;
    ``origin``: what tells this step from one of the same number, before a reboot or a requeue; ``match``: the line by
    which the start script knows a task that needs nothing.
    """

    def __init__(self, directory="", origin="", match=""):
        self.directory = directory
        self.origin = origin
        self.match = match


def answer(node, site, step):
    """Return the Answer for the task with ``node.environ``; never raises."""
    try:
        if not is_asked(node.environ) or eessi.chosen_by_user(node.environ):
            return Answer(b"", b"", verdicts.Verdict(verdicts.SKIPPED))
        return _shared_answer(node, site, step) if step.directory else _answer(node, site, site.budget)
    except Exception as error:  # noqa: BLE001 - whatever is wrong with the guard, the task goes on as it came
        what = str(error) if isinstance(error, GuardError) else "%s: %s" % (type(error).__name__, error)
        loaded = clean(node.environ.get("EESSI_SOFTWARE_SUBDIR", ""))
        return _failure(node, verdicts.Verdict(verdicts.FAILURE, loaded, "", GuardError.word, clean(what)))


def is_asked(environ):
    """Tell whether there is anything to do: EESSI is loaded, and the guard is not switched off."""
    return bool(environ.get("EESSI_SOFTWARE_SUBDIR")) and environ.get(SWITCH) != "off"


def is_first_of_node(environ):
    """Tell whether the task is the one of its node and step that speaks for all."""
    return environ.get("SLURM_LOCALID", "0") in ("", "0")


def _shared_answer(node, site, step):
    """Return the Answer that another task of the step found, or find it for the others."""
    begin = node.deadline(0)

    def produce():
        left = begin + site.budget - node.deadline(0)
        found = _answer(node, site, min(left, FIRST_SHARE * site.budget))
        is_match = found.verdict.kind == verdicts.MATCH
        shared_result.tell_start_scripts(step.directory, step.match if is_match else "")
        return found

    models = node.gpu_models(begin + MODELS_LIMIT) if shared_result.depends_on_gpus(node.environ) else []
    depends_on = shared_result.key(node.environ, models, [step.origin, "%s %s" % (site.longest_line, site.budget)])
    return shared_result.obtain(step.directory, depends_on, produce, Answer, begin + WAITING_SHARE * site.budget)


def _answer(node, site, budget):
    """Return the Answer that this task finds within ``budget`` seconds."""
    environ = node.environ
    begin = node.deadline(0)
    settings, found = _detect(node, begin + DETECTION_SHARE * budget)
    verdict = verdicts.decide(found, environ["EESSI_SOFTWARE_SUBDIR"], environ.get("EESSI_ACCEL_SUBDIR", ""))
    if verdict.kind == verdicts.MATCH:
        return Answer(b"", b"", verdict)
    if verdict.kind == verdicts.RELOAD:
        from .reload import reload

        try:
            done = reload(settings, found, node, begin + budget)
            return _success(node, verdict, done, site.longest_line)
        except GuardError as error:
            verdict = verdict.failed("", str(error))
    if verdict.word == "no-software-dir" and environ.get(MISSING) == "ignore":
        return Answer(b"", b"", verdict)
    return _failure(node, verdict)


def _detect(node, deadline):
    """Return (Settings or None, Detection)."""
    from . import detection

    try:
        settings = eessi.read(node.environ)
    except GuardError as error:
        return None, detection.failed(error)
    return settings, detection.detect(settings, node, deadline)


def _success(node, verdict, done, longest_line):
    said = [messages.reloaded(verdict)]
    if done.still_old:
        said.append(messages.still_old(verdict, done.still_old))
    return _spoken(node, verdict, dict(done.changes), RELOADED, FAILED, said, longest_line)


def _failure(node, verdict):
    return _spoken(node, verdict, {}, FAILED, RELOADED, [messages.failed(verdict)], 0)


def _spoken(node, verdict, changed, name, other, said, longest_line):
    """Return the Answer that makes the changes and sets the variable ``name``, and not ``other``, to the label."""
    if node.environ.get(name) != verdict.label:
        changed[name] = verdict.label
    if other in node.environ:
        changed[other] = None
    return Answer(taskprolog.lines(changed, said, longest_line), taskprolog.lines(changed, [], longest_line), verdict)
