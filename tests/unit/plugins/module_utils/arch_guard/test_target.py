# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later

"""Candidates, flags and directories -> CPU target."""

import pytest

from ansible_collections.eessi.arch_guard.plugins.module_utils.arch_guard import target

SPR, ICL, GEN = "x86_64/intel/sapphirerapids", "x86_64/intel/icelake", "x86_64/generic"
GRR = "x86_64/intel/graniterapids"
BROKEN = "broken"

WALKS = [
    # (name, answer) best first; flags; expected status, target, unfiltered, pin
    ([(SPR, True), (ICL, True), (GEN, True)], {"waitpkg"}, "ok", SPR, SPR, ""),
    ([(SPR, True), (ICL, True), (GEN, True)], set(), "ok", ICL, SPR, ICL),
    ([(SPR, False), (ICL, True), (GEN, True)], set(), "ok", ICL, ICL, ""),
    ([(SPR, False), (ICL, True), (GEN, True)], {"waitpkg"}, "ok", ICL, ICL, ""),
    ([(SPR, True), (ICL, False), (GEN, True)], set(), "ok", GEN, SPR, GEN),
    ([(GRR, True), (SPR, True), (ICL, True)], set(), "ok", ICL, GRR, ICL),
    ([(GRR, False), (SPR, True), (ICL, True)], set(), "ok", ICL, SPR, ICL),
    ([(ICL, True), (SPR, True)], set(), "ok", ICL, ICL, ""),
    ([(SPR, True)], set(), "no-software-dir", "", SPR, ""),
    ([(SPR, False), (ICL, False)], {"waitpkg"}, "no-software-dir", "", "", ""),
    ([(ICL, BROKEN), (GEN, True)], set(), "no-software-dir", "", "", ""),
    ([(SPR, True), (ICL, BROKEN), (GEN, True)], set(), "no-software-dir", "", SPR, ""),
    # An excluded directory that does not answer decides nothing, but the pin makes sure.
    ([(SPR, BROKEN), (ICL, True)], set(), "ok", ICL, ICL, ICL),
    ([(ICL, True), (GEN, BROKEN)], set(), "ok", ICL, ICL, ""),
]


@pytest.mark.parametrize("answers, flags, status, chosen, unfiltered, pin", WALKS)
def test_walk(answers, flags, status, chosen, unfiltered, pin):
    candidates = target.check_flags([name for name, _answer in answers], flags)
    for candidate, (_name, answer) in zip(candidates, answers):
        candidate.installed, candidate.problem = (None, "/x: broken (EIO)") if answer == BROKEN else (answer, "")
    found = target.choose(candidates, "/e/software/linux")
    assert (found.status, found.target, found.unfiltered_target, found.pin) == (status, chosen, unfiltered, pin)
    assert bool(found.reason) == (status != "ok")


def test_reason_names_what_was_tried_and_what_was_excluded():
    candidates = target.check_flags([SPR, ICL, GEN], set())
    for candidate in candidates:
        candidate.installed = candidate.name == SPR
    assert target.choose(candidates, "/e/software/linux").reason == (
        "no software directory under /e/software/linux for x86_64/intel/icelake, x86_64/generic; "
        "excluded for lack of waitpkg: x86_64/intel/sapphirerapids"
    )


def test_directory_that_gives_no_answer_is_the_reason():
    candidates = target.check_flags([ICL, GEN], set())
    candidates[0].installed, candidates[0].problem = None, "/e/icelake: Input/output error (EIO)"
    candidates[1].installed = True
    assert target.choose(candidates, "/e").reason == "/e/icelake: Input/output error (EIO)"


def test_excluded_candidate_tells_the_flag():
    excluded, kept = target.check_flags([SPR, ICL], {"avx2"})
    assert excluded.missing_flags == ["waitpkg"] and excluded.excluded
    assert kept.missing_flags == [] and not kept.excluded
