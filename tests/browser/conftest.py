# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A browser, and pages of made-up fleets in it."""

import base64
import io
import os
import time
from pathlib import Path

import pytest
from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.support.wait import WebDriverWait

from ansible_collections.eessi.arch_guard.plugins.plugin_utils.report import answer, build, from_lines, page, shape
from sample import fleet

EVIL = "<img src=x onerror='window.evil=1'></script><script>window.evil=1</script>"
SCONTROL = """\
NodeName=cn00000 AvailableFeatures=zen2,rack1
NodeName=cn00001 AvailableFeatures=zen4
NodeName=spare AvailableFeatures=(null)
"""


@pytest.fixture(scope="session")
def driver(tmp_path_factory):
    options = Options()
    options.binary_location = "/usr/bin/chromium"
    # The tests run as root in a container, where the browser has no sandbox and little shared memory.
    for word in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"):
        options.add_argument(word)
    options.add_argument(f"--user-data-dir={tmp_path_factory.mktemp('profile')}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    found = webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))
    yield found
    found.quit()


@pytest.fixture
def browser(driver):
    """The driver in its usual state."""
    driver.set_window_size(1300, 900)
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "", "features": []})
    driver.get_log("browser")
    return driver


@pytest.fixture(scope="session")
def pages(tmp_path_factory):
    """Paths of the pages: `sample` of 300 nodes with everything, `large` of 10,000 nodes, `evil`, and `calm`."""
    folder = tmp_path_factory.mktemp("pages")
    gone = [answer.Answer(f"gone{number}", answer.UNREACHABLE, "ssh: no route to host") for number in range(3)]
    hostile = fleet.facts("host" + EVIL, warnings=[EVIL])
    hostile["cpu"].update(status="no-software-dir", reason=EVIL, target=None)
    made = {
        "sample": _report(fleet.fleet(300), gone, "damaged\n"),
        "large": _report(fleet.fleet(10000), gone),
        "evil": _report(
            [hostile, fleet.facts("flagged", hidden=[EVIL])], [answer.Answer("gone" + EVIL, answer.UNREACHABLE, EVIL)]
        ),
        "calm": _report([fleet.facts(f"node{number}") for number in range(1, 4)]),
    }
    paths = {name: folder / f"{name}.html" for name in made}
    for name, path in paths.items():
        path.write_text(page.render(made[name]), encoding="utf-8")
    return paths


def _report(facts, others=(), damaged=""):
    read = from_lines.read([("facts.jsonl", io.BytesIO((fleet.lines(facts) + damaged).encode()))], shape.Checker())
    source = build.source_of_files(["facts.jsonl"], read)
    return build.build([*read.answers, *others], "2026-01-02T03:04:05Z", source, ["login*"], SCONTROL)


@pytest.fixture
def look(browser, pages):
    """Return a function that opens a page by its name and returns a Look at it."""

    def open_page(name):
        begin = time.monotonic()
        browser.get(pages[name].as_uri())
        return Look(browser, begin)

    return open_page


class Look:
    """What a reader sees and does. `begin`: time.monotonic when the page was asked for."""

    def __init__(self, browser, begin):
        self.browser = browser
        self.begin = begin

    def one(self, selector):
        return self.browser.find_element(By.CSS_SELECTOR, selector)

    def all(self, selector):
        return self.browser.find_elements(By.CSS_SELECTOR, selector)

    def run(self, script, *arguments):
        return self.browser.execute_script(script, *arguments)

    def rows(self, column):
        """The texts of a column (from 0) of the table of nodes, as far as it is shown."""
        return self.run(
            "return [...document.querySelectorAll('#table tbody tr')].map((row) => row.cells[arguments[0]].textContent)", column
        )

    @property
    def count(self):
        return self.one("#count").text

    def wait_until(self, comes):
        """Wait until the function `comes` returns true. Raises TimeoutException."""
        WebDriverWait(self.browser, 5).until(lambda _browser: comes())

    def complaints(self):
        """What the browser's console says."""
        return [entry["message"] for entry in self.browser.get_log("browser")]

    def emulate(self, media="", scheme="light"):
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": media, "features": features})

    def screenshot(self, name):
        """Leave a picture of the whole page for people to look at, where a folder for it was given."""
        folder = os.environ.get("ARCH_GUARD_TEST_SCREENSHOTS")
        if folder:
            Path(folder).mkdir(parents=True, exist_ok=True)
            width, height = self.run("return [innerWidth, document.documentElement.scrollHeight]")
            clip = {"x": 0, "y": 0, "width": width, "height": height, "scale": 1}
            picture = self.browser.execute_cdp_cmd("Page.captureScreenshot", {"captureBeyondViewport": True, "clip": clip})
            Path(folder, f"{name}.png").write_bytes(base64.b64decode(picture["data"]))
