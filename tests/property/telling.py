# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A story as it goes on the login node, and as it should have gone on the job's node.

The second is the measure for the guard: the story straightened. The modules that came to be loaded are loaded in their
order, by one command for each run of them, and everything else that the user did is done in between at the same places
of that list. What this would not even make on the login node as it came to be there is no measure: modules that went
again can leave the user's entries of a path elsewhere.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from harness.scenario import compare
from harness.shell import ShellError
from property.model import Do, Load, Unload, Use
from property.world import COMPUTE, LOGIN

NUMBERED = re.compile(r"m\d+")
PATH_COUNT = "__LMOD_REF_COUNT_"
PIN = "EESSI_SOFTWARE_SUBDIR_OVERRIDE"


class NoMeasure(Exception):
    """A story that has no counterpart on the job's node: modules were loaded in another order than they are listed, what
    the environment was after the last of them is not to be seen, or they can be loaded there by one command alone.
    """


@dataclass(frozen=True)
class Told:
    """incoming: the environment that a job brings to its node. fresh: what it should be there, None where the modules
    cannot be loaded on that node; there: what EESSI itself makes of that node, if not more; missing: the modules that
    are not there for its target, in load order. is_measure: function from the name of a variable that tells whether the
    straightened story makes it on the login node as it came in.
    """

    incoming: dict[str, str]
    fresh: dict[str, str] | None
    there: dict[str, str]
    missing: tuple[str, ...]
    is_measure: Callable[[str], bool]


def tell(world, story):
    """Let the story happen; the compute node is entered then. Raises NoMeasure."""
    world.tell(story)
    environment = world.login(story.login)
    commands = [_command(event, world, LOGIN) for event in story.events]
    steps = world.shell.steps(commands, environment)
    incoming = world.shell.arrive(steps[-1].environment, story.compute)
    names = _names(incoming)
    done = _with_effect(story.events, steps, environment)
    login = world.login(story.compute)
    fresh = _straightened(world, done, names, login, COMPUTE)
    if fresh and any(_is_ambiguous(name, incoming, fresh) for name in incoming):
        raise NoMeasure
    there = fresh or _eessi_alone(world, done, names, login)
    missing = _missing(world, incoming, there)
    if fresh is None and not missing and _can_be_loaded_at_once(world, done, names, login):
        raise NoMeasure

    @cache
    def straightened():
        made = _straightened(world, done, names, world.login(story.login), LOGIN)
        return made and world.shell.arrive(made, story.compute)

    def is_measure(name):
        made = straightened()
        return made is not None and made.get(name) == incoming.get(name)

    return Told(incoming, None if missing else fresh, there, missing, is_measure)


def _command(event, world, side):
    match event:
        case Load(names):
            return f"module load {' '.join(names)}"
        case Unload(name):
            return f"module unload {name}"
        case Use(place, at_end):
            return f"module use {'-a ' if at_end else ''}{world.used(place, side)}"
        case Do(command):
            return command
    raise TypeError(event)


def _names(environment):
    return [name for name in environment.get("LOADEDMODULES", "").split(":") if name]


def _with_effect(events, steps, environment):
    """[(event, names of the modules loaded then)] for what is not a load. An event that changed nothing is none."""
    done = []
    for event, step in zip(events, steps, strict=True):
        if isinstance(event, Use):
            done.append((event, _names(step.environment)))
        elif isinstance(event, Do) and compare(step.environment, environment):
            # What it came to it comes to wherever the story is told again.
            done.append((Do(event.effect or event.command), _names(step.environment)))
        elif isinstance(event, Load) and done and _loads_again(event, environment, step.environment):
            raise NoMeasure
        environment = step.environment
    return done


def _loads_again(event, before, after):
    """Whether a module was loaded that was there already: Lmod unloads it, and loads it behind what happened since."""
    names, now = _names(before), _names(after)
    if [name for name in names if name in now] != [name for name in now if name in names]:
        return True
    if len(event.names) > 1:
        here = {name.partition("/")[0] for name in names}
        return any(NUMBERED.search(name)[0] in here for name in event.names)
    return names == now and bool(compare(before, after))


def _is_ambiguous(name, incoming, fresh):
    """Whether `name` is a path with an entry of the user's that a module has on the node only, where no module had any.

    A fresh load has the entry once if the user put it in before the module came, and twice if after.
    """
    count = PATH_COUNT + name
    if count in incoming or count not in fresh:
        return False
    brought = {counted.rpartition(":")[0] for counted in fresh[count].split(";")}
    return not brought.isdisjoint(incoming[name].split(":"))


def _pinned(world, command, side):
    """`command` (of modules) so that it takes the CPU target that the guard takes."""
    return f"{PIN}={world.cpu_target(COMPUTE)} {command}" if side == COMPUTE and world.is_pinned() else command


def _straightened(world, done, names, login, side):
    commands, loaded = [], 0
    for event, then in done:
        kept = [name for name in then if name in names]
        count = len(kept)
        if kept != names[:count]:
            raise NoMeasure
        commands += _load(world, names[loaded:count], side)
        loaded = max(loaded, count)
        commands.append(_command(event, world, side))
    commands += _load(world, names[loaded:], side)
    try:
        made = world.shell.run(commands, login)
    except ShellError:
        return None
    return made if set(names) <= set(_names(made)) else None


def _load(world, names, side):
    return [_pinned(world, f"module load {' '.join(names)}", side)] if names else []


def _can_be_loaded_at_once(world, done, names, login):
    """Whether one command after EESSI loads the modules: Lmod does not miss one that a later one takes the place of."""
    leading = [name.startswith("EESSI/") for name in names]
    until = names[:leading.index(True) + 1] if any(leading) else []
    return _straightened(world, [(event, until) for event, _then in done if isinstance(event, Use)], names, login, COMPUTE)


def _eessi_alone(world, done, names, login):
    """The environment with EESSI and the user's directories of modules, for the sake of its MODULEPATH."""
    leading = [name for name in names if name.startswith("EESSI/")]
    # What EESSI is told comes before it is loaded.
    told, uses = ([_command(event, world, COMPUTE) for event, _then in done if wanted(event)] for wanted in (
        lambda event: isinstance(event, Do) and "EESSI_" in event.command, lambda event: isinstance(event, Use),
    ))
    return world.shell.run([*told, *_load(world, leading, COMPUTE), *uses], login)


def _missing(world, incoming, environment):
    """The modules of `incoming` for which no directory in MODULEPATH of `environment` has a file, or where a directory
    of the user's for the other target comes first.
    """
    foreign = f"/{world.cpu_target(LOGIN)}/" if world.cpu_target(LOGIN) != world.cpu_target(COMPUTE) else "\n"
    places = [Path(one) for one in environment["MODULEPATH"].split(":") if one and foreign not in f"{one}/"]
    files = [Path(one).name for one in incoming.get("_LMFILES_", "").split(":")]
    taken = dict(zip(_names(environment), environment.get("_LMFILES_", "").split(":"), strict=True))
    # Some Lmods list a hidden module by the alias that it was loaded by, hence the file's own name.
    return tuple(
        name for name, file in zip(_names(incoming), files, strict=False)
        if foreign in taken.get(name, "") or not any((place / name.partition("/")[0] / file).is_file() for place in places)
    )
