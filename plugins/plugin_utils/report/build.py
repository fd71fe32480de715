# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later

"""Answers -> the report as data, which page, tables and words are made from. docs/reference/report.schema.json."""

from collections import Counter
from fnmatch import fnmatchcase

from ...module_utils.arch_guard import __version__
from . import findings, groups, guard_state, matrix, names, slurm
from .answer import FAILED, UNREACHABLE
from .record import COMPUTE, LOGIN, record

SCHEMA_VERSION = 1
# Of damaged lines this many are named; all are counted.
NAMED_DAMAGE = 200


def build(answers, made, source, login_hosts=(), scontrol=None):
    """Return the report as a dict of plain values.

    ``answers``: list of Answer; ``made``: str, the time in ISO 8601; ``source``: see source_of_ansible and
    source_of_files; ``login_hosts``: names or patterns such as login*; ``scontrol``: text of ``scontrol show node -o``.
    """
    records = [record(answer, _role(answer.node, login_hosts), __version__) for answer in answers]
    records.sort(key=lambda found: (names.in_order(found["node"]), found["eessi_version"] or ""))
    found = findings.collect(records)
    return {
        "schema_version": SCHEMA_VERSION,
        "made": made,
        "made_by": "eessi.arch_guard %s" % __version__,
        "source": source,
        "totals": _totals(records),
        "targets": _targets(records),
        "groups": groups.fold(records),
        "nodes": records,
        "matrix": matrix.build(records),
        "findings": found,
        "slurm": _slurm(records, scontrol),
    }


def source_of_ansible():
    """Return the ``source`` of a report on hosts that Ansible asked."""
    return {"kind": "ansible", "files": [], "lines": 0, "repeated": 0, "damaged": 0, "damaged_lines": []}


def source_of_files(files, read):
    """Return the ``source`` of a report on facts files; ``files``: their names; ``read``: from_lines.Read."""
    return {
        "kind": "files",
        "files": list(files),
        "lines": read.lines,
        "repeated": read.repeated,
        "damaged": len(read.damaged),
        "damaged_lines": [
            {"file": bad.file, "line": bad.line, "reason": bad.reason, "start": bad.start}
            for bad in read.damaged[:NAMED_DAMAGE]
        ],
    }


def _role(node, login_hosts):
    is_login = any(fnmatchcase(name, pattern) for pattern in login_hosts for name in (node, node.split(".")[0]))
    return LOGIN if is_login else COMPUTE


def _totals(records):
    """Return how many nodes there are, and of how many each thing is true, whatever the number of EESSI versions."""
    def count(is_so):
        return len({found["node"] for found in records if is_so(found)})

    def is_asked(found):
        return found["role"] == COMPUTE and found["cpu_status"] is not None

    codes = ("excluded-unguarded", "no-software-dir", "archdetect-failed")
    return {
        "nodes": count(lambda found: True),
        "login": count(lambda found: found["role"] == LOGIN),
        "answered": count(lambda found: found["cpu_status"] is not None),
        "unreachable": count(lambda found: found["outcome"] == UNREACHABLE),
        "failed": count(lambda found: found["outcome"] == FAILED),
        "would_hurt": count(lambda found: any(code in found["findings"] for code in codes)),
        "unguarded": count(lambda found: is_asked(found) and found["guard"] not in guard_state.GUARDS),
        "outdated": count(lambda found: is_asked(found) and found["guard"] == guard_state.OUTDATED),
        "accelerator_failed": count(lambda found: found["accelerator_failed"]),
    }


def _targets(records):
    """Return for each EESSI version how many nodes have which target; None counts those without one."""
    versions = sorted({found["eessi_version"] for found in records if found["cpu_status"] is not None}, key=str)
    return [
        {
            "eessi_version": version,
            "cpu": _counts(found["cpu_target"] for found in records if _is_of(found, version)),
            "accelerator": _counts(found["accelerator_target"] for found in records if _is_of(found, version)),
        }
        for version in versions
    ]


def _is_of(found, version):
    return found["cpu_status"] is not None and found["eessi_version"] == version


def _counts(targets):
    counted = Counter(targets)
    return [
        {"target": target, "nodes": number}
        for target, number in sorted(counted.items(), key=lambda item: (-item[1], item[0] or ""))
    ]


def _slurm(records, scontrol):
    wanted = slurm.words([found for found in records if found["role"] == COMPUTE])
    told = None if scontrol is None else slurm.parse(scontrol)
    return {
        "lines": slurm.lines(wanted, told),
        "difference": None if told is None else slurm.compare(wanted, told),
    }
