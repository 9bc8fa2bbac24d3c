#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a page says of causes, of what if, and of lessons was run: test_what_if.py LOCKPROOF SOURCE."""

import contextlib
import html
import io
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "reports")]

import html_page
import lesson
import pages
import stepper
from history import BAD_INPUT_EXIT, load_run
from test_page import unpacked

PLAIN_MAX, WHAT_IF_MAX = 300_000, 1_500_000  # bytes
FOUR_FAULTS = "docs/guide/examples/too-much.toml"
THREE_FAULTS = "scenarios/documented/redlock/redlock-immediate-restart.toml"
OUTLIVED = "scenarios/documented/leases/lease-outlived.toml"
NO_FAULT_NEEDED = "scenarios/notes/redlock-unlock-by-name.toml"
LONG = "scenarios/notes/load-without-faults.toml"
LUA = "scenarios/lua/lua-lease-outlived.toml"
LESSON = "reports/lessons/why-locks-break.toml"


class WithProgram(unittest.TestCase):
    program = source = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def run_of(self, scenario):
        out = self.folder / Path(scenario).stem
        command = [self.program, "run", self.source / scenario, "--quiet", "--out", out]
        subprocess.run(command, capture_output=True, check=False)
        return load_run(out)

    def data(self, scenario, what_if=False):
        return stepper.page_of([self.run_of(scenario)], self.program, what_if)

    def report(self, *words):
        """(exit code, what it printed, what it complained of)."""
        said, complained = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(complained):
            code = pages.main([*map(str, words), "--program", str(self.program), "-o", str(self.folder / "out")])
        return code, said.getvalue(), complained.getvalue()


class Causes(WithProgram):
    def test_a_cause_is_what_it_does_not_happen_without(self):
        one = self.data(OUTLIVED)["runs"][0]
        self.assertIn("pause of client-1 for 11s, client-1 after READ", one["cause_text"])
        self.assertEqual([one["steps"][step]["kind"] for step in one["cause_steps"]], ["strike"])

    def test_of_four_faults_the_one_that_matters(self):
        data = self.data(FOUR_FAULTS, what_if=True)
        cause = data["runs"][0]["cause_text"]
        self.assertIn("pause of client-1", cause)
        self.assertNotIn("crash", cause)
        result = {one["mask"]: one["broken"] for one in data["what_if"]["runs"] if one["lease"] == 1}
        self.assertEqual(len(result), 16)
        pause = next(i for i, words in enumerate(data["what_if"]["faults"]) if words.startswith("pause"))
        self.assertEqual({mask: bool(mask & 1 << pause) for mask in result}, result)
        text = html_page.page(data)
        self.assertLess(len(text.encode()), WHAT_IF_MAX)
        self.assertGreater(len(text.encode()), 80_000, "all of it is there")

    def test_three_faults_of_which_none_can_be_spared(self):
        cause = self.data(THREE_FAULTS)["runs"][0]["cause_text"]
        self.assertEqual(cause.count("partition"), 2)
        self.assertIn("restart of redis-3", cause)

    def test_a_scenario_that_breaks_by_itself_has_no_switches(self):
        data = self.data(NO_FAULT_NEEDED, what_if=True)
        self.assertIsNone(data["what_if"])
        self.assertEqual(data["runs"][0]["cause_text"], "")

    def test_a_lock_in_lua_is_taken_along(self):
        data = self.data(LUA, what_if=True)
        self.assertIn("pause", data["runs"][0]["cause_text"])
        self.assertIn("smallest", [one["key"] for one in data["runs"]])

    def test_the_same_bytes_each_time(self):
        first, second = (html_page.page(self.data(OUTLIVED, what_if=True)) for _ in range(2))
        self.assertEqual(first, second)

    def test_a_long_run_is_no_large_page(self):
        data = self.data(LONG)
        self.assertGreater(len(data["runs"][0]["steps"]), 300)
        self.assertLess(len(html_page.page(data).encode()), PLAIN_MAX)


class Sites(WithProgram):
    def test_a_folder_of_check_becomes_a_table_with_pages(self):
        folder = self.source / "scenarios/documented/fencing"
        checked = self.folder / "checked"
        subprocess.run([self.program, "check", folder, "--out", checked], capture_output=True, check=False)
        code, said, complained = self.report(checked)
        self.assertEqual((code, complained), (0, ""))
        index = (self.folder / "out/index.html").read_text(encoding="utf-8")
        made = sorted(path.name for path in (self.folder / "out").glob("*.html") if path.name != "index.html")
        self.assertGreaterEqual(len(made), 10)
        self.assertIn(f"pages: {len(made)}", said)
        for name in made:
            self.assertIn(f'href="{name}"', index)
            page = unpacked((self.folder / "out" / name).read_text(encoding="utf-8"))
            self.assertEqual(page["runs"][0]["key"], "simulated")
        self.assertIn("✗ lease outlived", index)
        self.assertNotIn("<script", index)

    def test_a_real_run_that_was_kept_is_beside_the_simulated_one(self):
        checked = self.folder / "checked"
        for words in (("check", self.source / OUTLIVED, "--out", checked),
                      ("run", self.source / OUTLIVED, "--quiet", "--out", checked / "runs/kept")):
            subprocess.run([self.program, *words], capture_output=True, check=False)
        history = checked / "runs/kept/history.jsonl"  # as if servers had made it
        text = history.read_text(encoding="utf-8").replace('"world":"simulated"', '"world":"real"', 1)
        history.write_text(text, encoding="utf-8")
        results = json.loads((checked / "results.json").read_text(encoding="utf-8"))
        results["runs"].append({**results["runs"][0], "world": "real", "history": "runs/kept"})
        (checked / "results.json").write_text(json.dumps(results), encoding="utf-8")
        code, _, complained = self.report(checked)
        self.assertEqual((code, complained), (0, ""))
        page = unpacked((self.folder / "out/lease-outlived.html").read_text(encoding="utf-8"))
        self.assertEqual([run["key"] for run in page["runs"]][:2], ["simulated", "real"])
        self.assertEqual(page["comparisons"][0]["says"][0], "Every property has the same verdict in both.")

    def test_what_cannot_be_run_again_has_no_page(self):
        folder = self.folder / "scenarios"
        folder.mkdir()
        file = folder / "gone.toml"
        file.write_text((self.source / OUTLIVED).read_text(encoding="utf-8"), encoding="utf-8")
        command = [self.program, "check", folder, "--out", self.folder / "checked"]
        subprocess.run(command, capture_output=True, check=False)
        file.unlink()
        code, _, complained = self.report(self.folder / "checked")
        self.assertEqual(code, 0)
        self.assertIn("no page: ", complained)
        self.assertIn("gone.toml", complained)
        self.assertNotIn('href="gone.html"', (self.folder / "out/index.html").read_text(encoding="utf-8"))


class Lessons(WithProgram):
    def test_the_guide_has_every_part(self):
        guide = (self.source / "docs/guide/11-teaching.md").read_text(encoding="utf-8")
        parts = lesson.load_lesson(self.source / LESSON).parts
        self.assertEqual((len(parts), sum(part.minutes for part in parts)), (6, 90))
        for part in parts:
            self.assertIn(f"| {part.aim} |", guide)

    def test_its_questions_stop_before_the_events_that_they_name(self):
        self.assertEqual(self.report(self.source / LESSON)[::2], (0, ""))
        found = sorted((self.folder / "out").glob("part-[1-6].html"))
        self.assertEqual(len(found), 6)
        for page, part in zip(found, lesson.load_lesson(self.source / LESSON).parts):
            run = unpacked(page.read_text(encoding="utf-8"))["runs"][0]
            for ask, one in zip(run["asks"], part.questions, strict=True):
                step = run["steps"][ask["step"]]
                self.assertTrue(f"{run['hosts'][step['host']]['name']} {step['text']}".startswith(one["before"]))
                self.assertLess(ask["stop"], ask["step"])
                self.assertEqual(ask["choices"][ask["right"]], one["answer"])
            self.assertLess(page.stat().st_size, WHAT_IF_MAX)

    def test_a_wrong_lesson_is_refused(self):
        good = (self.source / LESSON).read_text(encoding="utf-8")
        good = good.replace("../../scenarios", f"{self.source}/scenarios")
        for old, new, expected in (
                ('before = "client-1 ← redis-1: OK"', 'before = "client-9 ENTERS"',
                 "no event of lease-outlived.toml begins"),
                ('stop = "client-1 its lease ends"', 'stop = "client-1 → redis-1"', "question 2 stops too early"),
                ('answer = "9.998 s"', 'answer = "11 s"', "part 1, question 1: the answer '11 s' is none of its"),
                ("aim = ", "goal = ", "part 1 has a key 'goal' that is not known"),
                ("minutes = 20", 'minutes = "20"', "'minutes' is to be a whole number"),
                ("lease-outlived.toml", "lease-outlive.toml", "lease-outlive.toml"),
                ("[[part]]", "[[part", "lesson.toml")):
            file = self.folder / "lesson.toml"
            file.write_text(good.replace(old, new, 1), encoding="utf-8")
            code, _, complained = self.report(file)
            self.assertEqual(code, BAD_INPUT_EXIT, expected)
            self.assertIn(expected, complained)
            self.assertFalse((self.folder / "out").exists(), "nothing is half-written")

    def test_two_sites_do_not_fit_into_one_folder(self):
        self.assertEqual(self.report(self.source / LESSON, self.source / LESSON)[0], BAD_INPUT_EXIT)


if __name__ == "__main__":
    WithProgram.program, WithProgram.source = sys.argv[1], Path(sys.argv[2]).resolve()
    del sys.argv[1:3]
    unittest.main()
