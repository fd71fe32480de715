# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later

"""The page as text: whole by itself, and nothing of a node is markup in it. A browser looks at it in tests/browser."""

import html.parser
import json
import re

from ansible_collections.eessi.arch_guard.plugins.plugin_utils.report import answer, page
from sample import fleet

EVIL = "</script><script>alert(1)</script><img src=x onerror=alert(1)>&lt;\"'"


class Elements(html.parser.HTMLParser):
    """Counts the elements, and keeps what the first script, the data, holds."""

    def __init__(self, text):
        super().__init__()
        self.names = []
        self.outside = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.names.append(tag)
        self.outside += [value for name, value in attrs if name in ("src", "href", "srcset", "action")]


def data_of(text):
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL).group(1))


def test_it_needs_nothing_else(report):
    text = page.render(report(*fleet.fleet(100), login_hosts=["login*"]))
    assert all(link.startswith("#") or link == "data:," for link in Elements(text).outside)
    assert "@import" not in text
    assert "url(" not in text


def test_no_value_of_a_node_is_markup(report):
    told = fleet.without_waitpkg("a" + EVIL, warnings=[EVIL], hidden=[EVIL], guard=fleet.prolog(EVIL))
    told["cpu"].update(reason=EVIL, status=EVIL, target=EVIL, unfiltered_target=EVIL)
    told["cpu"]["candidates"][0].update(name=EVIL, missing_flags=[EVIL])
    told["accelerator"].update(status="ok", reason=EVIL, target=EVIL, installed_target=EVIL)
    gone = answer.Answer("b" + EVIL, answer.UNREACHABLE, EVIL)
    calm = page.render(report(fleet.without_waitpkg("login", hidden=["x"]), fleet.facts("b"), login_hosts=["login", "b"]))
    text = page.render(report(told, gone, login_hosts=["a*", "b*"], scontrol="NodeName=%s AvailableFeatures=x" % EVIL))
    assert "<img" not in text
    assert "<script>alert" not in text
    assert [Elements(text).names.count(name) for name in ("script", "style", "img", "meta")] == [
        Elements(calm).names.count(name) for name in ("script", "style", "img", "meta")
    ]
    assert sorted(row[0] for row in data_of(text)["rows"]) == ["a" + EVIL, "b" + EVIL]


def test_rows_name_each_node_once_and_a_group_holds_the_rest(report):
    found = data_of(page.render(report(*fleet.fleet(1000))))
    assert len(found["rows"]) == 1000
    assert len(found["groups"]) < 20
    assert sum(group["odd"] for group in found["groups"]) >= 1


def test_the_sections_of_a_fleet(report):
    text = page.render(report(
        *fleet.fleet(200), answer.Answer("gone", answer.UNREACHABLE, "no route"), login_hosts=["login*"],
        scontrol="NodeName=cn00000 AvailableFeatures=zen2\n",
    ))
    for said in (
        "Login × compute", "reload pinned", "Odd ones out", "its hypervisor hides the flag", "no route",
        "What the running Slurm says otherwise", "NodeName=",
    ):
        assert said in text


def test_a_fleet_without_trouble_says_so(report):
    assert "Nothing. Every node answered" in page.render(report(fleet.facts()))


def test_a_report_on_nothing_is_a_page(report):
    assert "No node answered." in page.render(report())
