# Copyright (c) 2026 eessi.arch_guard contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Make the report on a fleet, on the control node."""

import contextlib
import os
import time

from ansible.errors import AnsibleActionFail
from ansible.plugins.action import ActionBase
from ansible.utils.display import Display

from ..plugin_utils.report import build, files, from_ansible, from_lines, shape, terminal

ARGUMENTS = {
    "dest": {"type": "path", "required": True},
    "hosts": {"type": "list", "elements": "str"},
    "register": {"type": "str", "default": "eessi_arch_guard_answer"},
    "facts_files": {"type": "list", "elements": "path"},
    "login_hosts": {"type": "list", "elements": "str", "default": []},
    "scontrol_file": {"type": "path"},
}


class ActionModule(ActionBase):
    """Facts that Ansible gathered, or files of them -> report.html, report.csv, report.json and slurm_features.txt."""

    TRANSFERS_FILES = False
    _supports_check_mode = True
    _requires_connection = False

    def run(self, tmp=None, task_vars=None):
        """Return the result of the task; see the documentation of the module of this name."""
        result = super().run(tmp, task_vars)
        given = self.validate_argument_spec(
            ARGUMENTS, mutually_exclusive=[["hosts", "facts_files"]], required_one_of=[["hosts", "facts_files"]]
        )[1]
        directory = os.path.abspath(given["dest"])
        report = self._report(given, task_vars)
        answered = report["totals"]["answered"]
        written = files.render(report)
        where = os.path.join(directory, files.PAGE)
        if self._task.check_mode:
            said = "check mode, nothing is written; else the page would be %s" % where
        else:
            self._write(directory, written)
            said = "Report: %s" % where
        for line in terminal.render(report) + ["", said]:
            Display().display(line)
        result.update(
            changed=True,
            page=where,
            files=[os.path.join(directory, name) for name in written],
            totals=report["totals"],
            damaged=report["source"]["damaged"],
        )
        if not answered:
            result.update(failed=True, msg="no node answered with facts, so nothing was audited; %s" % said)
        return result

    def _report(self, given, task_vars):
        checker = shape.Checker()
        made = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        scontrol = self._text(given["scontrol_file"]) if given["scontrol_file"] else None
        if given["facts_files"]:
            read = self._read(given["facts_files"], checker)
            answers, source = read.answers, build.source_of_files(given["facts_files"], read)
        else:
            hostvars = task_vars["hostvars"]
            answers = [
                answer
                for host in given["hosts"]
                for answer in from_ansible.answers(host, hostvars.raw_get(host).get(given["register"]), checker)
            ]
            source = build.source_of_ansible()
        return build.build(answers, made, source, given["login_hosts"], scontrol)

    @staticmethod
    def _read(paths, checker):
        try:
            with contextlib.ExitStack() as stack:
                return from_lines.read([(path, stack.enter_context(open(path, "rb"))) for path in paths], checker)
        except OSError as error:
            raise AnsibleActionFail("a file with facts cannot be read: %s" % error) from error

    @staticmethod
    def _text(path):
        try:
            with open(path, encoding="utf-8", errors="replace") as file:
                return file.read()
        except OSError as error:
            raise AnsibleActionFail("the answer of scontrol cannot be read: %s" % error) from error

    @staticmethod
    def _write(directory, written):
        try:
            files.write(directory, written)
        except OSError as error:
            raise AnsibleActionFail("the report cannot be written: %s" % error) from error
