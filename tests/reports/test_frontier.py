#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the picture of the frontier says is right, asserted on its cells and not on pixels; bad input is told."""

import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "reports")]

import frontier
from history import BadInput


def search(algorithm="a", kinds=("pause", "crash", "half-open"), searched=2, **properties):
    """What lockproof wrote of one search; of each property the sets that are enough, with their kind."""
    return {"algorithm": algorithm, "topology": "1 server", "kinds": list(kinds), "max_faults": 2,
            "searched_faults": searched,
            "properties": [{"property": name.replace("_", "-"), "harmless": [],
                            "enough": [{"faults": list(faults), "kind": kind} for faults, kind in sets]}
                           for name, sets in properties.items()]}


class Cells(unittest.TestCase):
    def cells(self, *searches):
        cells = frontier.rows(searches)["a"]
        return {kind: signs for kind, signs in cells.items() if kind != frontier.NO_FAULT}

    def test_one_fault_that_is_enough_gives_every_letter_of_what_it_does_the_worst_first(self):
        cells = self.cells(search(resource_safety=[(["crash"], ""), (["pause"], "")], owner_release=[(["pause"], "")],
                                  deadlock_freedom=[(["pause"], "orphaned")],
                                  mutual_exclusion=[(["pause"], "outlived"), (["pause"], "double-grant")]))
        self.assertEqual(cells, {"pause": "DOLR", "crash": "R", "half-open": frontier.NONE})

    def test_a_fault_that_does_more_together_with_another_one_says_so(self):
        cells = self.cells(search(deadlock_freedom=[(["pause", "crash"], "orphaned"), (["crash"], "orphaned")],
                                  resource_safety=[(["pause"], "")]))
        self.assertEqual(cells, {"pause": "R2", "crash": "L", "half-open": frontier.NONE})

    def test_what_was_not_searched_or_showed_nothing_is_no_harmlessness(self):
        for one in (search(searched=0), {**search(), "vacuous": "nobody contends"}):
            self.assertEqual(set(self.cells(one).values()), {frontier.UNKNOWN})
        found = self.cells(search(searched=0, mutual_exclusion=[(["pause"], "outlived")]))
        self.assertEqual(found, {"pause": "O", "crash": frontier.UNKNOWN, "half-open": frontier.UNKNOWN})

    def test_a_fault_that_was_not_tried_is_no_harmless_one(self):
        cells = self.cells({**search(), "not_tried": [{"fault": "half-open", "why": "too late"}]})
        self.assertEqual(cells, {"pause": frontier.NONE, "crash": frontier.NONE, "half-open": frontier.NOT_TRIED})

    def test_what_the_catalogue_shows_with_another_workload_is_no_dot(self):
        shown = [{"fault": "crash", "property": "deadlock-freedom", "kind": "orphaned"},
                 {"fault": "pause", "property": "mutual-exclusion", "kind": "double-grant"},
                 {"fault": "flush", "property": "mutual-exclusion", "kind": "double-grant"}]
        cells = self.cells({**search(mutual_exclusion=[(["pause"], "outlived")]), "beyond": shown})
        self.assertEqual(cells, {"pause": "O" + frontier.BEYOND, "crash": frontier.BEYOND, "half-open": frontier.NONE})

    def test_what_needs_no_fault_comes_with_any_and_has_a_column(self):
        always = search(mutual_exclusion=[([], "double-grant"), (["pause"], "outlived")], owner_release=[([], "")])
        self.assertEqual(frontier.rows([always])["a"],
                         {frontier.NO_FAULT: "DR", "pause": "DOR", "crash": "DR", "half-open": "DR"})
        self.assertEqual(frontier.kinds_of([always]), [frontier.NO_FAULT, "pause", "crash", "half-open"])
        self.assertEqual(frontier.kinds_of([search()]), ["pause", "crash", "half-open"])
        self.assertIn("pale", frontier.scope([always]))
        self.assertNotIn("pale", frontier.scope([search()]))

    def test_the_durations_that_all_searches_share_are_named(self):
        both = [{**search(), "measures": ["lease 10s", "work 6s"]}, {**search(), "measures": ["no lease", "work 6s"]}]
        self.assertEqual(frontier.measures(both), "work 6s   ·   lease 10s")  # shared, and of the first
        self.assertEqual(frontier.measures(both[:1]), "lease 10s   ·   work 6s")

    def test_searches_of_one_lock_share_a_row(self):
        both = [search(kinds=("pause", "half-open"), searched=0),
                search(kinds=("pause", "failover"), mutual_exclusion=[(["failover"], "outlived")])]
        self.assertEqual(self.cells(*both), {"pause": frontier.UNKNOWN, "half-open": frontier.UNKNOWN, "failover": "O"})
        self.assertEqual(len(frontier.rows(both)), 1)


class Drawn(unittest.TestCase):
    def test_each_letter_of_a_cell_is_drawn_and_explained(self):
        both = [(["pause"], "outlived"), (["pause"], "double-grant")]
        figure = frontier.page([search(mutual_exclusion=both)])
        drawn = [text.get_text() for text in figure.axes[0].texts]
        frontier.plt.close(figure)
        self.assertEqual([drawn.count(letter) for letter in "DOLR"], [2, 2, 0, 0], "in its cell and in the legend")
        self.assertEqual(drawn.count(frontier.NONE), 3)
        self.assertIn("a holder outlives its lease", drawn)
        self.assertNotIn("the lock is never free again", drawn)


class BadFiles(unittest.TestCase):
    def test_are_told(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "frontier.json"
            for text in ("", "[]", "{}", '{"frontiers": [{"algorithm": "a"}]}', '{"frontiers": [1]}'):
                file.write_text(text, encoding="utf-8")
                with self.assertRaises(BadInput):
                    frontier.load_frontiers(file)


if __name__ == "__main__":
    unittest.main()
