# SPDX-License-Identifier: Apache-2.0
"""The page of all states in headless Chromium: walk_in_browser.py LOCKPROOF SOURCE [--shots FOLDER].

Each state shows what could happen next; a violation that is said to be near comes by that many events, and none comes
where none is said to. Three widths, dark and light, and the keyboard.
"""

import subprocess
import sys
from pathlib import Path

from selenium.webdriver.common.keys import Keys

sys.path[:0] = [str(Path(__file__).resolve().parent)]

from in_browser import THEMES, WIDTHS, InBrowser, main

FILE = "scenarios/documented/leases/lease-outlived.toml"


class TestWalkPage(InBrowser):
    @classmethod
    def setUpClass(cls):
        super(InBrowser, cls).setUpClass()
        out = cls.folder / "walk"
        subprocess.run([cls.program, "explore", cls.source / FILE, "--walk", "-q", "--out", out], check=False,
                       capture_output=True)
        cls.one = next(out.glob("*-walk.html"))

    def way(self):
        return self.js("return way.length")

    def fate(self):
        return self.js("return here().fate")

    def written(self):
        """The address, once the page has written it."""
        self.wait(lambda: self.js("return location.hash === '#' + address()"))
        return self.js("return location.hash")

    def test_each_state_offers_what_the_space_has(self):
        self.open(self.one)
        self.assertGreater(self.js("return data.states.length"), 50)
        for _ in range(6):
            offered = len(self.all(".choice"))
            self.assertEqual(offered, self.js("return here().next.length"))
            self.all(".choice")[-1].click()
        self.assertEqual(len(self.all("#way li")), 6)
        self.all("#way button")[1].click()
        self.assertEqual(self.way(), 2, "a click leads back to what was taken")

    def test_the_shortest_way_leads_to_the_violation(self):
        self.open(self.one)
        names = self.js("return data.properties")
        self.assertTrue(any(name.startswith("mutual-exclusion") for name in names), names)
        for name in names:
            self.js("go(0, [])")
            far = self.js("return here().far[arguments[0]][0]", name)
            for _ in range(far):
                self.assertNotIn(name, self.js("return [...brokenOn(way).keys()]"))
                self.js("toward(arguments[0])", name)
            self.assertIn(name, self.js("return [...brokenOn(way).keys()]"))
            self.assertIn(f"Broken on this way: {name}", self.find("#fate").text)

    def test_what_is_said_of_the_end_is_so(self):
        """Wherever one goes: from a safe state nothing breaks, from a lost one something does."""
        self.open(self.one)
        said = self.js("""
          const seen = [], breaks = () => way.filter((number) => data.events[number].broken.length).length +
                                          Number(here().ends && here().broken.length > 0);
          for (let seed = 1; seed <= 60; ++seed) {
            let dice = seed, taken = [], fates = [];
            go(0, []);
            while (here().next.length) {
              fates.push([here().fate, breaks()]);
              dice = (dice * 48271) % 2147483647;
              take(here().next[dice % here().next.length]);
            }
            const all = breaks();
            for (const [fate, until] of fates) {
              if (fate === "safe" && until !== all) seen.push("safe, and broke");
              if (fate === "lost" && until === all) seen.push("lost, and held");
            }
          }
          return seen;""")
        self.assertEqual(said, [])

    def test_the_keyboard_walks(self):
        self.open(self.one)
        self.key("1")
        self.key(Keys.ARROW_RIGHT)
        self.assertEqual(self.way(), 2)
        self.key(Keys.BACKSPACE)
        self.assertEqual(self.way(), 1)
        self.key(Keys.ARROW_DOWN)
        self.assertEqual(self.js("return document.activeElement.className.split(' ')[0]"), "choice")
        self.key(Keys.ENTER)
        self.assertEqual(self.way(), 2)
        self.key(Keys.HOME)
        self.assertEqual(self.way(), 0)
        far = self.js("return Math.min(...Object.values(here().far).map((one) => one[0]))")
        for _ in range(far):
            self.key("v")
        self.assertGreater(self.js("return brokenOn(way).size"), 0)

    def test_the_address_leads_to_the_same_state(self):
        self.open(self.one)
        for key in "1213":
            self.key(key)
        self.js("toggle(1)")
        address, taken = self.written(), self.js("return way")
        self.open(self.one, address)
        self.assertEqual(self.js("return way"), taken)
        self.assertEqual(self.js("return [...hidden]"), [1])
        self.open(self.one, "#9/zz.1/77")
        self.assertEqual(self.way(), 0, "an address of another page leads to the beginning")

    def test_hosts_can_be_hidden(self):
        self.open(self.one)
        hosts = len(self.all("#world .host"))
        self.all("#hosts input")[0].click()
        self.assertEqual(len(self.all("#world .host")), hosts - 1)
        own = self.js("return here().next.filter((n) => data.events[n].host === 0).length")
        self.assertEqual(len(self.all("#next-hidden .choice")), own)
        self.all("#hosts input")[0].click()
        self.assertEqual(len(self.all("#world .host")), hosts)

    def test_what_an_event_changed_is_marked(self):
        self.open(self.one)
        self.assertEqual(self.all(".fresh, .gone"), [])
        self.key("1")
        self.assertTrue(self.all(".host.changed .fresh"), "each event changes something of its host")
        self.key(Keys.BACKSPACE)
        self.assertEqual(self.all(".fresh, .gone"), [])

    def test_fits_at_three_widths_dark_and_light(self):
        for name in ("desktop", "tablet", "phone"):
            for theme in THEMES:
                self.size(*WIDTHS[name])
                self.theme(theme)
                self.open(self.one)
                for _ in range(7):
                    self.key("v")
                with self.subTest(f"{name}, {theme}"):
                    self.assertLessEqual(self.js("return document.documentElement.scrollWidth"), WIDTHS[name][0])
                    self.assertTrue(self.all(".choice")[0].is_displayed())
                    light = self.js("return getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
                    self.assertEqual(light, theme == "light")
                self.shot(f"walk-{name}-{theme}")

    def test_everything_has_a_name(self):
        self.open(self.one)
        for one in self.all("button, input, summary"):
            self.assertTrue(one.accessible_name or not one.is_displayed(), one.get_attribute("outerHTML"))


if __name__ == "__main__":
    main()
