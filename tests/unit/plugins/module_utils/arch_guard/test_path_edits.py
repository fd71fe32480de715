# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later

"""What was done to a path-like variable before and after the last module command, done again."""

import pytest

from ansible_collections.eessi.arch_guard.plugins.module_utils.arch_guard import path_edits
from ansible_collections.eessi.arch_guard.plugins.module_utils.arch_guard.environment import Rewriting

MOVE = Rewriting([("/e/zen4", "/e/zen2")])
OWN = {"/u", "/bin"}


@pytest.mark.parametrize("done, made, after, expected", [
    # The user put something among the entries of modules.
    ("/e/zen4/b /u /e/zen4/a", "/e/zen4/b /e/zen4/a /u", "/e/zen2/b /e/zen2/a /u", "/e/zen2/b /u /e/zen2/a"),
    # What the user took out stays out.
    ("/e/zen4/a /bin", "/e/zen4/b /e/zen4/a /bin", "/e/zen2/n /e/zen2/b /e/zen2/a /bin", "/e/zen2/n /e/zen2/a /bin"),
    # None of the modules' entries is left: set anew.
    ("/u", "/e/zen4/b /bin", "/e/zen2/n /e/zen2/b /bin", "/u"),
    ("/opt/m /u", "/e/zen4/b /opt/m", "/e/zen2/n /e/zen2/b /opt/m", "/opt/m /u"),
    ("/u", "/opt/m", "/e/zen2/n /opt/m", "/u"),
    # No modules had any.
    ("/u", "/u", "/e/zen2/n /u", "/e/zen2/n /u"),
])
def test_what_was_done_among_the_entries_of_modules(done, made, after, expected):
    assert path_edits.among(done.split(), OWN, made.split(), after.split(), MOVE) == expected.split()


@pytest.mark.parametrize("done, expected", [
    ("/e/zen4/a /bin", "/e/zen2/n /e/zen2/a /bin"),
    ("/u /e/zen4/a /bin /w", "/u /e/zen2/n /e/zen2/a /bin /w"),
    # One that was there already, and one of a module, once more.
    ("/bin /e/zen4/a /e/zen4/a /bin", "/bin /e/zen2/a /e/zen2/n /e/zen2/a /bin"),
    ("/e/zen4/a /w /bin", "/e/zen2/n /e/zen2/a /w /bin"),
    ("/u", "/u"),
])
def test_what_was_done_since_the_last_module_command(done, expected):
    made, after = ["/e/zen4/a", "/bin"], ["/e/zen2/n", "/e/zen2/a", "/bin"]
    assert path_edits.since(done.split(), OWN, made, after, MOVE) == expected.split()


def test_what_was_done_to_a_variable_that_modules_left_empty():
    assert path_edits.since(["/u"], set(), [], ["/e/zen2/n"], MOVE) == ["/e/zen2/n", "/u"]
