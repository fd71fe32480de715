# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: BSD-2-Clause

"""The path of the dynamic loader while the module tool runs: its programs must not load what is built for the old target.

So each entry is covered by one that leads nowhere. The module tool puts those of modules in front of them or behind,
and what comes out is uncovered.
"""

import re

from . import path_list
from .path_counts import PATH_COUNT, counts, left_by_modules

NAME = "LD_LIBRARY_PATH"
COUNTS = PATH_COUNT + NAME
# Nothing is below a file.
NOWHERE = "/dev/null/"
COVER = re.compile(NOWHERE + r"(\d+)(?![^:])")


class LoaderPath(object):
    """The path as the modules left it in ``incoming`` (dict of str)."""

    def __init__(self, incoming):
        self._value = incoming.get(NAME)
        self._entries = left_by_modules(incoming, NAME)
        self._counts = counts(incoming.get(COUNTS))

    def covered(self):
        """Return the value (str) that stands for it."""
        return ":".join("%s%d" % (NOWHERE, number) for number in range(len(self._entries)))

    def users(self, reference, is_old):
        """Return how often others than modules have each entry in use (dict, normal form -> int).

        ``reference``: what the modules of the old target make of the covers (dict of str); None: ``is_old`` (function
        from an entry) tells which entries are theirs.
        """
        made = {} if reference is None else counts(reference.get(COUNTS))
        users = {}
        for entry in map(path_list.normal, self._entries):
            count = self._counts.get(entry, 1) - made.get(entry, 0)
            if count > 0 and not (reference is None and is_old(entry)):
                users[entry] = count
        return users

    def uncovered(self, stage, users):
        """Return ``stage`` (dict of str) as it were without covers.

        Only the entries of ``users`` are uncovered: the others went with their modules. One that a module has too is
        where the module put it, as the module tool does it.
        """
        whole = {name: COVER.sub(self._behind, value) for name, value in stage.items() if name not in (NAME, COUNTS)}
        covered = path_list.entries(stage.get(NAME))
        made = {path_list.normal(entry) for entry in covered}
        listed = []
        for entry in covered:
            behind = COVER.sub(self._behind, entry)
            if behind == entry or path_list.normal(behind) in users and path_list.normal(behind) not in made:
                listed.append(behind)
        if listed or stage.get(NAME) == "":
            whole[NAME] = path_list.joined(listed, self._value)
        if listed and COUNTS in stage:
            times = counts(stage[COUNTS])
            names = [path_list.normal(entry) for entry in listed]
            whole[COUNTS] = ";".join("%s:%d" % (name, times.get(name, 0) + users.get(name, 0)) for name in names)
        return whole

    def _behind(self, cover):
        number = int(cover.group(1))
        return self._entries[number] if number < len(self._entries) else cover.group()
