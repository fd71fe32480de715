# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ansible's usual output, but for what would push the summary of the report off the screen."""

from ansible.plugins.callback.default import CallbackModule as Default

DOCUMENTATION = r"""
name: eessi_audit
type: stdout
short_description: Ansible's usual output, ending with the summary of the report
description:
  - As the callback P(ansible.builtin.default#callback), without a line for each host at the end.
author:
  - eessi.arch_guard contributors
extends_documentation_fragment:
  - default_callback
  - result_format_callback
"""


class CallbackModule(Default):
    """Shows what hosts answer as it comes; the summary, which the report task prints, stays last."""

    CALLBACK_VERSION = 2.0
    CALLBACK_TYPE = "stdout"
    CALLBACK_NAME = "eessi_audit"

    def v2_runner_on_ok(self, result):
        if "page" not in result._result:
            super().v2_runner_on_ok(result)

    def v2_playbook_on_stats(self, stats):
        """Say nothing: the report has it."""
