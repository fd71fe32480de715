# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later

"""Report -> one HTML file that needs nothing else to be looked at."""

import base64
import hashlib
import json
import os

import jinja2
from markupsafe import Markup

from . import guard_state, matrix, names
from .record import COMPUTE, excluded_in_words

FOLDER = os.path.dirname(os.path.abspath(__file__))
# More than this is in the JSON, and too much to look at.
MOST_GROUPS = 200
MOST_FINDINGS = 200
MOST_SIDES = 40
MOST_DIFFERENCES = 500
BAR = 240
MEANING = {
    matrix.MATCH: "The modules fit. Nothing happens.",
    matrix.RELOAD: "The guard loads the modules again for the node.",
    matrix.PINNED: "As reload, and the target is pinned, since EESSI alone would pick one that the node cannot run.",
    matrix.NO_DIRECTORY: "EESSI has no software for the node. The job keeps what was loaded: mount or build it first.",
    matrix.FAILED: "The node could not be told what it is. The job keeps what was loaded: mend the detection first.",
    matrix.UNKNOWN: "One of the two gave no facts. Ask again when it answers.",
}


def render(report):
    """Return the page as text. Values reach it escaped, or as JSON that no markup can end."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(FOLDER), autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(hostlist=names.short, guard=_guard, accelerator=_accelerator)
    style, script = _file("page.css"), _file("page.js")
    return environment.get_template("page.html.j2").render(
        report=report,
        style=Markup(style),
        script=Markup(script),
        style_hash=_hash(style),
        script_hash=_hash(script),
        rows=Markup(_json(_rows(report))),
        several=len(report["targets"]) > 1,
        charts=_charts(report["targets"]),
        odd=[group for group in report["groups"] if group["odd"]][:MOST_GROUPS],
        groups=report["groups"][:MOST_GROUPS],
        findings=report["findings"][:MOST_FINDINGS],
        exclusions=[group for group in report["groups"] if group["excluded"]][:MOST_GROUPS],
        guards=_guards(report),
        matrices=[_cut(found) for found in report["matrix"]],
        full_bar=BAR,
        meaning=MEANING,
        most_differences=MOST_DIFFERENCES,
    )


def _rows(report):
    """Return the table of nodes for the page's script: what alike nodes share is there once."""
    groups = [
        {
            "version": group["eessi_version"] or "",
            "status": group["status"],
            "reason": group["reason"],
            "target": group["cpu_target"] or "",
            "alone": group["unfiltered_target"] or "",
            "accelerator": _accelerator(group),
            "excluded": excluded_in_words(group),
            "hidden": ", ".join(group["hidden_flags"]),
            "guard": _guard(group),
            "role": group["role"],
            "odd": group["odd"],
            "shown": group["id"] <= MOST_GROUPS,
        }
        for group in report["groups"]
    ]
    return {"groups": groups, "rows": [[node["node"], node["group"] - 1] for node in report["nodes"]]}


def _accelerator(found):
    """Return the accelerator target, or a word for why there is none."""
    if found["accelerator_target"]:
        return found["accelerator_target"]
    if found["accelerator_failed"]:
        return "failed"
    return {None: "", "none": "none"}.get(found["accelerator_status"], "not known")


def _guard(found):
    """Return the state of the guard; nothing is expected of a login node, nothing known of one without facts."""
    return "" if found["cpu_status"] is None else found["guard"]


def _charts(targets):
    """Return a list of {title, bars}; a bar is {target, nodes, width}, its width of at most BAR."""
    charts = []
    for of_version in targets:
        for key, title in (("cpu", "CPU targets"), ("accelerator", "Accelerator targets")):
            most = max(count["nodes"] for count in of_version[key])
            charts.append({
                "title": title,
                "version": of_version["eessi_version"] or "unknown",
                "bars": [dict(count, width=max(1, BAR * count["nodes"] // most)) for count in of_version[key]],
            })
    return charts


def _guards(report):
    """Return (state, version, nodes) of the compute nodes that gave facts, those that guard first."""
    found = {}
    for node in report["nodes"]:
        if node["role"] == COMPUTE and node["cpu_status"] is not None:
            found.setdefault((node["guard"], node["guard_version"] or ""), set()).add(node["node"])
    return sorted(
        ((state, version, sorted(nodes, key=names.in_order)) for (state, version), nodes in found.items()),
        key=lambda entry: (entry[0] not in guard_state.GUARDS, -len(entry[2])),
    )


def _cut(found):
    """Return a matrix with at most MOST_SIDES rows and columns, and how many were left out."""
    return dict(
        found,
        logins=found["logins"][:MOST_SIDES],
        computes=found["computes"][:MOST_SIDES],
        cells=[row[:MOST_SIDES] for row in found["cells"][:MOST_SIDES]],
        left_out=max(0, len(found["logins"]) - MOST_SIDES) + max(0, len(found["computes"]) - MOST_SIDES),
    )


def _json(value):
    """Return ``value`` as JSON that can stand in a script element: no character in it starts markup."""
    text = json.dumps(value, separators=(",", ":"), ensure_ascii=True)
    for char in "<>&":
        text = text.replace(char, "\\u%04x" % ord(char))
    return text


def _file(name):
    with open(os.path.join(FOLDER, name), encoding="utf-8") as file:
        return file.read()


def _hash(text):
    """Return the source expression by which a content security policy allows ``text`` and nothing else."""
    return "sha256-%s" % base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")
