# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The options of the module and the variables of the role, and the facts that the module returns."""

import ast

import yaml

from reference.blocks import code, table
from reference.markup import sentences

MODULE = "plugins/modules/eessi_arch_guard.py"
SPECS = "roles/eessi_arch_guard/meta/argument_specs.yml"


def module_options(root):
    """The table of the module's options."""
    return _options(documentation(root, "DOCUMENTATION")["options"])


def role_variables(root):
    """The table of the role's variables."""
    return _options(argument_specs(root)["main"]["options"])


def role_entry_points(root):
    """The table of the role's entry points."""
    return table(("Entry point", "What it does"), [
        (code(name), f"{spec['short_description']}. {sentences(spec['description'])}")
        for name, spec in argument_specs(root).items()
    ])


def facts(root):
    """The table of the facts, with a dotted path for each."""
    return table(("Fact", "Type", "What it tells"), [
        (code(path), type_name, text) for path, type_name, text in _facts(returned_facts(root), "")
    ])


def returned_facts(root):
    """What the module says of its facts: name -> type, description and what it contains."""
    return documentation(root, "RETURN")["ansible_facts"]["contains"]["eessi_arch_guard"]["contains"]


def documentation(root, name):
    """What the module says in its block `name`, as plain values."""
    for node in ast.parse((root / MODULE).read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and node.targets[0].id == name:
            return yaml.safe_load(ast.literal_eval(node.value))
    raise ValueError(f"{MODULE} has no {name}")


def argument_specs(root):
    """The entry points of the role, as plain values."""
    return yaml.safe_load((root / SPECS).read_text(encoding="utf-8"))["argument_specs"]


def _options(options):
    rows = []
    for name, spec in options.items():
        choices = spec.get("choices")
        kind = "one of " + ", ".join(map(_plain, choices)) if choices else spec.get("elements", spec["type"])
        if spec["type"] == "list":
            kind = f"list, each {kind}"
        rows.append((code(name), kind, _plain(spec["default"]) if "default" in spec else "", sentences(spec["description"])))
    return table(("Name", "Type", "Default", "What it does"), rows)


def _plain(value):
    return code(yaml.safe_dump(value, default_flow_style=True).removesuffix("\n").removesuffix("\n..."))


def _facts(returned, parent):
    for name, spec in returned.items():
        path = parent + name
        kind = f"list of {spec['elements']}" if spec["type"] == "list" else spec["type"]
        yield path, kind, sentences(spec["description"])
        yield from _facts(spec.get("contains", {}), path + ("[]." if spec["type"] == "list" else "."))
