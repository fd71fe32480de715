#!/usr/bin/python
# Copyright (c) 2026 eessi.arch_guard contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

DOCUMENTATION = r"""
module: eessi_arch_guard_report
short_description: Write a report on a fleet from the facts of its nodes
version_added: 1.0.0
description:
  - Makes one page, a CSV file and a JSON file from the facts of M(eessi.arch_guard.eessi_arch_guard) that Ansible
    gathered, or from files with one JSON line a node as C(eessi-arch-guard facts) prints it.
  - The page tells which targets the nodes have, which nodes would hurt a job, which lack the guard, and what to do.
  - Hosts that could not be reached, and lines that could not be read, are part of the report.
  - Shows a short summary in the terminal.
author:
  - eessi.arch_guard contributors (@EESSI)
options:
  dest:
    description:
      - Directory on the control node for C(report.html), C(report.csv), C(report.json) and C(slurm_features.txt).
      - It is made where it is missing. Files of these names are replaced.
    type: path
    required: true
  hosts:
    description:
      - Names of the hosts that were asked.
      - Exactly one of O(hosts) and O(facts_files) is needed.
    type: list
    elements: str
  register:
    description:
      - Name of the variable that the task with M(eessi.arch_guard.eessi_arch_guard) registered.
      - A task that looped over several EESSI versions gives a row for each version.
    type: str
    default: eessi_arch_guard_answer
  facts_files:
    description:
      - Files on the control node with the facts of one node a line.
      - In front of a line may stand what C(srun -l) or C(clush) put there.
      - A damaged line is counted and named. Of several lines for one node and EESSI version the last counts.
    type: list
    elements: path
  login_hosts:
    description:
      - Names of login nodes, or patterns such as V(login*).
      - With these the report tells for each login and compute node what the guard does with a job.
    type: list
    elements: str
    default: []
  scontrol_file:
    description:
      - File on the control node with the output of C(scontrol show node -o).
      - With it the report tells how the features of the nodes in Slurm differ from their targets.
    type: path
attributes:
  action:
    support: full
  async:
    support: none
  bypass_host_loop:
    support: none
  check_mode:
    support: full
    details:
      - In check mode the summary is shown and nothing is written.
  diff_mode:
    support: none
    details:
      - The files are made anew each time.
  platform:
    support: full
    platforms: posix
extends_documentation_fragment:
  - ansible.builtin.action_common_attributes
  - ansible.builtin.action_common_attributes.flow
notes:
  - The task fails where no node at all gave facts. The report is written all the same.
seealso:
  - module: eessi.arch_guard.eessi_arch_guard
"""

EXAMPLES = r"""
- name: Ask all hosts and write the report
  hosts: all
  gather_facts: false
  tasks:
    - name: Ask what the node is
      eessi.arch_guard.eessi_arch_guard:
      register: eessi_arch_guard_answer
      ignore_unreachable: true

    - name: Write the report
      eessi.arch_guard.eessi_arch_guard_report:
        dest: /var/tmp/eessi-report
        hosts: "{{ ansible_play_hosts_all }}"
        login_hosts: [login*]
      run_once: true

- name: Write the report from what srun brought
  hosts: localhost
  gather_facts: false
  tasks:
    - name: Write the report
      eessi.arch_guard.eessi_arch_guard_report:
        dest: /var/tmp/eessi-report
        facts_files: [facts.jsonl]
        scontrol_file: nodes.txt
"""

RETURN = r"""
page:
  description: Path of the page.
  returned: success
  type: str
  sample: /var/tmp/eessi-report/report.html
files:
  description: Paths of all files of the report.
  returned: success
  type: list
  elements: str
  sample: [/var/tmp/eessi-report/report.html, /var/tmp/eessi-report/report.csv]
totals:
  description: How many nodes there are, and of how many each thing is true.
  returned: success
  type: dict
  sample: {"nodes": 300, "login": 2, "answered": 299, "unreachable": 1, "would_hurt": 12, "unguarded": 3}
damaged:
  description: How many lines of O(facts_files) could not be read.
  returned: success
  type: int
  sample: 0
"""
