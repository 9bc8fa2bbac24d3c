#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The page in headless Chromium, every control used: page_in_browser.py LOCKPROOF SOURCE [--shots FOLDER].

Needs Debian's chromium, chromium-driver and python3-selenium. With --shots it leaves pictures of the page at three
widths, dark and light, to be looked at.
"""

import itertools
import json
import subprocess
import sys
import time
from pathlib import Path

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "reports")]

import html_page
import stepper
import test_page
from in_browser import THEMES, WIDE, WIDTHS, InBrowser, main


class Page(InBrowser):
    # -- stepping

    def test_buttons_step(self):
        self.open(self.one)
        self.assertEqual(self.step(), 0)
        last = self.last_step()
        for selector, expected in (("#next", 1), ("#next", 2), ("#back", 1), ("#last", last), ("#next", last),
                                   ("#first", 0), ("#back", 0)):
            self.click(selector)
            self.assertEqual(self.step(), expected, selector)
        self.assertIn("1 of", self.find("#place").text)

    def test_keys_step(self):
        self.open(self.one)
        for key, expected in ((Keys.ARROW_DOWN, 1), (Keys.ARROW_RIGHT, 2), (Keys.ARROW_UP, 1), (Keys.ARROW_LEFT, 0),
                              (Keys.PAGE_DOWN, 10), (Keys.PAGE_UP, 0), (Keys.END, self.last_step()), (Keys.HOME, 0)):
            self.key(key)
            self.assertEqual(self.step(), expected, repr(key))
        self.key("v")
        self.assertIn("ENTERS", self.find("#now").text)
        self.key("q")
        self.assertTrue(self.find("#question").is_displayed())

    def test_slider_click_and_drag_step(self):
        self.open(self.one)
        slider = self.find("#slider")
        slider.send_keys(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
        self.assertEqual(self.step(), 2)
        rows = self.all("[role=option]")
        rows[5].click()
        self.assertEqual(self.step(), 5)
        drag = ActionChains(self.driver).move_to_element(rows[2]).click_and_hold()
        drag.move_to_element(rows[4]).move_to_element(rows[8]).perform()
        self.assertEqual(self.step(), 8, "while the button is down")
        ActionChains(self.driver).release().move_to_element(rows[3]).perform()
        self.assertEqual(self.step(), 8, "the button is up again")

    def test_to_the_violation_and_to_the_cause(self):
        self.open(self.one)
        self.click("#violation")
        self.assertIn("mutual-exclusion (outlived)", self.find("#now").text)
        self.assertIn("client-1 and client-2", self.find(".truth").text)
        self.click("#violation")
        self.assertIn("resource-safety", self.find("#now").text)
        for button in self.all("#verdicts button"):
            before = self.step()
            button.click()
            self.assertNotEqual(self.step(), before, button.text)
        self.assertIn("paused for 11 s", self.find("#now").text, "the last of them is the cause")
        self.assertIn("pause of client-1", self.find("#now .cause").text)

    def test_plays_and_stops(self):
        self.open(self.one)
        self.click("#play")
        self.wait(lambda: self.step() >= 2)
        self.assertEqual(self.find("#play").text, "Stop")
        self.key(" ")
        at = self.step()
        time.sleep(1)
        self.assertEqual(self.step(), at)

    def test_what_hosts_are(self):
        self.open(self.one, "#simulated/16")
        card = self.find("section.host[aria-label='client-1']").text
        self.assertIn("believes that it holds the lock for 9.998 s more, by its monotonic clock", card)
        self.assertIn("client-1’s, 10.000 s left", self.find("section.host[aria-label='redis-1']").text)
        self.click("#violation")
        card = self.find("section.host[aria-label='client-1']").text
        self.assertIn("paused", card)
        self.assertIn("cannot look at its monotonic clock, by which it ended 0.050 s ago", card)

    def test_addresses_lead_to_events(self):
        self.open(self.one)
        self.click("#violation")
        address, step = self.address(), self.step()
        self.open(self.one, address)
        self.assertEqual(self.step(), step)
        self.js("location.hash = '#simulated/10'")
        self.wait(lambda: self.step() == 1)
        self.open(self.one, "#nothing/of-this-kind")
        self.assertEqual(self.step(), 0)

    def test_can_be_drawn_through_a_thousand_times(self):
        self.open(self.one)
        self.js("for (let i = 0; i < 1000; ++i) go(i % view.runs[0].steps.length)")
        self.assertEqual(self.address().split("/")[0], "#simulated")

    # -- being asked

    def test_asks(self):
        self.open(self.one)
        self.click("#quiz")
        asked = 0
        while self.find("#question").is_displayed():
            stop = self.step()
            self.key(Keys.END)
            self.assertEqual(self.step(), stop, "what comes is not shown yet")
            hidden = [row for row in self.all("[role=option]") if not row.is_displayed()]
            self.assertTrue(hidden)
            self.assertFalse(any(one.is_displayed() for one in self.all(".truth, #verdicts")), "nor what is true")
            self.button("No" if asked else "Yes", "#question").click()
            self.assertEqual(self.step(), stop + 1)
            asked += 1
            self.all("#question button")[-1].click()
        self.assertEqual(asked, 3)
        self.assertTrue(self.find("#verdicts").is_displayed())

    def test_a_wrong_answer_is_told(self):
        self.open(self.one)
        self.click("#quiz")
        self.button("No", "#question").click()
        self.assertIn("No: Yes.", self.find("#question .wrong").text)
        self.click("#quiz")
        self.assertFalse(self.find("#question").is_displayed())

    # -- other runs

    def test_what_if(self):
        self.open(self.one)
        self.assertEqual(len(self.all("#what-if input")), 5, "a fault, four leases")
        self.button("What if …").click()
        self.click("#what-if input[type=checkbox]")
        self.assertEqual(self.all("#verdicts .bad"), [])
        self.click("#what-if input[type=checkbox]")
        self.assertEqual(self.address().split("/")[0], "#simulated")
        for radio in range(4):
            self.all("#what-if input[type=radio]")[radio].click()
            self.assertTrue(self.all("#what-if input[type=radio]")[radio].is_selected())
        self.assertIn("outlived", " ".join(one.text for one in self.all("#what-if td button")))
        for number, _ in enumerate(self.all("#what-if td button")):
            self.all("#what-if td button")[number].click()
            self.assertEqual(self.all("#what-if td button")[number].get_attribute("aria-pressed"), "true")
        self.button("simulated", "#views").click()

    def test_the_smallest_cause_is_one_click_away(self):
        self.open(self.one)
        self.button("smallest cause", "#views").click()
        self.assertIn("minimize", self.find("#reproduce").text)
        self.assertLess(self.last_step(), 41)

    def test_side_by_side(self):
        self.open(self.two)
        self.button("side by side", "#views").click()
        self.assertEqual(len(self.all("svg")), 2 + len(self.all("#signs svg")))
        self.assertIn("Where they differ", self.find("#differences").text)
        for selected in (5, 12):
            self.all("#diagrams > div:nth-child(2) [role=option]")[selected].click()
            self.assertEqual(len(self.all("[aria-selected=true]")), 2)
        self.button("simulated", "#views").click()
        self.assertEqual(len(self.all("#diagrams svg")), 1)

    def test_the_table_of_a_site_fits_and_leads_to_both_runs(self):
        checked, out = self.folder / "checked", self.folder / "site"
        scenario = self.source / WIDE
        for words in (("check", scenario, str(scenario).replace(".toml", "-twin.toml"), "--out", checked),
                      ("run", scenario, "--quiet", "--out", checked / "kept")):
            subprocess.run([self.program, *words], check=True, capture_output=True)
        history = checked / "kept/history.jsonl"  # as if servers had made it
        text = history.read_text(encoding="utf-8").replace('"world":"simulated"', '"world":"real"', 1)
        history.write_text(text, encoding="utf-8")
        results = json.loads((checked / "results.json").read_text(encoding="utf-8"))
        results["runs"] += [{**one, "world": "real", "history": "kept"} for one in results["runs"]]
        (checked / "results.json").write_text(json.dumps(results), encoding="utf-8")
        subprocess.run([self.program, "report", "--html", checked, "--out", out], check=True, capture_output=True)
        for name, size in {**WIDTHS, "small": (320, 640)}.items():
            self.size(*size)
            self.driver.get(f"file://{out}/index.html")
            self.assertEqual(len(self.all("thead th")), 5)
            with self.subTest(name):
                self.assertLessEqual(self.js("return document.documentElement.scrollWidth"), size[0])
            self.shot(f"site-{name}")
        self.click("tbody a")
        self.assertEqual([one.text for one in self.all("#views button")][:2], ["simulated", "real"])

    # -- every browser, screen and name

    def test_a_hostile_run_stays_text(self):
        hostile = test_page.Page("run_of")
        hostile.setUp()
        self.addCleanup(hostile.doCleanups)
        name = test_page.HOSTILE
        verdict = {"properties": [{"property": name, "verdict": "violated", "what": name, "events": [3]}]}
        file = self.folder / "hostile.html"
        data = stepper.page_of([hostile.run_of(hostile.hostile(), verdict)])
        file.write_text(html_page.page(data), encoding="utf-8")
        self.open(file)
        for _ in range(self.last_step() + 1):
            self.key(Keys.ARROW_DOWN)
        self.click("#quiz")
        self.assertEqual(self.all("img"), [])
        self.assertEqual(self.driver.title, test_page.HOSTILE)
        self.assertIn(test_page.HOSTILE, self.find("h1").text)

    def test_fits_at_three_widths_dark_and_light(self):
        for name, size in WIDTHS.items():
            for theme in THEMES:
                self.size(*size)
                self.theme(theme)
                self.open(self.one)
                self.click("#violation")
                with self.subTest(f"{name}, {theme}"):
                    self.assertLessEqual(self.js("return document.documentElement.scrollWidth"), size[0])
                    self.assertTrue(self.find("[aria-selected=true]").is_displayed())
                    header = self.js("return document.querySelector('header').offsetHeight")
                    self.assertLessEqual(header, size[1] / 5)
                    cards = self.js("return document.querySelector('section.host').getBoundingClientRect().top")
                    self.assertLess(cards, size[1], "the first card is above the fold")
                    self.assertTrue(self.js("return view.charts[0].rows.every((row) => row.lastChild.title)"))
                    light = self.js("return getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
                    self.assertEqual(light, theme == "light")
                self.shot(f"{name}-{theme}")

    def test_the_names_of_lanes_do_not_touch(self):
        for name, size in WIDTHS.items():
            self.size(*size)
            self.open(self.many)
            boxes = self.js("return [...document.querySelectorAll('.name')].map((one) => "
                            "{ const box = one.getBoundingClientRect(); return [box.top, box.left, box.right] })")
            for (top, left, right), (other, begins, ends) in itertools.combinations(boxes, 2):
                self.assertFalse(abs(top - other) < 10 and left < ends and begins < right, name)

    def test_the_theme_can_be_switched(self):
        self.open(self.one)
        seen = []
        for _ in range(3):
            self.click("#theme")
            seen.append((self.find("#theme").text, self.js("return getComputedStyle(document.body).backgroundColor")))
        self.assertEqual([words for words, _ in seen], ["Theme: dark", "Theme: light", "Theme: auto"])
        self.assertNotEqual(seen[0][1], seen[1][1])

    def test_prints_the_whole_run(self):
        self.open(self.one)
        self.click("#violation")
        printed = self.driver.execute_cdp_cmd("Page.printToPDF", {"printBackground": True})["data"]
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
        self.assertFalse(self.find("#controls").is_displayed())
        whole, shown = self.js("const box = $('diagrams'); return [box.scrollHeight, box.clientHeight]")
        self.assertEqual(whole, shown, "nothing of the diagram is cut off")
        self.assertGreater(len(printed), 20_000)

    def test_everything_has_a_name_and_one_event_is_selected(self):
        self.open(self.one)
        for one in self.all("button, input, summary, [role=listbox]"):
            self.assertTrue(one.accessible_name, one.get_attribute("outerHTML"))
        self.assertEqual(len(self.all("[aria-selected=true]")), 1)
        listed = self.find("[role=listbox]")
        self.key(Keys.ARROW_DOWN)
        selected = self.find("[aria-selected=true]").get_attribute("id")
        self.assertEqual(listed.get_attribute("aria-activedescendant"), selected)
        for summary in self.all("summary"):
            summary.click()
        self.assertIn("[algorithm]", self.find("#scenario").text)
        self.assertGreater(len(self.all("#signs dt")), 5)


if __name__ == "__main__":
    main()
