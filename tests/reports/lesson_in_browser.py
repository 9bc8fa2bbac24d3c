#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The pages of a class in headless Chromium: no answer can be read before its question.
lesson_in_browser.py LOCKPROOF SOURCE
"""

import re
import subprocess
import sys
from pathlib import Path

from selenium.webdriver.common.keys import Keys

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "reports")]

import lesson
from in_browser import WIDTHS, InBrowser, main

LESSON = "reports/lessons/why-locks-break.toml"


class Lesson(InBrowser):
    def test_every_page_of_a_lesson(self):
        out = self.folder / "lesson"
        command = [self.program, "report", "--html", self.source / LESSON, "--out", out]
        subprocess.run(command, check=True, capture_output=True)
        self.driver.get(f"file://{out}/index.html")
        self.assertEqual(len(self.all("section.part")), 6)
        pages = [one.get_attribute("href").removeprefix("file://") for one in self.all("h2 a")]
        for page, part in zip(pages, lesson.load_lesson(self.source / LESSON).parts, strict=True):
            self.open(page)
            self.tells_no_answer_before_it_is_asked(part)
        self.click("#up a")
        self.assertIn("index.html", self.driver.current_url)

    def tells_no_answer_before_it_is_asked(self, part):
        """Walks through the questions of a page, and looks at all that can be read at each."""
        run = self.js("return view.runs[0]")
        broken = [one for one in run["verdicts"] if one["verdict"] == "violated"]
        secrets = [part.aim, run["cause_text"] or part.aim, "violated", "the cause"]
        secrets += [text for one in broken for text in (one["name"], one["what"])]
        secrets.append(re.search(r'^title = "(.*)"$', part.scenario.read_text(encoding="utf-8"), re.M)[1])
        for number, ask in enumerate(run["asks"]):
            self.key(Keys.END)
            self.assertEqual(self.step(), ask["stop"], "nobody steps past a question")
            if not number or ask["stop"] > run["asks"][number - 1]["step"]:
                self.assertFalse(self.find(".truth").is_displayed())
            shown = self.find("body").text.replace(self.find("#question").text, "")
            why = [one["why"] for one in run["asks"][number:]]
            answer = ask["choices"][ask["right"]]
            told = [answer] if re.search(r"\d s|[a-z] [a-z]", answer) else []  # not Yes, or whose
            for text in (*secrets, *why, *told):
                self.assertNotIn(text, shown, f"{part.title}, question {number + 1}")
            self.assertNotIn(part.scenario.stem, self.driver.current_url)
            self.size(*WIDTHS["phone"])
            self.wait(lambda: self.js("return innerWidth") == WIDTHS["phone"][0])
            self.assertFalse(self.find("#verdicts").is_displayed(), "nor when a phone is turned")
            self.size(*WIDTHS["desktop"])
            self.all("#question button")[ask["right"]].click()
            self.assertIn(ask["why"], self.find("#question").text)
            self.all("#question button")[-1].click()
        self.assertTrue(self.find("#verdicts, #about").is_displayed())


if __name__ == "__main__":
    main()
