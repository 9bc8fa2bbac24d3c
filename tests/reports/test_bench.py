#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the picture of the bench table shows is what bench wrote; bad input leaves nothing behind."""

import contextlib
import io
import json
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "reports")]

import bench
import report
from pictures import said


def cell(algorithm, clients, world="simulated", takeover=1_000_000, **more):
    return {"algorithm": algorithm, "world": world, "clients": clients, "window_us": 10_000_000,
            "acquisitions_per_s": {"median": 200.0, "min": 190.0, "max": 210.0}, "wait_p50": {"us": 510},
            "wait_p99": {"us": 150_000, "at_least": True}, "takeover_us": takeover, "double_grant": False, **more}


def table(*cells):
    setup = {"hold_us": 2000, "think_time_us": 2000, "lease_us": 1_000_000, "latency_us": [100, 400],
             "redlock_servers": 5,
             "clients": [2, 8], "runs": 3}
    return {"lockproof_bench": 1, "setup": setup, "cells": list(cells)}


EVERYTHING = table(cell("a", 2), cell("a", 8, double_grant=True), cell("a", 2, "real", None),
                   cell("b", 2, wait_p50=None))


class Points(unittest.TestCase):
    def test_both_worlds_stand_on_one_line_and_algorithms_apart(self):
        listed = bench.lines(EVERYTHING["cells"])
        self.assertEqual([(algorithm, clients, sorted(worlds)) for algorithm, clients, worlds, _ in listed],
                         [("a", 2, ["real", "simulated"]), ("a", 8, ["simulated"]), ("b", 2, ["simulated"])])
        a2, a8, b2 = (y for *_, y in listed)
        self.assertEqual(a8 - a2, 1)
        self.assertGreater(b2 - a8, 1)

    def test_a_panel_shows_what_is_in_the_cell(self):
        rate, middle, long, takeover = (panel.point for panel in bench.PANELS)
        one = cell("a", 2)
        self.assertEqual((rate(one).value, middle(one), long(one)),
                         (200.0, bench.Point(510), bench.Point(150_000, at_least=True)))
        self.assertEqual(takeover(one), bench.Point(1_000_000))
        self.assertEqual(takeover(cell("a", 2, takeover=None)), bench.Point(None, never=True))
        self.assertEqual(middle(cell("a", 2, wait_p50=None)), bench.Point(None))


    def test_the_picture_says_which_locks_it_has_in_which_worlds(self):
        self.assertEqual(json.loads(bench.says(EVERYTHING)), {"a": ["simulated", "real"], "b": ["simulated"]})

    def test_every_lock_is_named_once_in_the_picture(self):
        figure = bench.page(EVERYTHING)
        words = [text.get_text() for text in figure.axes[0].texts]
        bench.plt.close(figure)
        self.assertEqual((words.count("a"), words.count("b")), (1, 1))


class Pictures(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def report(self, text):
        (self.folder / "bench.json").write_text(text, encoding="utf-8")
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = report.main([str(self.folder), "-o", str(self.folder / "pictures")])
        return code, out.getvalue(), err.getvalue()

    def test_a_table_becomes_a_png_and_an_svg_the_same_each_time(self):
        drawn = []
        for _ in range(2):
            code, out, err = self.report(json.dumps(EVERYTHING))
            self.assertEqual((code, err), (0, ""))
            drawn.append([(self.folder / "pictures" / f"bench.{kind}").read_bytes() for kind in ("png", "svg")])
        self.assertEqual(drawn[0], drawn[1])
        self.assertTrue(drawn[0][0].startswith(b"\x89PNG"))
        self.assertEqual(said(self.folder / "pictures" / "bench.png"), bench.says(EVERYTHING))

    def test_bad_tables_are_named_and_nothing_is_written(self):
        half = table(cell("a", 2))
        del half["cells"][0]["wait_p99"]
        for text, expected in (("", "no JSON"), ("{}", "not what `lockproof bench` wrote"),
                               (json.dumps({**EVERYTHING, "lockproof_bench": 9}), "version 9"),
                               (json.dumps(table()), "nothing was measured"),
                               (json.dumps(half), "cell 1 has no wait_p99")):
            code, out, err = self.report(text)
            self.assertEqual((code, out), (65, ""), text)
            self.assertIn(expected, err)
            self.assertEqual(err.count("\n"), 1, err)
        self.assertFalse((self.folder / "pictures").exists())


if __name__ == "__main__":
    unittest.main()
