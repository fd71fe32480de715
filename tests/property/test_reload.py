# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whatever the user loaded and did, the environment is that of a fresh load on the job's node, or stays as it was."""

import os
from collections import Counter

import pytest
from hypothesis import HealthCheck, assume, given, seed, settings

from harness.launcher import write_launcher
from harness.lmod import find_lmods
from property.judge import judge
from property.strategies import stories
from property.telling import NoMeasure
from property.world import World

LMODS = find_lmods()
EXAMPLES = int(os.environ.get("ARCH_GUARD_PROPERTY_EXAMPLES", "300"))
SEED = int(os.environ.get("ARCH_GUARD_PROPERTY_SEED", "0"))
# So many can run side by side. The number is fixed: with it the examples are the same on every machine.
PARTS = 10


@pytest.mark.skipif(not LMODS, reason="no Lmod on this machine")
@pytest.mark.parametrize("lmod", LMODS, ids=lambda lmod: lmod.name)
@pytest.mark.parametrize("part", range(PARTS))
def test_the_environment_is_that_of_a_fresh_load(tmp_path, lmod, part):
    world = World(tmp_path, lmod)
    # What a busy machine makes of its usual time limit is not in question here.
    guard = [str(write_launcher(tmp_path / "guard", timeout=100))]
    kinds, unmeasured = Counter(), []

    @seed(SEED * PARTS + part)
    @settings(
        max_examples=-(-EXAMPLES // PARTS), deadline=None, database=None, report_multiple_bugs=False,
        # An example takes seconds, and one in some has no measure.
        suppress_health_check=list(HealthCheck),
    )
    @given(stories())
    def check(story):
        try:
            kind = judge(world, story, guard)
        except NoMeasure:
            unmeasured.append(story.events)
            assume(False)
        kinds[kind] += 1

    check()
    print(f"\nseed {SEED}, part {part}, Lmod {lmod.version}: {dict(kinds)}, without measure: {len(unmeasured)}")
    # Else the stories have become such that there is little to see.
    assert kinds["reload"] + kinds["reload, looked on"] >= kinds.total() / 3
