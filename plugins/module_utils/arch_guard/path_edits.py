# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: BSD-2-Clause

"""What was done to a path-like variable, done to another value of it.

Lists hold entries; ``own``: those that are not a module's (a set, in normal form); ``rewriting``: environment.Rewriting.
"""

from . import path_list


def among(done, own, made, after, rewriting):
    """Return ``after`` with that done to it which made ``done`` of ``made``: what modules made, and what came of it."""
    of_modules = {path_list.normal(entry) for entry in made} - own
    of_target = {entry for entry in of_modules if rewriting.entry(entry) != entry}
    if of_modules and (of_target or of_modules).isdisjoint(map(path_list.normal, done)):
        # None is left: the user set it anew. One that is no target's the user may have put in.
        return done
    taken_out = _taken_out(made, done, rewriting)
    after = [entry for entry in after if path_list.normal(entry) not in taken_out]
    return path_list.merge(done, own, made, after, rewriting.entry)


def since(done, own, made, after, rewriting):
    """Return ``after`` with that done to it which made ``done`` of ``made`` after the last module command."""
    if done == made:
        return after
    around = _around(done, made, after, rewriting.entry) if made else None
    if around is not None:
        return around
    put_in = {path_list.normal(entry) for entry in done}.difference(map(path_list.normal, made))
    return among(done, own | put_in, made, after, rewriting)


def _taken_out(made, done, rewriting):
    """Return the entries (a set) that modules made and the user took out, as they are called for the new target."""
    kept = {path_list.normal(entry) for entry in done}
    gone = {path_list.normal(entry) for entry in made} - kept
    return {rewriting.entry(entry) for entry in gone} - {rewriting.entry(entry) for entry in kept}


def _around(done, made, after, renamed):
    """Return ``after`` with what ``done`` has in front of ``made`` and behind it; None if it has not all of it there."""
    listed, wanted = [path_list.normal(entry) for entry in done], [path_list.normal(entry) for entry in made]
    for start in range(len(listed) - len(wanted), -1, -1):
        if listed[start:start + len(wanted)] == wanted:
            copied = [renamed(entry) if path_list.normal(entry) in wanted else entry for entry in done]
            return copied[:start] + after + copied[start + len(wanted):]
    return None
