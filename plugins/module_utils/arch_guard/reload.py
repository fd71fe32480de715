# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: BSD-2-Clause

"""The loaded modules, loaded again for the node: the environment of a fresh load, or nothing at all."""

from . import path_list
from . import settings as eessi
from .environment import Rewriting, Stages, changes
from .errors import GuardError
from .lmod import HIDDEN, LmodFailed, ModuleTool
from .messages import not_available
from .text import clean

PURGE = ["--force", "purge"]
CPU = "EESSI_SOFTWARE_SUBDIR"
ACCELERATOR = "EESSI_ACCEL_SUBDIR"


class ReloadFailed(GuardError):
    """The modules were not loaded again; the text is the reason."""


class Reloaded(object):
    """``changes``: dict of name -> new value, None to unset; ``still_old``: names of the variables that lead into the
    old target's tree all the same, sorted.
    """

    def __init__(self, changed, still_old):
        self.changes = changed
        self.still_old = still_old


def reload(settings, detection, node, deadline):
    """Return what loads the modules of ``node.environ`` for the targets of ``detection``, as Reloaded.

    Nothing outside of child processes is changed. Raises ReloadFailed where the end state would not be that of a
    fresh load of the same modules.
    """
    return _Reload(settings, detection, node, deadline).run()


class _Reload(object):
    """One reload; the steps share what they found out."""

    def __init__(self, settings, detection, node, deadline):
        self._settings = settings
        self._node = node
        self._deadline = deadline
        self._incoming = node.environ
        self._modules = path_list.entries(self._incoming.get("LOADEDMODULES"))
        self._files = path_list.entries(self._incoming.get("_LMFILES_"))
        self._old_cpu = self._incoming.get(CPU, "")
        self._cpu = detection.cpu.target
        self._pin = detection.cpu.pin
        self._old_accelerator = self._incoming.get(ACCELERATOR, "")
        # None: the user chose the accelerator, and the module tool will see that choice too.
        self._accelerator = None if detection.accelerator is None else detection.accelerator.target
        self._is_directory = {}
        self._tool = ModuleTool(self._command(), self._incoming, node)

    def run(self):
        """Return the Reloaded."""
        start = self._tool.start_environment(self._is_outside)
        try:
            purged = self._tool.run(start, [PURGE], {}, self._deadline)
        except LmodFailed as failed:
            raise ReloadFailed("the modules could not be unloaded: %s" % failed) from failed
        if not self._modules or purged.get(CPU):
            raise ReloadFailed("EESSI was set up by its init script and not as a module, which cannot be done again here")
        base, load = self._plan(purged, self._for_this_target)
        try:
            loaded = self._load_for_node(base, load)
        except LmodFailed as failed:
            raise ReloadFailed(self._why(base, load, "the module tool says: %s" % failed)) from failed
        there = path_list.entries(loaded.get("LOADEDMODULES"))
        lost = [name for name in self._modules if name not in there]
        if lost:
            # Not for lack of it, if a module that came later took its place.
            raise ReloadFailed(self._why(base, load, "loading the others took away %s" % clean(", ".join(lost), 3000)))
        rewriting = self._rewriting(loaded)
        self._check(loaded, rewriting)
        own = path_list.entries(purged.get("MODULEPATH"))
        stages = Stages(self._with_moved(own, self._incoming), self._with_moved(own, purged), loaded, HIDDEN, rewriting)
        if not stages.is_told():
            reference = None if self._is_other_family() else self._reference(purged)
            if reference is None:
                stages.refer_to_counts()
            else:
                stages.refer_to(self._with_moved(own, reference))
        result = stages.combine()
        self._leave_other_family(result)
        return Reloaded(changes(self._incoming, result), self._still_old(result, rewriting))

    # The module tool

    def _command(self):
        """Return the path of the node's own Lmod; raise ReloadFailed where there is none."""
        command = self._incoming.get("LMOD_CMD", "")
        if not command.startswith("/"):
            raise ReloadFailed("LMOD_CMD is not set to the path of Lmod")
        own = self._own_family(command)
        if not self._node.files([own], self._deadline)[0]:
            if own != command:
                raise ReloadFailed(
                    "LMOD_CMD is for %s, and there is no Lmod for %s at %s" % (_family(self._old_cpu), _family(self._cpu), own)
                )
            raise ReloadFailed("there is no Lmod at %s on this node" % own)
        return own

    def _is_other_family(self):
        return _family(self._old_cpu) != _family(self._cpu)

    def _compat(self, cpu):
        return "%s/compat/%s/%s" % (self._settings.prefix, self._settings.os_type, _family(cpu))

    def _own_family(self, value):
        """Return ``value`` (path or list of paths) with the compatibility layer of the node's processor family."""
        if not self._is_other_family():
            return value
        return Rewriting([(self._compat(self._old_cpu), self._compat(self._cpu))]).entry(value)

    def _is_outside(self, directory):
        """Tell whether programs in ``directory`` can be trusted to run on this node."""
        if not self._is_other_family():
            return True
        return not (directory + "/").startswith(eessi.repository_of(self._settings.prefix) + "/")

    def _load_for_node(self, base, commands):
        return self._tool.run(self._without_options(base), commands, self._node_pins(), self._deadline)

    # What is loaded, and how

    def _plan(self, purged, moved):
        """Return (environment to start from, list of Lmod commands that load the modules).

        ``moved``: function from a directory of the user's modules to the one to use in its place.
        """
        base = dict(purged)
        own = path_list.entries(purged.get("MODULEPATH"))
        first = self._number_of_leading()
        in_front = self._in_front(own)
        if not first or not in_front:
            base["MODULEPATH"] = ":".join(moved(directory) for directory in own)
            return base, [["load"] + self._modules]
        # The user put directories in front of EESSI's: modules of the same name come from there.
        needed_before = [
            directory for directory in in_front
            if any(path.startswith(directory + "/") for path in self._files[:first])
        ]
        front = [directory for directory in in_front if directory not in needed_before]
        base["MODULEPATH"] = ":".join(moved(directory) for directory in own if directory not in front)
        commands = [["load"] + self._modules[:first]]
        commands += [["use", moved(directory)] for directory in reversed(in_front)]
        commands += [["load"] + self._modules[first:]] if self._modules[first:] else []
        return base, commands

    def _number_of_leading(self):
        """Return how many of the modules come up to and with EESSI itself, 0 where none has that name."""
        numbers = [number for number, name in enumerate(self._modules, 1) if name.partition("/")[0] == "EESSI"]
        return numbers[-1] if numbers else 0

    def _in_front(self, own):
        """Return those of the ``own`` module directories that stand in front of all that modules added."""
        found = []
        for directory in path_list.entries(self._incoming.get("MODULEPATH")):
            if path_list.normal(directory) not in own:
                return found
            found.append(directory)
        return []

    def _with_moved(self, own, environment):
        """Return ``environment`` with the user's ``own`` directories of modules for the node's CPU target."""
        return dict(environment, MODULEPATH=":".join(
            self._for_this_target(directory) if path_list.normal(directory) in own else directory
            for directory in path_list.entries(environment.get("MODULEPATH"))
        ))

    def _for_this_target(self, directory):
        """Return the user's ``directory`` for the node's CPU target, where it is one of a tree that has one each."""
        moved = (directory + "/").replace("/%s/" % self._old_cpu, "/%s/" % self._cpu)[:-1]
        if moved == directory:
            return directory
        if moved not in self._is_directory:
            # Each look is a child process.
            self._is_directory[moved] = self._node.directories([moved], [True], self._deadline)[0][0]
        return moved if self._is_directory[moved] else directory

    def _node_pins(self):
        # Not the accelerator, although it is known: Lmod would then not learn how to unload what the wrapper sets.
        return {"EESSI_SOFTWARE_SUBDIR_OVERRIDE": self._pin} if self._pin else {}

    def _old_pins(self):
        pins = {"EESSI_SOFTWARE_SUBDIR_OVERRIDE": self._old_cpu}
        if self._accelerator is not None:
            pins[eessi.ACCELERATOR_PIN] = self._old_accelerator
        return pins

    def _without_options(self, environment):
        if self._pin:
            # Left over from the login node it would outrank the pin.
            environment = dict(environment)
            environment.pop("EESSI_ARCHDETECT_OPTIONS", None)
        return environment

    # What came of it

    def _check(self, loaded, rewriting):
        """Raise ReloadFailed unless the modules are loaded for the targets of this node."""
        there = path_list.entries(loaded.get("LOADEDMODULES"))
        files = dict(zip(there, path_list.entries(loaded.get("_LMFILES_"))))
        old = [name for name in self._modules if self._is_of_old_target(files.get(name, ""), rewriting)]
        if old:
            raise ReloadFailed(not_available(old))
        if loaded.get(CPU) != self._cpu:
            raise ReloadFailed("the EESSI module chose %s" % (loaded.get(CPU) or "no CPU target"))
        if self._accelerator is not None and loaded.get(ACCELERATOR, "") != self._accelerator:
            raise ReloadFailed("the EESSI module chose %s" % (loaded.get(ACCELERATOR) or "no accelerator"))

    def _reference(self, purged):
        """Return the environment (dict of str) with the modules that came in, loaded for the old target; None where that
        cannot be made: else it would tell the user's settings from those of modules by nothing.
        """
        base, load = self._plan(purged, str)
        pins = self._old_pins()
        try:
            reference = self._tool.run(base, load, pins, self._deadline)
            brought = [name for name in path_list.entries(reference.get("LOADEDMODULES")) if name not in self._modules]
            if brought:
                # The user unloaded what other modules had brought.
                reference = self._tool.run(reference, [["--force", "unload"] + brought], pins, self._deadline)
        except LmodFailed:
            return None
        is_alike = set(path_list.entries(reference.get("LOADEDMODULES"))) == set(self._modules)
        return reference if is_alike and reference.get(CPU) == self._old_cpu else None

    def _is_of_old_target(self, path, rewriting):
        if rewriting.is_old(path):
            return True
        return self._old_cpu != self._cpu and "/%s/" % self._old_cpu in path

    def _why(self, base, load, complaint):
        """Return the reason why Lmod did not ``load`` the modules: those that are not there, else the ``complaint``."""
        leading = self._modules[:self._number_of_leading()]
        uses = [command for command in load if command[0] == "use"]
        try:
            eessi_alone = self._load_for_node(base, [["load"] + leading] + uses) if leading else base
        except LmodFailed as failed:
            return "the module tool says: %s" % failed
        rewriting = self._rewriting(eessi_alone)
        directories = [
            directory for directory in path_list.entries(eessi_alone.get("MODULEPATH"))
            if not self._is_of_old_target(directory + "/", rewriting)
        ]
        missing = [
            name for name, path in zip(self._modules, self._files) if not self._is_there(name, path, directories, rewriting)
        ]
        return not_available(missing) if missing else complaint

    def _is_there(self, name, path, directories, rewriting):
        """Tell whether the module ``name``, loaded from the file ``path``, can be had for this target."""
        places = ["%s/%s%s" % (directory, name, ending) for directory in directories for ending in (".lua", "")]
        # A module may be in a directory that only another module adds.
        moved = self._for_this_target(rewriting.entry(path))
        if not self._is_of_old_target(moved, rewriting):
            places.append(moved)
        return any(self._node.files(places, self._deadline))

    def _rewriting(self, loaded):
        """Return the Rewriting of the old target's directories into those of ``loaded``."""
        software = self._settings.software
        old_software, new_software = "%s/%s" % (software, self._old_cpu), "%s/%s" % (software, self._cpu)
        pairs = self._installations(loaded)
        for name in ("EESSI_SITE_MODULEPATH_ACCEL", "EESSI_MODULEPATH_ACCEL"):
            old, new = self._incoming.get(name, ""), loaded.get(name)
            pairs.append((_above_modules(old), None if new is None else _above_modules(new)))
        pairs.append((self._incoming.get("EESSI_SITE_SOFTWARE_PATH", ""), loaded.get("EESSI_SITE_SOFTWARE_PATH")))
        pairs.append((old_software, new_software))
        if self._is_other_family():
            pairs.append((self._compat(self._old_cpu), self._compat(self._cpu)))
        return Rewriting(pairs)

    def _installations(self, loaded):
        """Return a pair for each module of where EasyBuild puts its software: it may have another tree now."""
        there = path_list.entries(loaded.get("LOADEDMODULES"))
        files = dict(zip(there, path_list.entries(loaded.get("_LMFILES_"))))
        return [
            tuple("%s/software/%s" % (_tree(path), name.partition("/")[0]) for path in (old, files[name]))
            for name, old in zip(self._modules, self._files) if _tree(old) and _tree(files.get(name, ""))
        ]

    def _leave_other_family(self, result):
        """Turn what still points into the compatibility layer of another processor family to that of the node."""
        if self._is_other_family():
            for name in result:
                result[name] = self._own_family(result[name])

    @staticmethod
    def _still_old(result, rewriting):
        return sorted(name for name in result if rewriting.is_old(result[name]))


def _family(cpu):
    return cpu.partition("/")[0]


def _tree(module_file):
    return module_file.rpartition("/modules/all/")[0]


def _above_modules(directory):
    return directory[:-len("/modules/all")] if directory.endswith("/modules/all") else directory
