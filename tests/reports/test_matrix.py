#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the matrix of failures lists is right, asserted on rows and not on pixels; bad input leaves nothing behind."""

import contextlib
import io
import json
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "reports")]

import made
import matrix
import report
import results


def entry(scenario, world="simulated", algorithm="set-px-token", broken=(), verdict="no-violation", met="yes"):
    """What check prints of one scenario; `broken` names (property, kind)."""
    properties = [{"property": "mutual-exclusion", "verdict": verdict, "expected": "no-violation", "met": met}]
    properties += [{"property": name, "verdict": "violated", "expected": "violated", "met": met,
                    **({"kind": kind} if kind else {})} for name, kind in broken]
    return {"scenario": scenario, "file": f"scenarios/notes/{scenario}.toml", "algorithm": algorithm, "world": world,
            "properties": properties}


def checked(*entries):
    """The document that check writes."""
    return json.dumps({"schema_version": 2, "lockproof": "0.1.0", "runs": list(entries), "unreadable": []})


OUTLIVED = (("mutual-exclusion", "outlived"), ("resource-safety", None))


class Rows(unittest.TestCase):
    def rows(self, *entries):
        return results.failures(list(entries))

    def test_a_twin_stands_in_the_row_of_its_scenario_under_its_scenarios_lock(self):
        rows = self.rows(entry("a-twin", algorithm="repaired"), entry("a", algorithm="broken", broken=OUTLIVED))
        self.assertEqual(list(rows), ["broken"])
        row, = rows["broken"]
        self.assertEqual((row.name, row.results["simulated"].verdict, row.twin["simulated"].verdict),
                         ("a", "violated", "no-violation"))

    def test_the_worst_verdict_is_shown(self):
        for verdict, broken, shown in (("holds", (), "holds"), ("no-violation", (), "no-violation"),
                                       ("unknown", (), "unknown"), ("unknown", OUTLIVED, "violated")):
            self.assertEqual(results.result(entry("a", verdict=verdict, broken=broken)).verdict, shown)

    def test_results_of_the_version_before_are_read(self):
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stderr(io.StringIO()):
            file = Path(folder) / "results.json"
            file.write_text(checked(entry("a", verdict="not-found")), encoding="utf-8")
            self.assertEqual(results.result(results.load_results(file)[0]).verdict, "no-violation")

    def test_what_was_not_judged_is_not_shown_as_not_found(self):
        unjudged = {"property": "availability", "verdict": "no-violation", "judged": False}
        searched = entry("a", verdict="holds")
        searched["properties"].append(unjudged)
        self.assertEqual(results.result(searched).verdict, "holds")
        nothing = results.result({"properties": [unjudged]})
        self.assertEqual(nothing.verdict, "not-judged")
        self.assertEqual(matrix.broken_text({"simulated": nothing}), "not judged")
        self.assertIn("not-judged", matrix.SYMBOLS)

    def test_an_expectation_that_was_not_written_is_met(self):
        self.assertTrue(results.result({"properties": [{"property": "a", "verdict": "violated"}]}).as_expected)

    def test_what_broke_is_said_in_words_and_an_unknown_property_by_its_name(self):
        one = results.result(entry("a", broken=(*OUTLIVED, ("brand-new", None))))
        self.assertEqual(one.broken, ("lease outlived", "lost update", "brand-new"))

    def test_worlds_are_told_apart_only_where_they_differ(self):
        broken, clean = results.result(entry("a", broken=OUTLIVED)), results.result(entry("a"))
        undecided = results.result(entry("a", verdict="unknown"))
        text = matrix.broken_text
        self.assertEqual(text({"simulated": broken, "real": broken}), "lease outlived, lost update")
        self.assertEqual(text({"simulated": broken}), "lease outlived, lost update")
        self.assertEqual(text({"simulated": broken, "real": clean}), "sim: lease outlived, lost update; real: nothing")
        self.assertEqual(text({"simulated": undecided, "real": undecided}), "unknown")
        self.assertEqual(text({"simulated": broken, "real": undecided}), "lease outlived, lost update")
        self.assertEqual(text({}), "")

    def test_an_expectation_that_was_not_met_is_marked(self):
        self.assertFalse(results.result(entry("a", met="no")).as_expected)
        self.assertFalse(results.result(entry("a", met="unknown")).as_expected)
        self.assertTrue(results.result(entry("a")).as_expected)
        self.assertTrue(results.result(entry("a", met="unstated")).as_expected)

    def test_the_columns_list_everything_once_and_keep_groups_whole_near_the_middle(self):
        for sizes in ((1,), (1, 1), (3, 4, 3), (30, 2), (2, 30), (5, 5, 5, 5)):
            entries = [entry(f"{group}-{i}", algorithm=f"lock-{group}") for group, size in enumerate(sizes)
                       for i in range(size)]
            parts = matrix.columns(self.rows(*entries))
            shown = [failure.name for part in parts for _, failure in part if failure]
            self.assertEqual(sorted(shown), sorted(one["scenario"] for one in entries), sizes)
            for part in parts:
                self.assertIsNone(part[0][1], "a column begins with the name of a lock")
                self.assertIsNotNone(part[-1][1], "and does not end with one")


class Pictures(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def report(self, text, *more):
        source = self.folder / "results.json"
        source.write_text(text, encoding="utf-8")
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = report.main([str(source), *map(str, more), "-o", str(self.folder / "pictures")])
        return code, out.getvalue(), err.getvalue()

    def test_results_become_a_png_and_an_svg_the_same_each_time(self):
        text = checked(*(entry("a", world, broken=OUTLIVED) for world in results.WORLDS), entry("a-twin"),
                       entry("a", "explored"))
        drawn = []
        for _ in range(2):
            code, out, err = self.report(text)
            self.assertEqual((code, err), (0, ""))
            drawn.append([(self.folder / "pictures" / f"matrix.{kind}").read_bytes() for kind in ("png", "svg")])
        self.assertEqual(drawn[0], drawn[1])
        self.assertTrue(drawn[0][0].startswith(b"\x89PNG"))

    def test_runs_and_results_can_be_drawn_at_once_and_a_folder_stands_for_its_file(self):
        run = self.folder / "run"
        run.mkdir()
        (run / "history.jsonl").write_text(made.lease_outlived().text(), encoding="utf-8")
        code, out, err = self.report(checked(entry("a")), run, self.folder)
        self.assertEqual((code, err), (0, ""))
        self.assertEqual(sorted(path.name for path in (self.folder / "pictures").glob("*.png")),
                         ["lease-outlived-simulated.png", "matrix.png"])

    def test_bad_results_are_named_and_nothing_is_written(self):
        no_world = {key: value for key, value in entry("a").items() if key != "world"}
        for text, expected in (("", "no JSON"), ("{}", "expected the runs"), ("[]", "expected the runs"),
                               (checked(), "expected the runs"), (checked(1), "entry 1"),
                               (checked(entry("a"), no_world), "entry 2 is no result"),
                               (checked(entry("a", "dreamt")), "of the world 'dreamt'")):
            code, out, err = self.report(text)
            self.assertEqual((code, out), (65, ""))
            self.assertIn(expected, err)
            self.assertEqual(err.count("\n"), 1, err)
        self.assertFalse((self.folder / "pictures").exists())


if __name__ == "__main__":
    unittest.main()
