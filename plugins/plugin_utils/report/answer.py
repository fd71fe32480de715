# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later

"""What came back from one node for one EESSI version."""

OK = "ok"
FAILED = "failed"
UNREACHABLE = "unreachable"


class Answer(object):
    """``node``: str, its name; ``outcome``: OK, FAILED or UNREACHABLE; ``message``: one line, why it is not OK;
    ``facts``: the facts as shape.checked returns them, None where there are none.
    """

    def __init__(self, node, outcome, message="", facts=None):
        self.node = node
        self.outcome = outcome
        self.message = message
        self.facts = facts
