# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The property test can fail: it sees what is wrong with guards whose output was spoilt."""

import pytest

from harness.launcher import write_launcher
from harness.lmod import find_lmods
from property.judge import judge
from property.model import CPU, OWN_TARGETS, SITE, Do, Load, Module, Story, Unload, Use
from property.telling import NoMeasure
from property.world import World
from sample.modules import Software
from sample.nodes import SampleNode

LMODS = find_lmods()
ZEN4, ZEN2 = (SampleNode(name, "x86_64", name) for name in ("zen4", "zen2"))
BASE = Software("m0", "1.0", setenv={"M0_MODE": "on"})
TOP = Software("m1", "1.0", depends_on=("m0/1.0",), pushenv={"CC": "{installdir}/bin/cc"})
OTHER = Software("m2", "1.0")
LAST = Software("m3", "1.0", loads=("m2/1.0",))
EVENTS = (
    Do("export CC=gcc"), Load(("m2",)), Load(("EESSI",)), Load(("m1",)), Do("export PATH=/home/user/one:$PATH"),
    Do("export M0_MODE=mine"), Do("export OMP_NUM_THREADS=3"),
)


def story(*modules, events=EVENTS):
    targets = ("x86_64/amd/zen4", "x86_64/amd/zen2", "x86_64/generic")
    return Story(ZEN4, ZEN2, targets, (), modules, events, looks_on=True, is_shared=True)


def module(software, place=CPU, on_node=CPU):
    return Module(software, place, on_node, software)


COMPLETE = story(module(BASE), module(TOP), module(OTHER, SITE, SITE))
INCOMPLETE = story(
    module(BASE, CPU, None), module(TOP), module(OTHER, CPU, None), module(LAST),
    events=(Load(("EESSI",)), Load(("m1", "m3"))),
)
# The user's own directory for the old target is no place to load from, although there is none for the new one.
NOWHERE = story(
    module(BASE, OWN_TARGETS, None), module(OTHER, CPU, None),
    events=(Load(("EESSI",)), Use(OWN_TARGETS), Load(("m2",)), Load(("m0",))),
)
# A module of the same family came later and took the place of one that is still listed in front of it.
DISPLACED = story(
    module(Software("m0", "1.0", family="mpi"), SITE, SITE), module(Software("m1", "1.0", family="mpi")),
    module(Software("m3", "1.0", depends_on=("m0",))),
    module(Software("m4", "1.0", depends_on=("m1",), lua=('if not isloaded("m3/1.0") then load("m3/1.0") end',))),
    events=(Load(("EESSI",)), Load(("m4",))),
)
# The second takes the place of one that the node does not have, which Lmod 8 misses only without it in the same command.
AT_ONCE = story(
    module(Software("m0", "1.0"), OWN_TARGETS, None), module(Software("m0", "2.0"), OWN_TARGETS, OWN_TARGETS),
    module(Software("m1", "1.0", loads=("m0/1.0",))),
    events=(Load(("EESSI",)), Use(OWN_TARGETS), Load(("m1",)), Use(OWN_TARGETS), Load(("m0/2.0",))),
)
# A module in another of EESSI's trees on the node, and its entry in front of one that the user put behind.
MOVED = story(
    Module(Software("m0", "1.0", append_path={"MADE_UP_PATH": ("share",)}), OWN_TARGETS, CPU,
           Software("m0", "1.0", append_path={"MADE_UP_PATH": ("share",)})),
    events=(Use(OWN_TARGETS), Load(("EESSI",)), Load(("m0",)), Do("export MADE_UP_PATH=$MADE_UP_PATH:/home/user/one")),
)
TAKEN_OUT = story(
    module(Software("m0", "1.0", prepend_path={"PATH": ("bin",), "LD_LIBRARY_PATH": ("lib",)})),
    events=(Load(("EESSI",)), Load(("m0",)), Do("export LD_LIBRARY_PATH=/home/user/mine")),
)
# What went again left the user's entry in front of EESSI's, where a straightened story does not put it.
LEFT_ELSEWHERE = story(
    module(Software("m0", "1.0", prepend_path={"PATH": ("/opt/common/lib",)})),
    events=(Do("export PATH=/opt/common/lib:$PATH"), Load(("EESSI",)), Load(("m0",)), Unload("m0")),
)
# A module went, and comes again where the story is straightened. It has the same entry as the user, who puts it in where
# it is not: there it is then, and nothing tells whether the user would have it twice.
COMES_AGAIN = story(
    module(Software("m0", "1.0", prepend_path={"MADE_UP_PATH": ("/opt/common/lib",)}), SITE, SITE),
    module(Software("m1", "1.0", loads=("m0/1.0",))),
    module(Software("m2", "1.0", prepend_path={"MADE_UP_PATH": ("bin",)})),
    events=(
        Load(("EESSI",)), Load(("m1",)), Unload("m0"),
        Do('[ "$MADE_UP_PATH" ] || export MADE_UP_PATH=/opt/common/lib',
           effect="export MADE_UP_PATH=/opt/common/lib:$MADE_UP_PATH"),
        Load(("m2",)), Unload("m2"),
    ),
)
# The node has the same target, and the modules could not be loaded in this state again.
MATCH_AS_IT_IS = Story(
    ZEN4, ZEN2, ("x86_64/amd/zen2", "x86_64/generic"), (), (module(BASE), module(Software("m1", "1.0", prereqs=("m0",)))),
    (Load(("EESSI",)), Load(("m0",)), Load(("m1",)), Unload("m0")), True, True,
)
MATCH = Story(ZEN4, SampleNode("zen4-too", "x86_64", "zen4"), ("x86_64/amd/zen4", "x86_64/generic"), (), (), EVENTS, True, True)


@pytest.fixture(scope="module", params=LMODS, ids=lambda lmod: lmod.name)
def lmod(request):
    return request.param


@pytest.fixture(scope="module")
def world(lmod, tmp_path_factory):
    return World(tmp_path_factory.mktemp("world"), lmod)


def spoilt(directory, sed):
    """The command of a guard whose output goes through a command of sed."""
    return script(directory, f"'{write_launcher(directory)}' | sed '{sed}'")


def script(directory, text):
    """The command of a guard that is a script of sh."""
    path = directory / "script"
    path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    path.chmod(0o755)
    return [str(path)]


@pytest.mark.parametrize("told, kind", [
    (COMPLETE, "reload, looked on"), (MOVED, "reload, looked on"), (TAKEN_OUT, "reload, looked on"),
    (INCOMPLETE, "missing modules"), (NOWHERE, "missing modules"), (DISPLACED, "cannot be loaded"), (MATCH, "match"),
    (MATCH_AS_IT_IS, "match"),
])
def test_the_guard_itself_is_right(tmp_path, world, told, kind):
    assert judge(world, told, [str(write_launcher(tmp_path))]) == kind


@pytest.mark.parametrize("told, sed, complaint", [
    pytest.param(COMPLETE, "/^export _LMFILES_=/d", r"differences .*_LMFILES_", id="files of the old target"),
    pytest.param(
        COMPLETE, r"s#^export PATH=\(/home/user/one\):\(.*\)#export PATH=\2:\1#", "differences .*PATH",
        id="the user's entry behind",
    ),
    pytest.param(COMPLETE, "/^export EBROOTM2=/d; s/^export EBROOTM1=.*/unset EBROOTM1/", "EBROOTM1", id="a lost variable"),
    pytest.param(COMPLETE, "$ a export M0_MODE=on", "M0_MODE", id="the user's value lost"),
    pytest.param(COMPLETE, "$ a unset __LMOD_STACK_CC", "alike: .*CC", id="what Lmod will put back"),
    pytest.param(COMPLETE, "s/^unset .*//; /^export _ModuleTable/d", "differences|alike", id="what Lmod knows"),
    pytest.param(COMPLETE, "/^export EESSI_ARCH_GUARD_RELOADED=/d", "labels", id="no label"),
    pytest.param(COMPLETE, "d", "differences", id="nothing done"),
    pytest.param(INCOMPLETE, "s#m0/1.0, ##", "not available", id="a missing module is not named"),
    pytest.param(INCOMPLETE, "s#m0/1.0, m2/1.0#m2/1.0, m0/1.0#", "not available", id="not in load order"),
    pytest.param(INCOMPLETE, "s#m2/1.0#m2/1.0, m3/1.0#", "not available", id="a dependent is named as missing"),
    pytest.param(INCOMPLETE, "1 i export EBROOTM0=/", "changes after", id="half a change"),
    pytest.param(INCOMPLETE, "1 i export NEW=1", "changes after", id="something left behind"),
])
def test_a_wrong_answer_is_seen(tmp_path, world, told, sed, complaint):
    with pytest.raises(AssertionError, match=complaint):
        judge(world, told, spoilt(tmp_path, sed))


@pytest.mark.parametrize("line, complaint", [
    pytest.param('[ "$SLURM_LOCALID" = 0 ] || exit 0', "the second task", id="nothing for the second task"),
    pytest.param("SLURM_LOCALID=0", "text for the second task", id="said twice"),
    pytest.param("unset SLURM_STEP_TASKS_PER_NODE", "number of answers", id="each task on its own"),
])
def test_a_wrong_answer_to_the_second_task_of_a_step_is_seen(tmp_path, world, line, complaint):
    with pytest.raises(AssertionError, match=complaint):
        judge(world, COMPLETE, script(tmp_path, f"{line}\nexec '{write_launcher(tmp_path)}'"))


def test_what_a_straightened_story_does_not_make_is_no_measure(tmp_path, world):
    with pytest.raises(NoMeasure):
        judge(world, LEFT_ELSEWHERE, [str(write_launcher(tmp_path))])
    # For the other variables it is one.
    with pytest.raises(AssertionError, match="differences .*EESSI_SOFTWARE_PATH"):
        judge(world, LEFT_ELSEWHERE, spoilt(tmp_path, "/^export EESSI_SOFTWARE_PATH=/d"))


def test_what_only_one_command_loads_is_no_measure(tmp_path, world, lmod):
    guard = [str(write_launcher(tmp_path))]
    if int(lmod.version.partition(".")[0]) >= 9:
        # It misses the module all the same.
        assert judge(world, AT_ONCE, guard) == "cannot be loaded"
        return
    with pytest.raises(NoMeasure):
        judge(world, AT_ONCE, guard)


def test_an_entry_of_the_user_or_of_a_module_that_comes_again_is_no_measure(tmp_path, world):
    with pytest.raises(NoMeasure):
        judge(world, COMES_AGAIN, [str(write_launcher(tmp_path))])


def test_a_match_that_is_spoken_of_is_seen(tmp_path, world):
    with pytest.raises(AssertionError, match="text"):
        judge(world, MATCH, script(tmp_path, "echo print hello"))
