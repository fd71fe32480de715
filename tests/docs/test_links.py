# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Links lead somewhere, and each page can be found."""

import re

import pytest

from docs import markdown
from docs.markdown import ROOT

PAGES = markdown.pages()
FILE = re.compile(r"`((?:docs|tests|tools|plugins|roles|playbooks|changelogs|meta)/[\w./-]+)`")
OUTSIDE = re.compile(r"https://[a-z0-9.-]+\.[a-z]+(?:/[\w./~+#?=%-]*)?")


def wrong_links(page, text):
    """The links of a page (path relative to the root) that lead nowhere."""
    wrong = []
    for link in markdown.links(text):
        if "://" in link:
            if not OUTSIDE.fullmatch(link):
                wrong.append(link)
            continue
        path, _hash, anchor = link.partition("#")
        target = (ROOT / page).parent / path if path else ROOT / page
        if not target.exists() or (anchor and anchor not in markdown.anchors(target.read_text(encoding="utf-8"))):
            wrong.append(link)
    return wrong


@pytest.mark.parametrize("page", PAGES)
def test_every_link_leads_somewhere(page):
    assert wrong_links(page, markdown.read(page)) == []


@pytest.mark.parametrize("link", [
    "nowhere.md", "README.md#no-such-heading", "#no-such-heading", "docs/nowhere/", "http://example.org", "https://a_b",
])
def test_a_link_that_leads_nowhere_is_found(link):
    assert wrong_links("README.md", f"# A heading\n\nSome [words]({link}) and [more](#deploy-it).\n") == [link]


def test_the_index_names_every_page_of_the_documentation():
    linked = {f"docs/{link}" for link in markdown.links(markdown.read("docs/README.md"))}
    assert {page for page in PAGES if page.startswith("docs/")} - linked == {"docs/README.md"}


def test_addresses_in_the_metadata_and_in_the_pages_are_of_one_repository():
    galaxy = (ROOT / "galaxy.yml").read_text(encoding="utf-8")
    repository = re.search(r"^repository: (\S+)$", galaxy, re.MULTILINE)[1]
    places = [galaxy, *(markdown.read(page) for page in PAGES)]
    named = {found for text in places for found in re.findall(r"https://github\.com/EESSI/[\w-]+", text)}
    assert {name for name in named if "arch-guard" in name} == {repository}


def test_files_that_pages_name_are_there():
    named = {(page, name) for page in PAGES for name in FILE.findall(markdown.read(page))}
    assert len(named) >= 20
    assert {(page, name) for page, name in named if not (ROOT / name).exists()} == set()
