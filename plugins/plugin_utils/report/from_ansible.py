# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later

"""Results of the module as Ansible registered them -> answers."""

from .answer import FAILED, OK, UNREACHABLE, Answer
from .shape import BadFacts

NO_RESULT = "Ansible has no result of the module for this host"


def answers(host, result, checker):
    """Return a list of Answer for ``host`` (str) from ``result``, what the task registered for it.

    ``result``: dict of one run or of a loop over EESSI versions; None where there is none. ``checker``: shape.Checker.
    """
    name = checker.text(host)
    if not isinstance(result, dict):
        return [Answer(name, FAILED, NO_RESULT)]
    runs = result.get("results") or [result]
    found = [_answer(name, run, checker) for run in runs]
    # A host that is away is so for every version: that is told once.
    with_facts = [answer for answer in found if answer.facts is not None]
    return with_facts + _different([answer for answer in found if answer.facts is None])


def _answer(name, run, checker):
    facts = (run.get("ansible_facts") or {}).get("eessi_arch_guard")
    message = checker.text(str(run.get("msg") or ""))
    if facts is None:
        return Answer(name, UNREACHABLE if run.get("unreachable") else FAILED, message)
    try:
        return Answer(name, FAILED if run.get("failed") else OK, message, checker.checked(facts))
    except BadFacts as error:
        return Answer(name, FAILED, "the module answered with other facts: %s" % error)


def _different(found):
    seen = {}
    for answer in found:
        seen.setdefault((answer.outcome, answer.message if answer.outcome == FAILED else ""), answer)
    return list(seen.values())
