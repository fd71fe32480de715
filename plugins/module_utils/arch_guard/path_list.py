# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: BSD-2-Clause

"""Path-like variables: new module entries in the places of the old ones, the user's own where they stood."""

import collections
import difflib


def merge(before, own, made, after, renamed):
    """Return the entries of a path-like variable after a reload (list of str).

    ``before``: the entries that came in; ``own``: those of them that are not a module's (a set, in normal form);
    ``made``: what the modules had made of the own ones, empty where that is not known; ``after``: what a load on the node
    made of them; ``renamed``: function from an entry of the old target to the same entry of the new one.

    Entries of modules stand in runs between the user's own. Each new one goes into the run of the old one that it
    stands for, or of its neighbour, in the order in which the modules were loaded. So what the user put in front
    stays in front, and what was behind stays behind.
    """
    runs, kept = _split(before, own)
    after_runs = _split(after, own)[0]
    left, there, new = _ends(runs), _ends(_split(made, own)[0]), _ends(after_runs)
    if left and new and left == there:
        # As the modules left it, and so it is on the node.
        return new[0] + [before[number] for number in kept] + new[1]
    copied = {number for number in copies(before, made) if normal(before[number]) not in own}
    runs, kept = _split(before, own, copied)
    place = {}
    for number, run in enumerate(runs):
        for entry in run:
            place.setdefault(renamed(entry), number)
            place.setdefault(entry, number)
    # What only the node's modules have goes where the modules' entries went that stood at the same end.
    in_front, behind = there or ((), ())
    first = _number(runs, in_front, next((number for number, run in enumerate(runs) if run), 0))
    last = _number(runs, behind, len(runs) - 1)
    filled = [[] for _run in runs]
    taken = set()
    for number, run in enumerate(after_runs):
        default = last if 0 < number == len(after_runs) - 1 else first
        where = next((place[entry] for entry in run if entry in place), default)
        for entry in run:
            where = place.get(entry, where)
            if entry not in taken:
                filled[where].append(entry)
                taken.add(entry)
    merged = list(filled[0])
    for number, run in zip(kept, filled[1:]):
        merged.append(renamed(before[number]) if number in copied else before[number])
        merged.extend(run)
    return merged


def copies(before, made):
    """Return where in ``before`` (list of str) the user put a module's entry once more (a set of int).

    ``made``: the entries that modules made, with those below them. Where the order does not tell which one of two equal
    entries is the user's, it is the one in front.
    """
    listed = [normal(entry) for entry in before]
    wanted = [normal(entry) for entry in made]
    times, times_made = collections.Counter(listed), collections.Counter(wanted)
    surplus = {entry: times[entry] - times_made[entry] for entry in times_made if times[entry] > times_made[entry]}
    if not surplus:
        return set()
    # From the end, where the modules' entries are if the user put something in front.
    alike = difflib.SequenceMatcher(None, wanted[::-1], listed[::-1], autojunk=False).get_matching_blocks()
    of_modules = {len(listed) - 1 - number for _made, start, size in alike for number in range(start, start + size)}
    found = set()
    for number in sorted(range(len(listed)), key=lambda number: (number in of_modules, number)):
        if surplus.get(listed[number]):
            surplus[listed[number]] -= 1
            found.add(number)
    return found


def each_once(value):
    """Return the path-like variable's ``value`` (str) with only the last one of equal entries."""
    kept = []
    seen = set()
    for entry in reversed(value.split(":")):
        if normal(entry) not in seen:
            seen.add(normal(entry))
            kept.append(entry)
    return ":".join(reversed(kept))


def entries(value):
    """Return the entries of a variable's ``value`` (str or None)."""
    return value.split(":") if value else []


def normal(entry):
    """Return ``entry`` in the form that Lmod gives it: no double slash, no /./, no slash at its end."""
    entry = entry.strip()
    while "//" in entry or "/./" in entry:
        entry = entry.replace("//", "/").replace("/./", "/")
    return entry.rstrip("/") or entry[:1]


def _number(runs, wanted, otherwise):
    """Return the number of the first of ``runs`` that has one of the ``wanted`` entries."""
    return next((number for number, run in enumerate(runs) if any(entry in wanted for entry in run)), otherwise)


def _ends(runs):
    """Return the first and the last of ``runs``; None where there is only one, or entries stand between the own ones."""
    return None if len(runs) == 1 or any(runs[1:-1]) else (runs[0], runs[-1])


def _split(listed, own, copied=()):
    """Return (runs of module entries, places of the own entries): a run before, between and behind the own ones each.

    ``own``: entries in normal form; ``copied``: places of entries that are the user's as well.
    """
    runs, kept = [[]], []
    for number, entry in enumerate(listed):
        if number in copied or normal(entry) in own:
            kept.append(number)
            runs.append([])
        else:
            runs[-1].append(entry)
    return runs, kept
