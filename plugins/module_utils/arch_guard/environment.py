# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: BSD-2-Clause

"""Environments as plain dicts: what a reload makes of the one that came in."""

import base64

from . import loader_path, path_edits, path_list
from .loader_path import LoaderPath
from .path_counts import PATH_COUNT, left_by_modules

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
    modules loaded for the node; ``hidden``: names that were kept from the module tool's processes (a set);
    ``rewriting``: what it makes of directories of the old target. Later also ``reference``: ``purged`` with the modules
    loaded for the old target.
    """

    def __init__(self, incoming, purged, loaded, hidden, rewriting):
        self.incoming = incoming
        self._as_made = purged, loaded
        self._hidden = hidden
        self._rewriting = rewriting
        self._loader = LoaderPath(incoming)
        self._is_counted = False
        self._look(None)

    def refer_to(self, reference):
        """Let ``reference`` (dict of str) tell what of the incoming environment was the modules' and what the user's."""
        self._look(reference)

    def refer_to_counts(self):
        """Without a reference: take it that the user put nothing among the modules' entries while they were loaded."""
        self._is_counted = True

    def _look(self, reference):
        users = self._loader.users(reference, self._rewriting.is_old)
        purged, loaded = self._as_made
        self._made = self._loader.uncovered(loaded, users)
        self._made_before = reference and self._loader.uncovered(reference, users)
        self.purged = self._with_hidden(self._loader.uncovered(purged, users))
        self.loaded = self._with_hidden(self._made)
        self.reference = None if reference is None else self._with_hidden(self._made_before)

    def _with_hidden(self, stage):
        whole = {name: self.incoming[name] for name in self._hidden if name in self.incoming}
        whole.update(stage)
        return whole

    def is_told(self):
        """Tell whether the rewriting alone explains all that differs, so that a reference would tell nothing more."""
        of_loader = path_list.entries(self._as_made[1].get(loader_path.NAME))
        if not self._own(loader_path.NAME).isdisjoint(map(path_list.normal, of_loader)):
            # The entry may be a module's as well as the user's.
            return False
        return all(self._is_explained(name) for name in set(self.incoming) | set(self.loaded))

    def _is_explained(self, name):
        before, after = self.incoming.get(name), self.loaded.get(name)
        is_path = self._is_path(name)
        # A hidden variable can be the same by chance: the user's entry, and a module's in its place.
        if before == after and not (is_path and name in self._hidden) or name in SHELL_OWN or is_module_tools(name):
            return True
        if is_path:
            own, new = self._own(name), path_list.entries(self._made.get(name))
            if name in self._hidden and own.intersection(new):
                # Its values without modules are not known.
                return False
            made = [entry for entry in map(path_list.normal, self._left(name)) if entry not in own]
            moved = [self._rewriting.entry(entry) for entry in made if not self._rewriting.is_gone(entry)]
            return len(made) == len(set(made)) and moved == [entry for entry in new if path_list.normal(entry) not in own]
        if name.startswith("EESSI_"):
            return True
        return before is not None and after is not None and self._rewriting.entry(before) == after

    def combine(self):
        """Return the environment after the reload.

        A variable keeps the value it came in with where the user set or changed it, that is where it differs from
        the reference.
        """
        result = {}
        for name in set(self.incoming) | set(self.loaded):
            value = self._combined(name)
            if value is not None:
                result[name] = value
        return result

    def _combined(self, name):
        before, after = self.incoming.get(name), self.loaded.get(name)
        if name in SHELL_OWN:
            return before
        if is_module_tools(name):
            return after
        if self._is_path(name):
            return self._combined_path(name)
        if name.startswith("EESSI_") and not before == self.purged.get(name) == after:
            # The EESSI module's own account of the node, which the pin of the reference changes.
            return after
        return before if before == after or self._is_users(name) else after

    def _is_path(self, name):
        return PATH_COUNT + name in self.loaded or PATH_COUNT + name in self.incoming

    def _is_users(self, name):
        """Tell whether the user, and not a module, made the variable what it came in as."""
        before, after = self.incoming.get(name), self.loaded.get(name)
        if self.reference is not None:
            return before != self.reference.get(name) and not self._is_left_behind(name)
        if before is None or after is None or before == self.purged.get(name):
            return False
        return not self._rewriting.is_old(before) and self._rewriting.entry(before) != after

    def _is_left_behind(self, name):
        """Tell whether the module tool put back a module's value that it had set aside, although that module is gone."""
        if name not in self.incoming or STACK + name not in self.incoming:
            return False
        before, aside = self.incoming[name], self.incoming[STACK + name].split(":")
        value = base64.b64encode(before.encode("utf-8", "surrogateescape")).decode()
        if aside[0] == value:
            # The first is the present one, unless the user changed it.
            return before != self.purged.get(name)
        return value in aside and self._rewriting.is_of_modules(before)

    def _combined_path(self, name):
        """Return what the variable would have become after the last module on this node, with what the user did since."""
        left = self._left(name)
        if name not in self.incoming and (left or self.reference is not None and name in self.reference):
            # The user took it away.
            return None
        own = self._own(name)
        made, after = self._made_before_by_modules(name), path_list.entries(self._made.get(name))
        if name == "PATH":
            # The module tool was given the system's directories first.
            made, after = (path_list.in_order(listed, own, left) for listed in (made, after))
        after = path_edits.among(left, own, made, after, self._rewriting)
        before = self.incoming.get(name)
        after = path_edits.since(path_list.entries(before), own, left, after, self._rewriting)
        return path_list.joined(after, before) if after or name in self._made else None

    def _left(self, name):
        """Return the entries that the path-like variable had after the last module command."""
        if name in self._hidden:
            return path_list.entries(self.incoming.get(name))
        return left_by_modules(self.incoming, name)

    def _own(self, name):
        """Return the entries (set, normal form) that the path-like variable has without the modules."""
        own = path_list.entries(self.purged.get(name))
        if name in self._hidden and self._made_before is not None:
            made = set(path_list.entries(self._made_before.get(name)))
            own = [entry for entry in own if path_list.normal(entry) not in made]
        elif name in self._hidden:
            own = [entry for entry in own if not self._rewriting.is_old(entry)]
        return {path_list.normal(entry) for entry in own}

    def _made_before_by_modules(self, name):
        """Return the entries that the modules had made of the own ones, none where that is not known."""
        if self._is_counted:
            return self._left(name)
        return [] if self._made_before is None else path_list.entries(self._made_before.get(name))


def changes(incoming, result):
    """Return what turns ``incoming`` into ``result``: dict of name -> new value, None for a variable to unset."""
    return {
        name: result.get(name)
        for name in set(incoming) | set(result)
        if incoming.get(name) != result.get(name)
    }
