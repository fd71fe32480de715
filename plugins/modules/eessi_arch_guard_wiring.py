#!/usr/bin/python
# Copyright (c) 2026 eessi.arch_guard contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

DOCUMENTATION = r"""
module: eessi_arch_guard_wiring
short_description: Set TaskProlog in slurm.conf and take that back
version_added: 1.0.0
description:
  - This module is PRIVATE to the role P(eessi.arch_guard.eessi_arch_guard#role). Do not use it on its own; it may change
    in any release.
  - Sets C(TaskProlog) in a C(slurm.conf). What the site has there is kept as comments and told to the caller, and is
    put back byte for byte with O(state=absent).
  - Lines are matched as Slurm matches them, that is in any letter case and spacing, over continuation lines, and in
    included files. Included files are read and never written.
author:
  - eessi.arch_guard contributors (@EESSI)
options:
  slurm_conf:
    description:
      - The file. A node that has no such file is not an error, and nothing is changed on it.
    type: path
    required: true
  task_prolog:
    description:
      - Absolute path of the program that C(TaskProlog) is set to.
      - With O(state=absent) it is what RV(points_here) is about.
    type: str
    required: true
  state:
    description:
      - Whether the line of this module stands in the file.
    type: str
    choices: [present, absent]
    default: present
attributes:
  check_mode:
    support: full
  diff_mode:
    support: full
  platform:
    support: full
    platforms: posix
extends_documentation_fragment:
  - ansible.builtin.action_common_attributes
seealso:
  - name: slurm.conf
    description: The configuration file of Slurm.
    link: https://slurm.schedmd.com/slurm.conf.html
"""

EXAMPLES = r"""
- name: Put the guard between Slurm and its tasks
  eessi.arch_guard.eessi_arch_guard_wiring:
    slurm_conf: /etc/slurm/slurm.conf
    task_prolog: /opt/eessi-arch-guard/eessi-arch-guard

- name: Put back what was there
  eessi.arch_guard.eessi_arch_guard_wiring:
    slurm_conf: /etc/slurm/slurm.conf
    task_prolog: /opt/eessi-arch-guard/eessi-arch-guard
    state: absent
"""

RETURN = r"""
exists:
  description: Whether the node has the file.
  returned: success
  type: bool
  sample: true
previous:
  description:
    - The program that C(TaskProlog) stands for without the line of this module, as an absolute path.
    - V(null) where there is none, where it is O(task_prolog) itself, and where it cannot be told.
  returned: success
  type: str
  sample: /etc/slurm/task_prolog.sh
wired:
  description: Whether the line of this module was in the file before.
  returned: success
  type: bool
  sample: false
points_here:
  description:
    - Whether C(TaskProlog) is O(task_prolog) afterwards, by this module or by somebody else.
    - V(null) where that cannot be told, with a warning.
  returned: success
  type: bool
  sample: true
"""

import os
import tempfile

from ansible.module_utils.basic import AnsibleModule

from ansible_collections.eessi.arch_guard.plugins.module_utils.arch_guard import slurm_conf


def main():
    """Bring TaskProlog of one slurm.conf into the state that is asked for."""
    module = AnsibleModule(
        argument_spec={
            "slurm_conf": {"type": "path", "required": True},
            "task_prolog": {"type": "str", "required": True},
            "state": {"type": "str", "choices": ["present", "absent"], "default": "present"},
        },
        supports_check_mode=True,
    )
    path = module.params["slurm_conf"]
    if not os.path.exists(path):
        module.exit_json(changed=False, exists=False, previous=None, wired=False, points_here=False)
    try:
        result = bring_about(module, path, module.params["task_prolog"], module.params["state"])
    except (slurm_conf.BadSlurmConf, OSError) as error:
        module.fail_json(msg="TaskProlog of %s: %s" % (path, error))
    module.exit_json(**result)


def bring_about(module, path, program, state):
    """Write the file where that is needed, and return the result of the module."""
    before = read(path)
    after = site = slurm_conf.unwire(before)
    own = ours = None
    try:
        own = program_of(path, site)
        if state == "present" and own != program:
            after = slurm_conf.wire(site, program)
            warn_of_included(module, path, site)
        ours = program_of(path, after) == program
    except (slurm_conf.BadSlurmConf, OSError) as error:
        if state == "present":
            raise
        module.warn("It cannot be told what TaskProlog of %s is: %s" % (path, error))
    if after != before and not module.check_mode:
        write(module, path, after)
    return {
        "changed": after != before,
        "exists": True,
        "previous": None if own == program else own,
        "wired": slurm_conf.is_wired(before),
        "points_here": ours,
        "diff": {"before": shown(before), "after": shown(after), "before_header": path, "after_header": path},
    }


def program_of(path, text):
    """Return the program that TaskProlog is, None for none, were ``text`` in the file ``path``."""
    settings = slurm_conf.settings(path, reader(path, text))
    program = slurm_conf.program(settings[-1].value, path) if settings else None
    if program is not None and shown(program) != program:
        # Ansible could not hand it to the launcher as it is.
        raise slurm_conf.BadSlurmConf("the path %s is no UTF-8" % shown(program))
    return program


def warn_of_included(module, path, text):
    """Warn of each included file that sets TaskProlog too."""
    for setting in slurm_conf.settings(path, reader(path, text)):
        if setting.path != path:
            module.warn(
                "%s sets TaskProlog as well. The line in %s counts, and Slurm says in its log that there is another."
                % (setting.path, path)
            )


def reader(path, text):
    """Return the function that reads files as if ``path`` held ``text``."""
    return lambda name: text if name == path else read(name)


def shown(text):
    """Return ``text`` as Ansible takes it, with escapes for bytes that are no UTF-8."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def read(path):
    """Return the text of a file; bytes that are no UTF-8 survive in it."""
    with open(path, "rb") as file:
        return file.read().decode("utf-8", "surrogateescape")


def write(module, path, text):
    """Replace the file that ``path`` leads to, at once and with the owner, mode and security context it has."""
    handle, temporary = tempfile.mkstemp(dir=module.tmpdir)
    with os.fdopen(handle, "wb") as file:
        file.write(text.encode("utf-8", "surrogateescape"))
    module.atomic_move(temporary, os.path.realpath(path))


if __name__ == "__main__":
    main()
