#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The matrix by documented failure has a row for each, with its twin and its fix; asserted on rows, not on pixels."""

import contextlib
import io
import json
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "reports")]

import cases
import report
from test_matrix import OUTLIVED, checked, entry


def about(role, ids, world="simulated", broken=(), met="yes"):
    return {**entry(f"{role}-{'-'.join(ids)}", world=world, broken=broken, met=met),
            "case": {"role": role, "ids": list(ids)}}


class Rows(unittest.TestCase):
    def test_a_failure_has_what_shows_it_its_twin_and_its_fix(self):
        row, = cases.cases([about("shows", ["a"], broken=OUTLIVED), about("twin", ["a"]), about("fix", ["a"]),
                            entry("b")])
        self.assertEqual(row.name, "a")
        verdicts = [row.of(role, "simulated").verdict for role in ("shows", "twin")]
        self.assertEqual(verdicts, ["violated", "no-violation"])
        self.assertEqual(row.of_fix("simulated").verdict, "no-violation")
        self.assertIsNone(row.of("shows", "real"))

    def test_of_several_the_worst_is_shown(self):
        row, = cases.cases([about("fix", ["a"]), about("fix", ["a"], broken=OUTLIVED, met="no")])
        self.assertEqual((row.of_fix("simulated").verdict, row.of_fix("simulated").as_expected), ("violated", False))

    def test_a_fix_beside_which_something_else_breaks_as_expected_is_of_its_own_kind(self):
        row, = cases.cases([about("fix", ["a"], broken=OUTLIVED)])
        self.assertEqual(row.of_fix("simulated").verdict, cases.REMAINS)

    def test_a_fix_that_is_called_as_a_twin_is_both(self):
        shows, fix = about("shows", ["a"], broken=OUTLIVED), about("fix", ["a"])
        fix["file"] = shows["file"].replace(".toml", "-twin.toml")
        row, = cases.cases([shows, fix])
        self.assertEqual(row.of("twin", "simulated").verdict, "no-violation")
        other, = cases.cases([shows, about("fix", ["a"])])
        self.assertIsNone(other.of("twin", "simulated"))

    def test_where_no_fix_helps_one_that_fails_is_shown(self):
        row, = cases.cases([about("fix-fails", ["a"], broken=OUTLIVED)])
        self.assertEqual(row.of_fix("simulated").verdict, "violated")

    def test_a_scenario_of_two_failures_stands_in_both_rows(self):
        self.assertEqual([row.name for row in cases.cases([about("shows", ["b", "a"])])], ["a", "b"])


class Pictures(unittest.TestCase):
    def test_the_results_of_check_give_it_beside_the_matrix(self):
        with tempfile.TemporaryDirectory() as folder:
            results = Path(folder) / "results.json"
            results.write_text(checked(about("shows", ["a"], broken=OUTLIVED), about("twin", ["a"])), encoding="utf-8")
            with contextlib.redirect_stdout(io.StringIO()):
                self.assertEqual(report.main([str(results), "-o", folder]), 0)
            self.assertTrue((Path(folder) / "cases.png").exists())

    def test_results_without_cases_give_none(self):
        with tempfile.TemporaryDirectory() as folder:
            results = Path(folder) / "results.json"
            results.write_text(json.dumps(json.loads(checked(entry("a")))), encoding="utf-8")
            with contextlib.redirect_stdout(io.StringIO()):
                self.assertEqual(report.main([str(results), "-o", folder]), 0)
            self.assertFalse((Path(folder) / "cases.png").exists())


if __name__ == "__main__":
    unittest.main()
