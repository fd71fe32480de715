# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later

"""What tests of the report share."""

import pytest

from ansible_collections.eessi.arch_guard.plugins.plugin_utils.report import answer, build, shape


@pytest.fixture
def report():
    """Return a function that builds the report of facts and Answers: (things, and the options of build.build)."""

    def make(*things, **options):
        checker = shape.Checker()
        answers = [
            thing if isinstance(thing, answer.Answer)
            else answer.Answer(thing["node"], answer.OK, "", checker.checked(thing))
            for thing in things
        ]
        return build.build(answers, "2026-01-02T03:04:05Z", build.source_of_ansible(), **options)

    return make
