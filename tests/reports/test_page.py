#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The page to step through a run: it is one file that fetches nothing, no name or value in it becomes markup, and the
same run gives the same bytes. How it behaves in a browser is tested by page_in_browser.py.
"""

import base64
import hashlib
import json
import re
import sys
import tomllib
import unittest
import zlib
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "reports")]

import html_page
import made
import stepper
from history import Run
from page_data import PageRun
from toml_text import toml_text
from variants import least_causes, microseconds
from with_folder import WithFolder

HOSTILE = """</script><img src=x onerror="document.title='broken'">'"&{data}{script}<!--"""
PAGES = (("elements.js", "diagram.js", "page.js"), ("elements.js", "walk.js"))  # the scripts of each
SECOND = 1_000_000
NAMESPACE = "http://www.w3.org/2000/svg"


def unpacked(text):
    data = re.search(r'<script type="text/plain" id="data">([^<]*)</script>', text).group(1)
    return json.loads(zlib.decompress(base64.b64decode(data)))


class Page(WithFolder):
    def run_of(self, story, verdict=None):
        return Run(self.folder, self.history(story), verdict)

    def page_text(self, story, verdict=None):
        return html_page.page(stepper.page_of([self.run_of(story, verdict)]))

    def hostile(self):
        """A story in which every name and value that a file can have is hostile."""
        story = made.Story(HOSTILE)
        story.header["hosts"] = [{"name": name, "kind": kind} for name, kind in
                                 ((HOSTILE, "client"), ("<b>client-2</b>", "client"), ("<i>redis-1", "server"))]
        story.header |= {"scenario_text": f"title = {json.dumps(HOSTILE)}\nalgorithm = {json.dumps(HOSTILE)}\n",
                         "seed": HOSTILE, "lockproof": HOSTILE}
        seen = story.call(HOSTILE, "<i>redis-1", 0, ["SET", HOSTILE, {"token": HOSTILE}], {"error": HOSTILE},
                          [made.effect("acquired", key=HOSTILE)])
        story.add("enter", HOSTILE, seen, round=1)
        story.header["faults"] = {HOSTILE: {"action": HOSTILE, "mark": HOSTILE, "meanwhile": HOSTILE}}
        story.add("strike", "<i>redis-1", SECOND, fault=1, word=HOSTILE, value=1)
        story.add("exit", HOSTILE, 2 * SECOND, round=1, word=HOSTILE)
        return story

    def test_no_name_and_no_value_becomes_markup(self):
        verdict = {"reproduce": HOSTILE, "properties": [
            {"property": HOSTILE, "verdict": "violated", "kind": HOSTILE, "what": HOSTILE, "events": [3]}]}
        text = self.page_text(self.hostile(), verdict)
        self.assertNotIn("<img", text)
        self.assertNotIn("<b>client-2", text)
        self.assertEqual(text.count("</script>"), 2, "those of the data and of the script")
        self.assertEqual(unpacked(text)["runs"][0]["hosts"][0]["name"], HOSTILE, "the page has it, as data")
        self.assertEqual(unpacked(text)["title"], HOSTILE)

    def test_the_script_sets_texts_and_never_markup(self):
        script = "".join(html_page.source(name) for names in PAGES for name in names)
        for way in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "Function(", "srcdoc",
                    "createContextualFragment", "DOMParser", "javascript:", "setTimeout(\""):
            self.assertNotIn(way, script)

    def test_a_person_can_read_the_script_in_one_sitting(self):
        for names in PAGES:
            lines = [line for name in names for line in html_page.source(name).splitlines()]
            self.assertLess(len(lines), 600)
            self.assertLessEqual(max(map(len, lines)), 120)

    def test_fetches_nothing(self):
        text = self.page_text(made.lease_outlived())
        policy = re.search(r'Security-Policy"\s+content="([^"]*)"', text).group(1)
        self.assertIn("default-src 'none'", policy)
        self.assertNotIn("unsafe", policy)
        for tag, content in (("script", r"<script>(.*?)</script>"), ("style", r"<style>(.*?)</style>")):
            inside = re.search(content, text, re.DOTALL).group(1)
            digest = base64.b64encode(hashlib.sha256(inside.encode()).digest()).decode()
            self.assertIn(f"{tag}-src 'sha256-{digest}'", policy, "or a browser refuses it")
        self.assertEqual(re.findall(r"https?://[^\"'\s)]+", text.replace(NAMESPACE, "")), [])
        ways = r"\b(?:src|href)=|@import|url\((?!#)|\bfetch\(|XMLHttp|WebSocket|\bimport\b"
        self.assertEqual(re.findall(ways, text), [])

    def test_the_same_run_gives_the_same_bytes(self):
        first, second = (self.page_text(made.lease_outlived()) for _ in range(2))
        self.assertEqual(first, second)

    def test_polls_are_folded_and_states_are_right_behind_them(self):
        page_run = PageRun(self.run_of(made.lease_outlived(every=10_000)), "simulated", "simulated")
        folds = [step for step in page_run.steps if step["kind"] == "fold"]
        self.assertGreater(len(page_run.run.history.events), 2000)
        self.assertLess(len(page_run.steps), 60)
        self.assertEqual(len(folds), 1)
        self.assertRegex(folds[0]["text"], r"^… \d{3} more attempts, all busy, until \d+\.\d{3} s$")
        inside = next(step["inside"] for step in reversed(page_run.steps) if len(step.get("inside", [])) > 1)
        self.assertEqual(inside, [0, 1])

    def test_says_which_key_a_programs_lock_is(self):
        sentence = "the lock is the key 'app:lock', by [algorithm] key"
        verdict = {"properties": [], "programs": {"key": "app:lock", "key_sentence": sentence}}
        run = unpacked(self.page_text(made.lease_outlived(), verdict))["runs"][0]
        self.assertIn("the lock is the key 'app:lock'", run["about"])
        self.assertEqual(run["lock"], "The lock is the key 'app:lock', by [algorithm] key.")
        self.assertEqual(unpacked(self.page_text(made.lease_outlived()))["runs"][0]["lock"], "")

    def test_says_in_which_words_a_program_fails(self):
        story = made.lease_outlived()
        story.add("failed", "client-1", 90 * SECOND, round=1, error="no-reply", word="could not find driver")
        story.add("touch-failed", "client-1", 91 * SECOND, round=1, error="no-reply", word="no resource")
        words = " ".join(step["text"] for step in unpacked(self.page_text(story))["runs"][0]["steps"])
        self.assertIn('attempt fails: "could not find driver"', words)
        self.assertIn('touch fails: "no resource"', words)

    def test_time_alone_ends_leases_and_keys(self):
        page_run = PageRun(self.run_of(made.lease_outlived()), "simulated", "simulated")
        passing = [(step["host"], step["at"]) for step in page_run.steps if step["kind"] == "time"]
        # Granted at 2 ms for 9.998 s; set at 1 ms for 10 s, and there for all of its last millisecond.
        self.assertEqual(passing, [(0, 10 * SECOND), (2, 10 * SECOND + 2000)])

    def test_says_where_belief_and_truth_part(self):
        page_run = PageRun(self.run_of(made.lease_outlived()), "simulated", "simulated")
        texts = [text for step in page_run.steps for _, text in step.get("partings", [])]
        self.assertIn("client-1 and client-2 are inside at once.", texts)
        self.assertTrue(any(text.startswith("client-1 has outlived its lease") for text in texts), texts)

    def test_asks_before_clients_enter(self):
        page_run = PageRun(self.run_of(made.lease_outlived()), "simulated", "simulated")
        asks = page_run.asks()
        self.assertEqual([(one["choices"][one["right"]], page_run.steps[one["step"]]["kind"]) for one in asks],
                         [("Yes", "enter"), ("No", "enter")])
        self.assertIn("are inside at once", asks[1]["why"])

    def test_the_smallest_page_is_small(self):
        self.assertLess(len(self.page_text(made.lease_outlived())), 60_000)


def luminance(colour):
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    """As the Web Content Accessibility Guidelines measure it."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


class Colours(unittest.TestCase):
    def test_words_can_be_read_on_what_they_stand_on(self):
        pairs = re.findall(r"--([\w-]+): light-dark\((#\w{6}), (#\w{6})\)", html_page.source("page.css"))
        themes = [{name: colours[theme] for name, *colours in pairs} for theme in (0, 1)]
        words = ("ink", "soft", "bad", "fault", "accent", "c0", "c1", "c2", "c3", "c4", "c5")
        read = [(word, ground) for word in words for ground in ("ground", "card")]
        read += [("bad", "bad-fill"), ("ink", "bad-fill"), ("ink", "cursor"), ("bad", "cursor"), ("ground", "accent")]
        measured = [(*pair, contrast(theme[pair[0]], theme[pair[1]])) for theme in themes for pair in read]
        low = [(word, ground, round(found, 1)) for word, ground, found in measured if found < 4.5]
        self.assertEqual(low, [])


class Parts(unittest.TestCase):
    def test_toml_that_was_written_reads_as_it_was(self):
        table = {"title": HOSTILE, "lock": "a\tb\x7f\u2028é", "algorithm": {"name": "x", "retry": "50ms"},
                 "workload": {"clients": 2, "work": ["read", "hold 2s"], "deep": {"a key": True}},
                 "fault": [{"kind": "pause", "for": "1s"}, {"kind": "crash"}], "empty": []}
        self.assertEqual(tomllib.loads(toml_text(table)), table)

    def test_causes_are_the_least_sets(self):
        broken = {0: [], 1: ["a"], 2: [], 3: ["a"], 4: [], 5: ["a"], 6: ["a"], 7: ["a"]}
        self.assertEqual(least_causes(broken, 3, "a"), [1, 6])
        self.assertEqual(least_causes({0: ["a"], 1: ["a"]}, 1, "a"), [0])
        self.assertEqual(least_causes(broken, 3, "b"), [])

    def test_durations(self):
        self.assertEqual([microseconds(text) for text in ("10s", "1.5ms", "2min", "1500us", "10")],
                         [10_000_000, 1500, 120_000_000, 1500, None])


if __name__ == "__main__":
    unittest.main()
