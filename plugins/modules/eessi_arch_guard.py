#!/usr/bin/python
# Copyright (c) 2026 eessi.arch_guard contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

DOCUMENTATION = r"""
module: eessi_arch_guard
short_description: Report which EESSI CPU and accelerator target a node gets, and why
version_added: 1.0.0
description:
  - Asks the C(eessi_archdetect.sh) of the EESSI version for the CPU and accelerator targets of the node, drops the CPU
    targets whose code needs the C(waitpkg) instructions where the node lacks them, and reports the first target that
    is installed.
  - The answer is the one on which the guard acts when a job starts on that node.
  - A node that has no EESSI, a mount that hangs or a detection that gives no usable answer is reported by status and
    reason in the same facts. Such a node does not fail, unless O(fail_on) says so.
author:
  - eessi.arch_guard contributors (@EESSI)
options:
  prefix:
    description:
      - Directory of the EESSI version, for example V(/cvmfs/software.eessi.io/versions/2025.06).
      - Has to be an absolute path without a C(..) segment.
      - By default the newest version in C(/cvmfs/software.eessi.io/versions).
    type: str
  init_prefix:
    description:
      - Directory that holds C(eessi_archdetect.sh).
      - By default C(init) in O(prefix).
    type: str
  os_type:
    description:
      - Directory below C(software) in O(prefix).
    type: str
    default: linux
  proc_cpuinfo:
    description:
      - File that is read in place of C(/proc/cpuinfo), by the detection and by the C(waitpkg) check.
      - Has to be an absolute path.
      - By default the value of the environment variable E(EESSI_PROC_CPUINFO), else C(/proc/cpuinfo).
    type: str
  machine_type:
    description:
      - Machine type that the detection assumes in place of what C(uname -m) prints, for example V(aarch64).
    type: str
  timeout:
    description:
      - How many seconds the detection may take.
      - A node is reported after at most two seconds more, whatever hangs.
    type: int
    default: 20
  loaded_cpu:
    description:
      - CPU target for which modules were loaded elsewhere, for example on the login node.
      - Adds a verdict to the facts, that is what the guard would do with a job that brings these modules.
    type: str
  loaded_accelerator:
    description:
      - Accelerator target for which modules were loaded elsewhere. An empty string stands for no accelerator.
      - When it is not given the accelerator is left out of the verdict.
    type: str
  fail_on:
    description:
      - Statuses of the CPU or accelerator target for which the task fails.
      - The facts of a failed node are in RV(ansible_facts) of the failed result as well.
    type: list
    elements: str
    choices: [archdetect-failed, no-software-dir]
    default: []
attributes:
  check_mode:
    support: full
    details:
      - Nothing is changed in any mode.
  diff_mode:
    support: none
    details:
      - There is nothing to show, since nothing is changed.
  facts:
    support: full
  platform:
    support: full
    platforms: posix
extends_documentation_fragment:
  - ansible.builtin.action_common_attributes
  - ansible.builtin.action_common_attributes.facts
notes:
  - The name of this module does not end in C(_facts), although it returns facts. It has the name of the program whose
    view of the node it reports.
  - When run with privileges it starts no program but the C(eessi_archdetect.sh) below O(init_prefix), in an
    environment of its own.
seealso:
  - name: EESSI documentation
    description: What EESSI is, and which targets it is built for.
    link: https://www.eessi.io/docs/
"""

EXAMPLES = r"""
- name: Report what the node is
  eessi.arch_guard.eessi_arch_guard:

- name: Show the CPU target that a job gets there
  ansible.builtin.debug:
    msg: "{{ ansible_facts.eessi_arch_guard.cpu.target }}"

- name: Tell what happens to a job that comes from a login node with zen4
  eessi.arch_guard.eessi_arch_guard:
    loaded_cpu: x86_64/amd/zen4
    loaded_accelerator: ""

- name: Stop where EESSI cannot be used
  eessi.arch_guard.eessi_arch_guard:
    prefix: /cvmfs/software.eessi.io/versions/2025.06
    fail_on:
      - archdetect-failed
      - no-software-dir
"""

RETURN = r"""
ansible_facts:
  description: The facts of the node.
  returned: always
  type: dict
  contains:
    eessi_arch_guard:
      description: What the node is, and why.
      returned: always
      type: dict
      contains:
        node:
          description: Name of the node, as it calls itself.
          returned: always
          type: str
          sample: node001
        cpu:
          description: The CPU target.
          returned: always
          type: dict
          contains:
            status:
              description: One of V(ok), V(archdetect-failed) and V(no-software-dir).
              returned: always
              type: str
              sample: ok
            reason:
              description: Why the status is not V(ok), in one line. Empty for V(ok).
              returned: always
              type: str
              sample: ""
            target:
              description: The CPU target whose software runs on this node. V(null) when the status is not V(ok).
              returned: always
              type: str
              sample: x86_64/intel/icelake
            unfiltered_target:
              description: The CPU target that EESSI's own module picks, V(null) where it finds none.
              returned: always
              type: str
              sample: x86_64/intel/sapphirerapids
            candidates:
              description: The CPU targets that the detection offers, best first.
              returned: always
              type: list
              elements: dict
              contains:
                name:
                  description: Name of the candidate.
                  returned: always
                  type: str
                  sample: x86_64/intel/sapphirerapids
                installed:
                  description: Whether it has a software directory. V(null) where that could not be told.
                  returned: always
                  type: bool
                  sample: true
                excluded:
                  description: Whether the C(waitpkg) check dropped it.
                  returned: always
                  type: bool
                  sample: true
                missing_flags:
                  description: The CPU flags for lack of which it is excluded.
                  returned: always
                  type: list
                  elements: str
                  sample: [waitpkg]
            excluded:
              description: Names of the candidates that the C(waitpkg) check dropped.
              returned: always
              type: list
              elements: str
              sample: [x86_64/intel/sapphirerapids]
            pin:
              description: The target that a reload on this node has to pin, V(null) where it need not.
              returned: always
              type: str
              sample: x86_64/intel/icelake
        accelerator:
          description: The accelerator target.
          returned: always
          type: dict
          contains:
            status:
              description: One of V(ok), V(none) and V(archdetect-failed).
              returned: always
              type: str
              sample: ok
            reason:
              description: Why there is no target, in one line.
              returned: always
              type: str
              sample: ""
            target:
              description: The accelerator target as the detection prints it, V(null) when the status is not V(ok).
              returned: always
              type: str
              sample: accel/nvidia/cc86
            installed_target:
              description:
                - The accelerator target that EESSI's module uses for it, V(null) where none is installed.
              returned: always
              type: str
              sample: accel/nvidia/cc80
            archdetect_status:
              description: Exit status of the accelerator detection. V(null) where it did not come to its end.
              returned: always
              type: int
              sample: 0
        cpuinfo:
          description: What the CPU flags say.
          returned: always
          type: dict
          contains:
            path:
              description: The file that was read.
              returned: always
              type: str
              sample: /proc/cpuinfo
            logical_cpus:
              description: Number of logical CPUs in it. V(0) where it does not tell.
              returned: always
              type: int
              sample: 96
            flags_lines:
              description: Number of lines with CPU flags in it.
              returned: always
              type: int
              sample: 96
            uniform:
              description: Whether all logical CPUs have the same flags. V(null) where no flags were read.
              returned: always
              type: bool
              sample: true
            hypervisor:
              description:
                - Whether the CPU says that a hypervisor presents it, which can hide flags. V(null) where no flags were
                  read, or where the processor has no flag for that, as on aarch64.
              returned: always
              type: bool
              sample: false
            missing_march_flags:
              description:
                - For each installed x86_64 candidate the CPU flags that GCC may use for it and that this node lacks.
                - This is information. Only C(waitpkg) is a reason to exclude a candidate.
              returned: always
              type: dict
              sample: {"x86_64/intel/sapphirerapids": ["waitpkg"]}
        eessi:
          description: The EESSI version that was looked at.
          returned: always
          type: dict
          contains:
            version:
              description: Its version, V(null) where there is no EESSI and none was named.
              returned: always
              type: str
              sample: "2025.06"
            prefix:
              description: Its directory, V(null) where there is no EESSI and none was named.
              returned: always
              type: str
              sample: /cvmfs/software.eessi.io/versions/2025.06
            init_prefix:
              description: The directory of its detection script, V(null) where there is none.
              returned: always
              type: str
              sample: /cvmfs/software.eessi.io/versions/2025.06/init
            os_type:
              description: The directory below C(software).
              returned: always
              type: str
              sample: linux
            archdetect_version:
              description: The version of the detection script, V(null) where it does not tell.
              returned: always
              type: str
              sample: 1.2.0
        prolog:
          description: The guard as Slurm's TaskProlog on this node.
          returned: always
          type: dict
          contains:
            installed:
              description: Whether the guard is installed.
              returned: always
              type: bool
              sample: false
            version:
              description: Version of the installed guard, V(null) where there is none or its record cannot be read.
              returned: always
              type: str
              sample: null
            path:
              description: The program that Slurm starts, V(null) as the version.
              returned: always
              type: str
              sample: null
            intact:
              description:
                - Whether the installed files are those of the version they claim to be.
                - V(null) where nothing is installed or the files do not answer.
              returned: always
              type: bool
              sample: null
            wired:
              description:
                - Whether TaskProlog of the Slurm configuration leads to the guard.
                - V(null) where nothing is installed or that cannot be told.
              returned: always
              type: bool
              sample: null
        verdict:
          description:
            - What the guard would do with a job that brings modules for O(loaded_cpu) and O(loaded_accelerator).
            - One of V(match), V(reload) and V(failure), V(null) where neither option is given.
          returned: always
          type: str
          sample: reload
        label:
          description: The label of that verdict, empty for V(match), V(null) where neither option is given.
          returned: always
          type: str
          sample: x86_64/amd/zen4->x86_64/intel/icelake
        guard_version:
          description: Version of the guard logic that made these facts.
          returned: always
          type: str
          sample: 1.0.0
        warnings:
          description: What else an admin should know about the node, one line each.
          returned: always
          type: list
          elements: str
          sample: ["the logical CPUs of this node have different flags"]
"""

import time

from ansible.module_utils.basic import AnsibleModule

from ansible_collections.eessi.arch_guard.plugins.module_utils.arch_guard import facts, installation
from ansible_collections.eessi.arch_guard.plugins.module_utils.arch_guard.node import (
    Node,
    environment_of_this_process,
)

# What of the timeout the look at the installed guard may take.
PROLOG_SHARE = 0.25


def main():
    """Report the facts of this node."""
    module = AnsibleModule(
        argument_spec={
            "prefix": {"type": "str"},
            "init_prefix": {"type": "str"},
            "os_type": {"type": "str", "default": "linux"},
            "proc_cpuinfo": {"type": "str"},
            "machine_type": {"type": "str"},
            "timeout": {"type": "int", "default": facts.DEFAULT_TIMEOUT},
            "loaded_cpu": {"type": "str"},
            "loaded_accelerator": {"type": "str"},
            "fail_on": {"type": "list", "elements": "str", "choices": list(facts.PROBLEMS), "default": []},
        },
        supports_check_mode=True,
    )
    options = dict(module.params)
    unwanted = options.pop("fail_on")
    begin = time.monotonic()
    prolog = installation.describe(limit=min(installation.TIME_LIMIT, options["timeout"] * PROLOG_SHARE))
    options["timeout"] -= time.monotonic() - begin
    gathered = facts.gather(facts.Options(**options), Node(environment_of_this_process()), prolog)
    problems = facts.problems(gathered, unwanted)
    if problems:
        module.fail_json(msg="; ".join(problems), ansible_facts={"eessi_arch_guard": gathered})
    module.exit_json(changed=False, ansible_facts={"eessi_arch_guard": gathered})


if __name__ == "__main__":
    main()
