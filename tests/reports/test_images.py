#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The pictures in docs/images show what the tables beside them say: no lock of the catalogue is missing in one, and the
cells of the frontier are those of docs/reference/frontier.md. What a picture shows is written in it.
test_images.py SOURCE
"""

import json
import re
import sys
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "reports")]

import frontier
from beyond import beyond, lines_of, table_of
from pictures import said

UNKNOWN = "?"  # of a cell; the table leaves it out
SIMULATED_ONLY = "chubby-"


def catalogue(source):
    text = (source / "docs/reference/catalogue.md").read_text(encoding="utf-8")
    return re.findall(r"^### ([a-z0-9-]+)$", text.split("\n## Algorithms")[1].split("\n## ")[0], re.M)


def page_of(source):
    return (source / "docs/reference/frontier.md").read_text(encoding="utf-8")


class Images(unittest.TestCase):
    source = HERE.parents[1]

    def says(self, name):
        text = said(self.source / "docs/images" / name)
        self.assertTrue(text, f"docs/images/{name} does not say what it shows: draw it anew with lockproof report")
        return json.loads(text)

    def test_the_bench_has_every_lock_in_both_worlds(self):
        self.assertGreater(len(catalogue(self.source)), 10)
        worlds = {lock: ["simulated"] if lock.startswith(SIMULATED_ONLY) else ["simulated", "real"]
                  for lock in catalogue(self.source)}
        self.assertEqual(self.says("bench.png"), worlds)

    def test_the_frontier_has_every_lock_and_the_letters_of_the_table(self):
        drawn, printed = self.says("frontier.png"), table_of(page_of(self.source))
        self.assertEqual(list(drawn), catalogue(self.source))
        self.assertEqual(list(printed), catalogue(self.source))
        for lock, cells in drawn.items():
            for kind in [kind for kind, signs in cells.items() if signs == frontier.BEYOND]:
                self.assertIn(printed[lock].pop(kind), (frontier.NONE, frontier.NOT_TRIED), f"{lock}, {kind}")
                del cells[kind]
            cells = {kind: signs.replace(frontier.BEYOND, "") for kind, signs in cells.items()}
            always = set(cells[frontier.NO_FAULT]) - {frontier.NONE}
            own = {kind: "".join(sign for sign in signs if sign not in always or kind == frontier.NO_FAULT)
                   for kind, signs in cells.items()}
            if always:  # with one of its workloads: the other one's letters are pale, too
                expected = {kind: letters for kind, letters in own.items() if letters and letters != frontier.NONE}
                shown = {kind: "".join(sign for sign in signs if sign not in always or kind == frontier.NO_FAULT)
                         for kind, signs in printed[lock].items()}
                printed[lock] = {kind: letters for kind, letters in shown.items() if letters}
            else:
                del own[frontier.NO_FAULT]
                expected = {kind: letters for kind, letters in own.items() if letters != UNKNOWN}
            self.assertEqual(printed[lock], expected, lock)

    def test_what_the_catalogue_shows_beyond_the_table_is_listed(self):
        page = page_of(self.source)
        listed = re.search(r"<!-- beyond -->\n(.*?)<!-- end -->", page, re.S)[1].splitlines()
        self.assertEqual(listed, list(lines_of(beyond(table_of(page), self.source / "scenarios"))))

    def test_what_is_beyond_is_found(self):
        page = page_of(self.source)
        table = table_of(page)
        table["set-px-token"]["pause (client)"] = frontier.NONE
        self.assertIn("- `set-px-token`, pause (client): mutual-exclusion (outlived) in [lease-outlived]"
                      "(../../scenarios/documented/leases/lease-outlived.toml)",
                      list(lines_of(beyond(table, self.source / "scenarios"))))


if __name__ == "__main__":
    if sys.argv[1:] and Path(sys.argv[1]).is_dir():
        Images.source = Path(sys.argv.pop(1))
    unittest.main()
