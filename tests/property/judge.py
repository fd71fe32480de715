# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Run the guard on a story, and say what is wrong with its answer."""

from harness.applier import apply, run_as_task_prolog
from harness.scenario import GUARD_VARIABLES, behaves_alike, compare
from harness.step import ask_two_tasks
from property.telling import NoMeasure, tell

RELOADED, FAILED = GUARD_VARIABLES
PREFIX = "eessi-arch-guard: "
NOT_AVAILABLE = "not available for this target: "
UNCHANGED = "; environment left as it was"


def judge(world, story, guard):
    """Raises AssertionError for a wrong answer, NoMeasure. Returns the kind of answer that was right.

    guard: the arguments of the program.
    """
    told = tell(world, story)
    homes = sorted(world.shell.home.iterdir())
    ask = _ask_for_a_step if story.is_shared else _ask
    applied = ask(guard, told.incoming)
    _expect("files in the home directory", sorted(world.shell.home.iterdir()), homes)
    if not told.incoming.get("EESSI_SOFTWARE_SUBDIR"):
        _expect_silence(applied, told.incoming)
        return "EESSI not loaded"
    loaded, node = _target(told.incoming), _target(told.there)
    if loaded == node:
        _expect_silence(applied, told.incoming)
        return "match"
    if told.fresh is None:
        _judge_failure(told, applied)
        return "missing modules" if told.missing else "cannot be loaded"
    differences = compare(applied.environment, told.fresh, GUARD_VARIABLES)
    _expect(f"differences after {applied.printed}", [one for one in differences if told.is_measure(one.name)], [])
    if differences:
        raise NoMeasure
    labels = {name: applied.environment.get(name) for name in GUARD_VARIABLES}
    _expect("labels", labels, {RELOADED: _label(loaded, node), FAILED: None})
    _expect_silence(ask(guard, applied.environment), applied.environment)
    if not story.looks_on:
        return "reload"
    commands = _look(told.fresh)
    _expect("to behave alike", behaves_alike(world.shell, applied.environment, told.fresh, commands, GUARD_VARIABLES), [])
    return "reload, looked on"


def _ask(guard, environment):
    status, output = run_as_task_prolog(guard, environment)
    _expect("the status", status, 0)
    return apply(output, environment, strict=True)


def _ask_for_a_step(guard, environment):
    """What the first of two tasks of a step gets; the second has to get the same from what the first left."""
    first, second, answers = ask_two_tasks(lambda incoming: _ask(guard, incoming), environment)
    _expect("what the second task has otherwise", compare(second.environment, first.environment), [])
    _expect("text for the second task", second.printed, [])
    if environment.get("EESSI_SOFTWARE_SUBDIR"):
        _expect("number of answers", answers, 1)
    return first


def _expect(what, actual, wanted):
    if actual != wanted:
        raise AssertionError(f"{what}: {actual}, expected {wanted}")


def _expect_silence(applied, before):
    _expect("changes", compare(applied.environment, before), [])
    _expect("text", applied.printed, [])


def _judge_failure(told, applied):
    _expect(f"changes after {applied.printed}", compare(applied.environment, told.incoming, [FAILED]), [])
    _expect("new variables", applied.environment.keys() - told.incoming.keys(), {FAILED})
    _expect("number of messages", len(applied.printed), 1)
    said = applied.printed[0]
    _expect(f"the form of {said}", (said.startswith(PREFIX), said.endswith(UNCHANGED)), (True, True))
    _before, _form, named = said.removesuffix(UNCHANGED).partition(NOT_AVAILABLE)
    _expect(f"what is not available in {said}", named, ", ".join(told.missing))


def _target(environment):
    return environment["EESSI_SOFTWARE_SUBDIR"], environment.get("EESSI_ACCEL_SUBDIR", "")


def _label(loaded, node):
    if loaded[1] == node[1]:
        return f"{loaded[0]}->{node[0]}"
    return "->".join(f"{cpu} {accelerator or 'no accel'}" for cpu, accelerator in (loaded, node))


def _look(environment):
    """Module commands that show what Lmod knows of the modules: the last one and one amid them go and come."""
    names = environment["LOADEDMODULES"].split(":")
    chosen = dict.fromkeys((names[-1], names[len(names) // 2]))
    again = [f"module {action} {name}" for name in chosen for action in ("unload", "load")]
    return ["module list", *again, "module --force purge"]
