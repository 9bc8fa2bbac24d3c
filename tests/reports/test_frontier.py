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


def search(algorithm="a", kinds=("pause", "crash", "drop"), searched=2, **properties):
    """What lockproof wrote of one search; of each property the sets that are enough, with their kind."""
    return {"algorithm": algorithm, "topology": "1 server", "kinds": list(kinds), "max_faults": 2,
            "searched_faults": searched,
            "properties": [{"property": name.replace("_", "-"), "harmless": [],
                            "enough": [{"faults": list(faults), "kind": kind} for faults, kind in sets]}
                           for name, sets in properties.items()]}


class Cells(unittest.TestCase):
    def test_one_fault_that_is_enough_gives_the_letter_of_the_worst_that_it_does(self):
        cells = frontier.rows([search(mutual_exclusion=[(["pause"], "outlived"), (["pause"], "double-grant")],
                                      resource_safety=[(["crash"], ""), (["pause"], "")])])["a"]
        self.assertEqual(cells, {"pause": "D", "crash": "R", "drop": frontier.NONE})

    def test_a_fault_that_needs_another_one_is_told_apart(self):
        cells = frontier.rows([search(deadlock_freedom=[(["pause", "crash"], "orphaned"), (["crash"], "orphaned")])])
        self.assertEqual(cells["a"], {"pause": "2", "crash": "L", "drop": frontier.NONE})

    def test_what_was_not_searched_is_no_harmlessness(self):
        self.assertEqual(set(frontier.rows([search(searched=0)])["a"].values()), {frontier.UNKNOWN})

    def test_without_a_fault_the_worst_counts(self):
        cells = frontier.rows([search(mutual_exclusion=[([], "double-grant")], owner_release=[([], "")])])["a"]
        self.assertEqual(cells[frontier.ALWAYS], "D")

    def test_searches_of_one_lock_share_a_row(self):
        rows = frontier.rows([search(), search(kinds=("failover",), mutual_exclusion=[(["failover"], "outlived")])])
        self.assertEqual(rows["a"]["failover"], "O")
        self.assertEqual(len(rows), 1)


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
