# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The page as a whole: quiet, closed to the outside, readable on screen and paper, with keyboard and screen reader."""

import base64

import pytest
from selenium.webdriver.common.keys import Keys

WIDTHS = (390, 1300)
SCHEMES = ("light", "dark")
# WCAG 2.1, 1.4.3, for text of usual size.
CONTRAST = 4.5
LOW_CONTRAST = """
const parse = (text) => text.match(/[\\d.]+/g).map(Number);
const light = ([r, g, b]) => [r, g, b].map((v) => v / 255).map((v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
  .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
const ground = (element) => {
  for (let each = element; each; each = each.parentElement) {
    const color = parse(getComputedStyle(each).backgroundColor);
    if (color.length === 3 || color[3] > 0) return color;
  }
  return [255, 255, 255];
};
const low = [];
for (const element of document.querySelectorAll("body *")) {
  const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
  if (!own || !element.checkVisibility() || element.disabled || element.matches("script, noscript, .away *, .skip")) continue;
  const [one, other] = [light(parse(getComputedStyle(element).color)), light(ground(element))].sort((a, b) => b - a);
  const ratio = (one + 0.05) / (other + 0.05);
  if (ratio < arguments[0]) low.push(`${element.tagName} ${element.textContent.slice(0, 40)} ${ratio.toFixed(2)}`);
}
return low;
"""


@pytest.mark.parametrize("name", ["sample", "large", "evil", "calm"])
def test_a_page_loads_without_complaint(look, name):
    page = look(name)
    assert page.one("h1").text == "What the nodes are to EESSI"
    assert page.rows(0)
    assert page.complaints() == []


def test_nothing_is_fetched(look):
    page = look("sample")
    assert page.run("return performance.getEntriesByType('resource').map((entry) => entry.name)") == []


def test_a_script_that_is_not_the_pages_own_does_not_run(look):
    page = look("calm")
    page.run(
        "const script = document.createElement('script'); script.textContent = 'window.strange = 1';"
        "document.body.append(script);"
        "document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=\"window.strange = 1\">')"
    )
    assert page.run("return window.strange") is None
    assert any("Content Security Policy" in text for text in page.complaints())


def test_markup_of_a_node_is_text(look):
    page = look("evil")
    names = page.rows(0)
    assert any(name.startswith("host<img src=x onerror=") for name in names)
    assert any(name.startswith("gone<img src=x onerror=") for name in names)
    assert any("<script>window.evil=1</script>" in text for text in page.rows(1))
    assert any("<script>window.evil=1</script>" in text for text in page.rows(6))
    assert page.all("img") == []
    assert page.run("return window.evil") is None


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("scheme", SCHEMES)
def test_text_can_be_read_and_fits(look, width, scheme):
    page = look("sample")
    page.browser.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride", {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    )
    try:
        page.emulate(scheme=scheme)
        assert page.run("return document.documentElement.scrollWidth - innerWidth") <= 0
        assert page.run(LOW_CONTRAST, CONTRAST) == []
        page.screenshot(f"{scheme}-{width}")
    finally:
        page.browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_dark_and_light_differ(look):
    page = look("calm")
    grounds = []
    for scheme in SCHEMES:
        page.emulate(scheme=scheme)
        grounds.append(page.run("return getComputedStyle(document.body).backgroundColor"))
    assert grounds == ["rgb(255, 255, 255)", "rgb(18, 22, 28)"]


def test_paper(look):
    page = look("large")
    page.emulate(media="print")
    assert not page.one("#filters").is_displayed()
    assert not page.one("nav").is_displayed()
    page.run("dispatchEvent(new Event('beforeprint'))")
    assert len(page.rows(0)) == 1000
    assert page.one("#printed").text == "The first 1000 of 10003 rows; report.csv has all."
    assert page.all("details:not([open])") == []
    page.run("dispatchEvent(new Event('afterprint'))")
    assert len(page.rows(0)) == 100
    assert page.all("details[open]") == []


def test_paper_is_made(look):
    paper = look("sample").browser.execute_cdp_cmd("Page.printToPDF", {"printBackground": True})
    assert base64.b64decode(paper["data"]).startswith(b"%PDF-")


def test_the_keyboard_reaches_everything(look):
    page = look("sample")
    wanted = page.run(
        "return [...document.querySelectorAll('a[href], button, input, select, summary, [tabindex=\"0\"]')]"
        ".filter((each) => each.checkVisibility() && !each.disabled).length"
    )
    page.run("document.activeElement.blur(); scrollTo(0, 0)")
    reached = set()
    unseen = []
    for _step in range(wanted + 5):
        page.browser.switch_to.active_element.send_keys(Keys.TAB)
        active = page.browser.switch_to.active_element
        if active.tag_name == "body" or active.id in reached:
            break
        reached.add(active.id)
        if page.run("return getComputedStyle(document.activeElement).outlineStyle") == "none":
            unseen.append(active.get_attribute("outerHTML")[:80])
    assert unseen == []
    assert len(reached) >= wanted


def test_the_first_key_offers_to_skip_to_the_nodes(look):
    page = look("sample")
    page.one("body").send_keys(Keys.TAB)
    active = page.browser.switch_to.active_element
    assert active.text == "To the table of nodes"
    active.send_keys(Keys.ENTER)
    assert page.run("return location.hash") == "#nodes"


def test_a_screen_reader_has_a_name_for_everything(look):
    page = look("sample")
    page.browser.execute_cdp_cmd("Accessibility.enable", {})
    tree = page.browser.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
    page.browser.execute_cdp_cmd("Accessibility.disable", {})
    nodes = [node for node in tree if not node.get("ignored")]
    named = {"button", "link", "searchbox", "combobox", "checkbox", "region", "search", "navigation", "columnheader"}
    roles = {node["role"]["value"] for node in nodes}
    assert named | {"main", "heading", "rowheader", "status", "table"} <= roles
    nameless = [node["role"]["value"] for node in nodes if not node.get("name", {}).get("value", "").strip()]
    assert named.isdisjoint(nameless)


def test_the_way_down_is_told_to_a_screen_reader(look):
    page = look("sample")
    levels = page.run("return [...document.querySelectorAll('h1, h2, h3')].map((each) => Number(each.tagName[1]))")
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after - before <= 1 for before, after in zip(levels, levels[1:], strict=False))
    assert page.one("#count").get_attribute("aria-live") == "polite"


def test_links_lead_somewhere(look):
    page = look("sample")
    assert page.run(
        "return [...document.querySelectorAll('a[href^=\"#\"]')].map((each) => each.getAttribute('href'))"
        ".filter((each) => !document.querySelector(each))"
    ) == []
