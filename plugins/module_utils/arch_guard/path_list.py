# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: BSD-2-Clause

"""Path-like variables: new module entries in the places of the old ones, the user's own where they stood."""

import collections

from .alignment import aligned

# Weights of entries that stand as the modules left them. One that does not was put elsewhere: by the user, if it is the
# user's own; else by modules that came and went meanwhile, and then it is more likely one that several modules have.
OWN = 1
SYSTEM = 1 << 20
SHARED = SYSTEM + (1 << 10)
OF_TARGET = SHARED + (1 << 10)
# Nobody moves these.
SYSTEM_DIRECTORIES = frozenset(("/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"))


def merge(before, own, made, after, renamed):
    """Return the entries of a path-like variable after a reload (list of str).

    ``before``: the entries that came in; ``own``: those of them that are not a module's (a set, in normal form);
    ``made``: what the modules had made of the own ones, empty where that is not known; ``after``: what a load on the node
    made of them; ``renamed``: function from an entry of the old target to the same entry of the new one.

    It is ``after``, but what the user put somewhere, or put in once more, stands among the others as it did.
    """
    if not made:
        return _by_runs(before, own, after, renamed)
    listed = [normal(entry) for entry in before]
    wanted = [normal(entry) for entry in made]

    def weight(entry):
        if entry in own:
            return SYSTEM if entry in SYSTEM_DIRECTORIES else OWN
        return SHARED if renamed(entry) == entry else OF_TARGET

    pairs = aligned(wanted, listed, weight)
    new = {normal(entry) for entry in after}
    untouched = {there for _here, there in pairs if listed[there] not in own or listed[there] in new}
    placed = _placed_by_user(listed, own, wanted, untouched)
    moved = own.intersection(wanted).intersection(listed[number] for number in placed)
    put_elsewhere = moved.difference(listed[number] for number in untouched)
    merged = [entry for entry in after if normal(entry) not in put_elsewhere]
    slots = [[] for _slot in range(len(merged) + 1)]
    anchors = sorted(untouched)
    places = {normal(entry): place for place, entry in reversed(list(enumerate(merged)))}
    slot = 0
    for number in placed:
        # None of the user's entries goes past another.
        slot = max(slot, _slot(number, anchors, before, own, places, renamed))
        slots[slot].append(before[number] if listed[number] in own else renamed(before[number]))
    written = {listed[number]: before[number] for number in anchors if listed[number] in own}
    result = slots[0]
    for entry, behind in zip(merged, slots[1:]):
        result = result + [written.get(normal(entry), entry)] + behind
    return result


def _placed_by_user(listed, own, wanted, untouched):
    """Return the places in ``listed`` where the user put an entry: an own one, or one that modules made fewer times."""
    surplus = collections.Counter(listed)
    surplus.subtract(wanted)
    placed = []
    for number, entry in enumerate(listed):
        if number not in untouched and (entry in own or surplus[entry] > 0):
            surplus[entry] -= 1
            placed.append(number)
    return placed


def _slot(number, anchors, before, own, places, renamed):
    """Return before which new entry the one at ``number`` in ``before`` goes, between what it stood between.

    ``anchors``: the places in ``before`` of the entries that were not moved, in order; ``places``: dict of new entry, in
    normal form, -> place.
    """
    in_front = [anchor for anchor in anchors if anchor < number]
    behind = [anchor for anchor in anchors if anchor > number]

    def found(numbers):
        names = (normal(renamed(before[anchor])) for anchor in numbers)
        return [places[name] for name in names if name in places]

    def of_user(numbers):
        return [places[normal(before[anchor])] for anchor in numbers if normal(before[anchor]) in own]

    end = max(places.values()) + 1 if places else 0
    user_in_front, user_behind = of_user(in_front), of_user(behind)
    after_last, to_next = [place + 1 for place in found(reversed(in_front))], found(behind)
    # What a module of the node has more stands with its other entries: in front of the own ones, or behind them.
    candidates = to_next + after_last if user_behind else after_last + to_next
    slot = end if not behind else 0 if not in_front else candidates[0] if candidates else end
    return max([min([slot] + user_behind)] + [place + 1 for place in user_in_front])


def _by_runs(before, own, after, renamed):
    """Return the entries as merge() does, without what the modules had made.

    Entries of modules stand in runs between the user's own. Each new one goes into the run of the old one that it
    stands for, or of its neighbour, in the order in which the modules were loaded. So what the user put in front
    stays in front, and what was behind stays behind.
    """
    runs, kept = _split(before, own)
    place = {}
    for number, run in enumerate(runs):
        for entry in run:
            place.setdefault(renamed(entry), number)
            place.setdefault(entry, number)
    # What only the node's modules have goes where the first or the last entries of modules are.
    first = next((number for number, run in enumerate(runs) if run), 0)
    filled = [[] for _run in runs]
    taken = set()
    after_runs = _split(after, own)[0]
    for number, run in enumerate(after_runs):
        default = len(runs) - 1 if 0 < number == len(after_runs) - 1 else first
        where = next((place[entry] for entry in run if entry in place), default)
        for entry in run:
            where = place.get(entry, where)
            if entry not in taken:
                filled[where].append(entry)
                taken.add(entry)
    merged = list(filled[0])
    for number, run in zip(kept, filled[1:]):
        merged.append(before[number])
        merged.extend(run)
    return merged


def in_order(entries_of, own, before):
    """Return ``entries_of`` (list) with the ``own`` ones (set, in normal form) in the order of ``before`` (list).

    Those that are not in ``before`` are left out.
    """
    first = {normal(entry): number for number, entry in reversed(list(enumerate(before))) if normal(entry) in own}
    kept = [entry for entry in entries_of if normal(entry) in first or normal(entry) not in own]
    ordered = iter(sorted((entry for entry in kept if normal(entry) in own), key=lambda entry: first[normal(entry)]))
    return [next(ordered) if normal(entry) in own else entry for entry in kept]


def each_once(listed):
    """Return ``listed`` (list) with only the last one of equal entries."""
    kept = []
    seen = set()
    for entry in reversed(listed):
        if normal(entry) not in seen:
            seen.add(normal(entry))
            kept.append(entry)
    return kept[::-1]


def entries(value):
    """Return the entries of a variable's ``value`` (str or None).

    As the module tool reads it, an empty entry at the end is one, however it is written (Lmod 8.6.19 and 9.2.9, utils.lua,
    path2pathA()).
    """
    if not value:
        return []
    stripped = value.rstrip(":")
    listed = stripped.split(":") if stripped else []
    return listed if stripped == value else listed + [""]


def joined(listed, like):
    """Return the value of a variable with the entries ``listed`` (list).

    The module tool writes an empty entry at the end with two colons (Var.lua, expand()), people write it with one: so is
    it where the value ``like`` (str or None) has it so.
    """
    if not listed or listed[-1]:
        return ":".join(listed)
    is_peoples = (like or "").endswith(":") and not (like or "").endswith("::")
    return ":".join(listed[:-1]) + (":" if is_peoples else "::")


def normal(entry):
    """Return ``entry`` in the form that Lmod gives it: no double slash, no /./, no slash at its end."""
    entry = entry.strip()
    while "//" in entry or "/./" in entry:
        entry = entry.replace("//", "/").replace("/./", "/")
    return entry.rstrip("/") or entry[:1]


def _split(listed, own):
    """Return (runs of module entries, places of the own entries): a run before, between and behind the own ones each.

    ``own``: entries in normal form.
    """
    runs, kept = [[]], []
    for number, entry in enumerate(listed):
        if normal(entry) in own:
            kept.append(number)
            runs.append([])
        else:
            runs[-1].append(entry)
    return runs, kept
