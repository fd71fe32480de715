# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later

"""Facts from anywhere -> facts of the right shape, with nothing in them that could harm a reader."""

from ...module_utils.arch_guard.text import clean

LONGEST = 600
MOST_ITEMS = 512

# The parts of the facts that the report reads: name -> (types, nested shape or None).
TEXT, MAYBE_TEXT, BOOL, MAYBE_BOOL, NUMBER, MAYBE_NUMBER, TEXTS, FLAGS_OF, CANDIDATES = range(9)
CANDIDATE = {"name": TEXT, "installed": MAYBE_BOOL, "excluded": BOOL, "missing_flags": TEXTS}
FACTS = {
    "cpu": {
        "status": TEXT,
        "reason": TEXT,
        "target": MAYBE_TEXT,
        "unfiltered_target": MAYBE_TEXT,
        "candidates": CANDIDATES,
        "pin": MAYBE_TEXT,
    },
    "accelerator": {
        "status": TEXT,
        "reason": TEXT,
        "target": MAYBE_TEXT,
        "installed_target": MAYBE_TEXT,
        "archdetect_status": MAYBE_NUMBER,
    },
    "cpuinfo": {
        "logical_cpus": NUMBER,
        "uniform": MAYBE_BOOL,
        "hypervisor": MAYBE_BOOL,
        "missing_march_flags": FLAGS_OF,
    },
    "eessi": {"version": MAYBE_TEXT, "prefix": MAYBE_TEXT, "archdetect_version": MAYBE_TEXT},
    "prolog": {"installed": BOOL, "version": MAYBE_TEXT, "path": MAYBE_TEXT, "intact": MAYBE_BOOL, "wired": MAYBE_BOOL},
    "guard_version": TEXT,
    "warnings": TEXTS,
}


class BadFacts(Exception):
    """These are no facts of eessi_arch_guard; the text is one line that names what is wrong."""


class Checker(object):
    """Checks facts; remembers the strings it cleaned, of which the nodes of a fleet have few different ones."""

    def __init__(self):
        self._cleaned = {}

    def checked(self, facts):
        """Return the parts of ``facts`` (from anywhere) that the report reads, as plain values; raise BadFacts."""
        return self._part(facts, FACTS, "facts")

    def text(self, value):
        """Return ``value`` (str) as one clean, bounded line."""
        known = self._cleaned.get(value)
        if known is None:
            known = self._cleaned[value] = clean(value, LONGEST)
        return known

    def _part(self, value, shape, where):
        if not isinstance(value, dict):
            raise BadFacts("%s: not an object" % where)
        found = {}
        for name, kind in shape.items():
            path = "%s.%s" % (where, name)
            if name not in value:
                # Guards older than this one do not tell everything that this one does.
                if kind not in (MAYBE_TEXT, MAYBE_BOOL, MAYBE_NUMBER):
                    raise BadFacts("%s: missing" % path)
                found[name] = None
            elif isinstance(kind, dict):
                found[name] = self._part(value[name], kind, path)
            else:
                found[name] = self._value(value[name], kind, path)
        return found

    def _value(self, value, kind, path):
        if kind in (MAYBE_TEXT, MAYBE_BOOL, MAYBE_NUMBER) and value is None:
            return None
        if kind in (TEXT, MAYBE_TEXT) and isinstance(value, str):
            return self.text(value)
        if kind in (BOOL, MAYBE_BOOL) and isinstance(value, bool):
            return value
        if kind in (NUMBER, MAYBE_NUMBER) and isinstance(value, int) and not isinstance(value, bool):
            return int(value)
        if kind in (TEXTS, CANDIDATES) and isinstance(value, list):
            return [self._item(item, kind, path) for item in value[:MOST_ITEMS]]
        if kind == FLAGS_OF and isinstance(value, dict):
            return {
                self._value(name, TEXT, path): self._value(flags, TEXTS, path)
                for name, flags in list(value.items())[:MOST_ITEMS]
            }
        raise BadFacts("%s: not of the right kind" % path)

    def _item(self, item, kind, path):
        return self._part(item, CANDIDATE, path) if kind == CANDIDATES else self._value(item, TEXT, path)
