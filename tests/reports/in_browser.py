# SPDX-License-Identifier: Apache-2.0
"""A browser without a screen, and what a person does with a page in it. Needs Debian's chromium, chromium-driver and
python3-selenium.
"""

import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By

WIDTHS = {"desktop": (1400, 900), "projector": (1024, 768), "narrow": (800, 1024),
          "tablet": (820, 1180), "phone": (390, 844)}
THEMES = ("light", "dark")
TWO_FAULTS = "scenarios/documented/replication/failover-lost-lock.toml"
SCENARIO = "scenarios/documented/leases/lease-outlived.toml"
MANY_SERVERS = "scenarios/documented/redlock/redlock-immediate-restart.toml"
WIDE = "scenarios/documented/fencing/fenced-on-writes-only.toml"  # its row of a table has long words


def browser():
    options = Options()
    options.binary_location = "/usr/bin/chromium"
    for flag in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))


class WithBrowser(unittest.TestCase):
    """Tests with a folder and a browser of their own."""
    program = source = shots = None

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        cls.driver = browser()
        cls.addClassCleanup(cls.driver.quit)


class InBrowser(WithBrowser):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.one = cls.page_of("one", SCENARIO, "--what-if")
        cls.many = cls.page_of("many", MANY_SERVERS)
        cls.two = cls.page_of("two", TWO_FAULTS, "--what-if", runs=2)

    @classmethod
    def page_of(cls, name, scenario, *options, runs=1):
        """The page of a scenario's run; of two runs the second has another seed, and stands for a real one."""
        made = []
        for seed in range(1, runs + 1):
            made.append(cls.folder / f"{name}-{seed}")
            command = [cls.program, "run", cls.source / scenario, "--quiet", "--seed", str(seed), "--out", made[-1]]
            subprocess.run(command, check=False, capture_output=True)
        subprocess.run([cls.program, "report", "--html", *made, "--out", cls.folder / name, *options], check=True,
                       capture_output=True)
        return next((cls.folder / name).glob("*.html"))

    def setUp(self):
        self.size(*WIDTHS["desktop"])
        self.theme("light")

    def tearDown(self):
        self.assertEqual(self.driver.get_log("browser"), [], "the browser has nothing to complain of")

    # -- what a person does

    def size(self, width, height):
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600})

    def theme(self, name):
        feature = {"name": "prefers-color-scheme", "value": name}
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "", "features": [feature]})

    def open(self, page, fragment=""):
        self.driver.get("about:blank")
        self.driver.get(f"file://{page}{fragment}")
        self.wait(lambda: "ready" in self.js("return document.body.className"))

    def js(self, text, *arguments):
        return self.driver.execute_script(text, *arguments)

    def wait(self, is_so, seconds=10):
        until = time.monotonic() + seconds
        while not is_so():
            self.assertLess(time.monotonic(), until, "it does not come")
            time.sleep(0.05)

    def find(self, selector):
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def all(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def click(self, selector):
        self.find(selector).click()

    def button(self, words, within="body"):
        return next(one for one in self.all(f"{within} button") if one.text == words)

    def key(self, key):
        ActionChains(self.driver).send_keys(key).perform()

    def step(self):
        return self.js("return current")

    def last_step(self):
        return self.js("return view.runs[0].steps.length - 1")

    def address(self):
        """The page writes it when nobody has stepped for a moment."""
        named = "return location.hash === `#${view.key}/${view.runs[0].steps[current].id}`"
        self.wait(lambda: self.js(named))
        return self.js("return location.hash")

    def shot(self, name):
        if self.shots:
            self.shots.mkdir(parents=True, exist_ok=True)
            self.driver.save_screenshot(str(self.shots / f"{name}.png"))


def main():
    InBrowser.program, InBrowser.source = sys.argv[1], Path(sys.argv[2])
    del sys.argv[1:3]
    if "--shots" in sys.argv:
        place = sys.argv.index("--shots")
        InBrowser.shots = Path(sys.argv[place + 1])
        del sys.argv[place : place + 2]
    unittest.main(module="__main__")
