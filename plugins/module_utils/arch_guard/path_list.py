# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: BSD-2-Clause

"""Path-like variables: new module entries in the places of the old ones, the user's own where they stood."""


def merge(before, own, after, renamed):
    """Return the entries of a path-like variable after a reload (list of str).

    ``before``: the entries that came in; ``own``: those of them that are not a module's (a set, in normal form);
    ``after``: the entries that a load on the node made on top of the own ones; ``renamed``: function from an entry of
    the old target to the same entry of the new one.

    Entries of modules stand in runs between the user's own. Each new one goes into the run of the old one that it
    stands for, or of its neighbour, in the order in which the modules were loaded. So what the user put in front
    stays in front, and what was behind stays behind.
    """
    runs, kept = _split(before, own)
    after_runs = _split(after, own)[0]
    place = {}
    for number, run in enumerate(runs):
        for entry in run:
            place.setdefault(renamed(entry), number)
            place.setdefault(entry, number)
    first = next((number for number, run in enumerate(runs) if run), 0)
    filled = [[] for _run in runs]
    taken = set()
    for number, run in enumerate(after_runs):
        # What a module appends stands behind all that was there, unless an old entry shows another place.
        default = len(runs) - 1 if 0 < number == len(after_runs) - 1 else first
        where = next((place[entry] for entry in run if entry in place), default)
        for entry in run:
            where = place.get(entry, where)
            if entry not in taken:
                filled[where].append(entry)
                taken.add(entry)
    merged = list(filled[0])
    for entry, run in zip(kept, filled[1:]):
        merged.append(entry)
        merged.extend(run)
    return merged


def entries(value):
    """Return the entries of a variable's ``value`` (str or None)."""
    return value.split(":") if value else []


def normal(entry):
    """Return ``entry`` in the form that Lmod gives it: no double slash, no /./, no slash at its end."""
    entry = entry.strip()
    while "//" in entry or "/./" in entry:
        entry = entry.replace("//", "/").replace("/./", "/")
    return entry.rstrip("/") or entry[:1]


def _split(listed, own):
    """Return (runs of module entries, own entries): a run before, between and behind the own ones each."""
    runs, kept = [[]], []
    for entry in listed:
        if normal(entry) in own:
            kept.append(entry)
            runs.append([])
        else:
            runs[-1].append(entry)
    return runs, kept
