# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: BSD-2-Clause

"""Environments as plain dicts: what a reload makes of the one that came in."""

import base64
import collections

from . import path_list

PATH_COUNT = "__LMOD_REF_COUNT_"
# Values that pushenv set aside, the latest first, each in base64.
STACK = "__LMOD_STACK_"
# What a shell keeps for itself: it differs from process to process and means nothing to a task.
SHELL_OWN = frozenset(("_", "SHLVL", "PWD", "OLDPWD"))
MODULE_TOOL_PREFIXES = ("_ModuleTable", "__LMOD_", "LMOD_FAMILY_")
MODULE_TOOL_NAMES = frozenset(("LOADEDMODULES", "_LMFILES_"))


def is_module_tools(name):
    """Tell whether ``name`` is bookkeeping of the module tool, which is taken over as a whole."""
    return name in MODULE_TOOL_NAMES or name.startswith(MODULE_TOOL_PREFIXES)


class Rewriting(object):
    """How directories of the old target become those of the new one.

    ``pairs``: list of (old, new) directories, str, a directory before the one that holds it; new is None where there
    is no such directory for the new target.
    """

    def __init__(self, pairs):
        self._directories = [old for old, _new in pairs if old]
        self._pairs = [(old, new) for old, new in pairs if old and old != new]

    def entry(self, value):
        """Return ``value``, a path or a list of paths, with each old directory replaced by the new one."""
        return ":".join(self._moved(part) for part in value.split(":"))

    def is_gone(self, path):
        """Tell whether ``path`` is in an old directory for which there is none for the new target."""
        return next((new is None for old, new in self._pairs if _is_within(path, old)), False)

    def is_of_modules(self, path):
        """Tell whether ``path`` is in a directory of the old target, whether or not the new one has another."""
        return any(_is_within(path, old) for old in self._directories)

    def is_old(self, value):
        """Tell whether a path in ``value`` leads into an old directory."""
        return any(_is_within(part, old) for part in value.split(":") for old, _new in self._pairs)

    def _moved(self, path):
        for old, new in self._pairs:
            if new is not None and _is_within(path, old):
                return new + path[len(old):]
        return path


def _is_within(path, directory):
    return path == directory or path.startswith(directory + "/")


class Stages(object):
    """One environment (dict of str) at the stages of a reload.

    ``incoming``: what the task brought; ``purged``: the same without its modules; ``loaded``: ``purged`` with the
    modules loaded for the node; ``hidden``: names that were kept from the module tool's processes (a set). Later also
    ``reference``: ``purged`` with the modules loaded for the old target.
    """

    def __init__(self, incoming, purged, loaded, hidden):
        self.incoming = incoming
        self.purged = self._with_hidden(incoming, purged, hidden)
        self.loaded = self._with_hidden(incoming, loaded, hidden)
        self.reference = None
        self._is_counted = False
        self._made = loaded
        self._made_before = None
        self._hidden = hidden

    def refer_to(self, reference):
        """Let ``reference`` (dict of str) tell what of the incoming environment was the modules' and what the user's."""
        self.reference = self._with_hidden(self.incoming, reference, self._hidden)
        self._made_before = reference

    def refer_to_counts(self):
        """Without a reference: let the module tool's counts tell what the paths were after the last module command."""
        self._is_counted = True

    @staticmethod
    def _with_hidden(incoming, stage, hidden):
        whole = {name: incoming[name] for name in hidden if name in incoming}
        whole.update(stage)
        return whole

    def is_told_by(self, rewriting):
        """Tell whether ``rewriting`` alone explains all that differs, so that a reference would tell nothing more."""
        return all(self._is_explained(name, rewriting) for name in set(self.incoming) | set(self.loaded))

    def _is_explained(self, name, rewriting):
        before, after = self.incoming.get(name), self.loaded.get(name)
        is_path = self._is_path(name)
        # A hidden variable can be the same by chance: the user's entry, and a module's in its place.
        if before == after and not (is_path and name in self._hidden) or name in SHELL_OWN or is_module_tools(name):
            return True
        if is_path:
            listed, own, new = self._path(name, rewriting)
            if name in self._hidden and own.intersection(new):
                # Its values without modules are not known: the entry may be a module's as well as the user's.
                return False
            made = [entry for entry in map(path_list.normal, listed) if entry not in own]
            moved = [rewriting.entry(entry) for entry in made if not rewriting.is_gone(entry)]
            return len(made) == len(set(made)) and moved == [entry for entry in new if path_list.normal(entry) not in own]
        return name.startswith("EESSI_") or (before is not None and after is not None and rewriting.entry(before) == after)

    def combine(self, rewriting):
        """Return the environment after the reload.

        A variable keeps the value it came in with where the user set or changed it, that is where it differs from
        the reference.
        """
        result = {}
        for name in set(self.incoming) | set(self.loaded):
            value = self._combined(name, rewriting)
            if value is not None:
                result[name] = value
        return result

    def _combined(self, name, rewriting):
        before, after = self.incoming.get(name), self.loaded.get(name)
        if name in SHELL_OWN:
            return before
        if name.startswith(PATH_COUNT) and name[len(PATH_COUNT):] in self._hidden and self.reference is not None:
            return self._combined_counts(name)
        if is_module_tools(name):
            return after
        if self._is_path(name):
            return self._combined_path(name, rewriting)
        if name.startswith("EESSI_") and not before == self.purged.get(name) == after:
            # The EESSI module's own account of the node, which the pin of the reference changes.
            return after
        return before if before == after or self._is_users(name, rewriting) else after

    def _is_path(self, name):
        return PATH_COUNT + name in self.loaded or PATH_COUNT + name in self.incoming

    def _is_users(self, name, rewriting):
        """Tell whether the user, and not a module, made the variable what it came in as."""
        before, after = self.incoming.get(name), self.loaded.get(name)
        if self.reference is not None:
            return before != self.reference.get(name) and not self._is_left_behind(name, rewriting)
        if before is None or after is None or before == self.purged.get(name):
            return False
        return not rewriting.is_old(before) and rewriting.entry(before) != after

    def _is_left_behind(self, name, rewriting):
        """Tell whether the module tool put back a module's value that it had set aside, although that module is gone."""
        if name not in self.incoming or STACK + name not in self.incoming:
            return False
        before, aside = self.incoming[name], self.incoming[STACK + name].split(":")
        value = base64.b64encode(before.encode("utf-8", "surrogateescape")).decode()
        if aside[0] == value:
            # The first is the present one, unless the user changed it.
            return before != self.purged.get(name)
        return value in aside and rewriting.is_of_modules(before)

    def _combined_path(self, name, rewriting):
        if name not in self.incoming and self._was_made(name):
            return None
        before, own, after = self._path(name, rewriting)
        twice = self._brought_once_more(name) & own
        own = own - twice
        made = [entry for entry in self._made_by_modules(name) if path_list.normal(entry) not in twice]
        of_modules = {path_list.normal(entry) for entry in made} - own
        if of_modules and of_modules.isdisjoint(map(path_list.normal, before)):
            # None is left: the user set it anew.
            return self.incoming.get(name)
        taken_out = self._taken_out(made, before, rewriting)
        after = [entry for entry in after if path_list.normal(entry) not in taken_out]
        merged = path_list.merge(before, own, made, after, rewriting.entry)
        if not merged and name not in self._made:
            return None
        return ":".join(merged)

    def _brought_once_more(self, name):
        """Return the entries (a set) that the user put in after the last module, and that a module brings on this node only.

        The module tool, which finds them there, would take them for entries that were there before its modules.
        """
        counted, now = (_counts(stage.get(PATH_COUNT + name)) for stage in (self.incoming, self.loaded))
        if not counted or name in self._hidden:
            return set()
        return {entry for entry, count in now.items() if count > 1 and entry not in counted}

    def _combined_counts(self, name):
        """Return how often each entry of a hidden variable is in use: by modules, and once more where it was the user's too."""
        before, made, after = (_counts(stage.get(name)) for stage in (self.incoming, self._made_before, self._made))
        for entry in after:
            if entry in made:
                after[entry] += max(0, before.get(entry, 0) - made[entry])
        return ";".join("%s:%d" % counted for counted in after.items()) or None

    def _path(self, name, rewriting):
        """Return the entries that came in (list), those that are not a module's (set, normal form), and the new ones (list)."""
        before = path_list.entries(self.incoming.get(name))
        if name in self._hidden:
            after = path_list.entries(self._made.get(name))
            own = self._own_of_hidden(name, before, rewriting)
        else:
            after = path_list.entries(self.loaded.get(name))
            own = path_list.entries(self.purged.get(name))
        return before, {path_list.normal(entry) for entry in own}, after

    def _was_made(self, name):
        """Tell whether modules had made the path-like variable, so that it is the user who took away one that is gone."""
        if self.reference is not None:
            return name in self.reference
        return self._is_counted and PATH_COUNT + name in self.incoming

    def _made_by_modules(self, name):
        """Return the entries of the reference, where there is none those that the module tool counted, if they are known."""
        if self._is_counted and name not in self._hidden:
            return list(_counts(self.incoming.get(PATH_COUNT + name)))
        reference = self._made_before if name in self._hidden else self.reference
        return [] if reference is None else path_list.entries(reference.get(name))

    @staticmethod
    def _taken_out(made, before, rewriting):
        """Return the entries (a set) that modules made and the user took out, as they are called for the new target."""
        kept = {path_list.normal(entry) for entry in before}
        gone = {path_list.normal(entry) for entry in made} - kept
        return {rewriting.entry(entry) for entry in gone} - {rewriting.entry(entry) for entry in kept}

    def _own_of_hidden(self, name, before, rewriting):
        if self._made_before is not None:
            made = set(path_list.entries(self._made_before.get(name)))
            return [entry for entry in before if path_list.normal(entry) not in made]
        return [entry for entry in before if not rewriting.is_old(entry)]


def _counts(value):
    """Return the module tool's count of each entry of a path-like variable, in its order (OrderedDict of str -> int)."""
    listed = (counted.rpartition(":") for counted in (value or "").split(";"))
    return collections.OrderedDict((entry, int(count)) for entry, _colon, count in listed if count.isdigit())


def changes(incoming, result):
    """Return what turns ``incoming`` into ``result``: dict of name -> new value, None for a variable to unset."""
    return {
        name: result.get(name)
        for name in set(incoming) | set(result)
        if incoming.get(name) != result.get(name)
    }
