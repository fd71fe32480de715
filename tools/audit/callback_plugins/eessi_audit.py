# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ansible callback that writes one JSON line for each host, for a program to read instead of a person."""

import json
import os

from ansible.plugins.callback import CallbackBase

DOCUMENTATION = r"""
name: eessi_audit
type: stdout
short_description: Result of one task as one JSON line per host
description:
  - Appends one JSON object per line to the file that the environment variable E(EESSI_AUDIT_RESULTS) names.
  - A host that was reached gives C(host), C(outcome) (C(ok) or C(failed)), C(message) and C(facts).
  - A host that was not reached gives C(host), C(outcome) (C(unreachable)) and C(message).
  - The last line is C({"end": true}); where it is missing, Ansible did not come to its end.
author:
  - eessi.arch_guard contributors
"""


class CallbackModule(CallbackBase):
    """Collects; shows nothing."""

    CALLBACK_VERSION = 2.0
    CALLBACK_TYPE = "stdout"
    CALLBACK_NAME = "eessi_audit"

    def v2_runner_on_ok(self, result):
        self._write_host(result, "ok")

    def v2_runner_on_failed(self, result, ignore_errors=False):
        self._write_host(result, "failed")

    def v2_runner_on_unreachable(self, result):
        self._write_host(result, "unreachable")

    def v2_playbook_on_stats(self, stats):
        self._write({"end": True})

    def _write_host(self, result, outcome):
        answer = result._result
        self._write(
            {
                "host": result._host.get_name(),
                "outcome": outcome,
                "message": str(answer.get("msg", "")),
                "facts": answer.get("ansible_facts", {}).get("eessi_arch_guard"),
            }
        )

    @staticmethod
    def _write(record):
        with open(os.environ["EESSI_AUDIT_RESULTS"], "a", encoding="utf-8") as results:
            results.write(json.dumps(record) + "\n")
