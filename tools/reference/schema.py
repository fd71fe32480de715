# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The schema of the facts, made from what the module says that it returns."""

import json

from reference.markup import sentences
from reference.options import returned_facts

TYPES = {"bool": "boolean", "dict": "object", "int": "integer", "list": "array", "str": "string"}
# A dict whose keys are not known beforehand has no entries of its own in the documentation.
FLAGS_BY_TARGET = {"type": "array", "items": {"type": "string"}}


def facts(root):
    """The text of the JSON schema of the facts of one node."""
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Facts of eessi.arch_guard.eessi_arch_guard about one node",
        **_object(returned_facts(root)),
    }
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


def _object(entries):
    return {
        "type": "object",
        "properties": {name: _entry(spec) for name, spec in entries.items()},
        "required": list(entries),
        "additionalProperties": False,
    }


def _entry(spec):
    description = sentences(spec["description"])
    made = {"description": description, **_typed(spec["type"], spec)}
    if "`null`" in description:
        made["type"] = [made["type"], "null"]
    return made


def _typed(kind, spec):
    if kind == "list":
        return {"type": "array", "items": _typed(spec["elements"], spec)}
    if kind == "dict" and "contains" in spec:
        return _object(spec["contains"])
    if kind == "dict":
        return {"type": "object", "additionalProperties": FLAGS_BY_TARGET}
    return {"type": TYPES[kind]}
