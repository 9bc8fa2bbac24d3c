#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The pictures in docs/images show what the tables beside them say: no lock of the catalogue is missing in one, and the
cells of the frontier are those of docs/reference/frontier.md. What a picture shows is written in it. test_images.py SOURCE
"""

import json
import re
import sys
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parents[1] / "reports")]

import frontier
from pictures import said

COLUMNS = "DOLR"  # of the table, from the left; then what it is not broken by, and what was not tried
NO_FAULT_AT_ALL = "no fault at all"
UNKNOWN = "?"  # of a cell; the table leaves it out
SIMULATED_ONLY = "chubby-"


def catalogue(source):
    text = (source / "docs/reference/catalogue.md").read_text(encoding="utf-8")
    return re.findall(r"^### ([a-z0-9-]+)$", text.split("\n## Algorithms")[1].split("\n## ")[0], re.M)


def table(source):
    """By lock what the table says, as the picture has it: {kind: letters}, without what needs no fault."""
    text = (source / "docs/reference/frontier.md").read_text(encoding="utf-8")
    rows = re.search(r"<!-- frontier -->\n(.*?)<!-- end -->", text, re.S)[1].splitlines()[2:]
    rows = [row for row in rows if row.startswith("|")]  # below them: what was searched otherwise
    found = {}
    for row in rows:
        lock, *cells = [cell.strip() for cell in row.strip("|").split("|")]
        letters = found.setdefault(lock.strip("`"), {})
        for letter, cell in zip((*COLUMNS, frontier.NONE, frontier.NOT_TRIED), cells):
            for kind in cell.split(", ") if cell != "–" else ():
                kind = frontier.NO_FAULT if kind == NO_FAULT_AT_ALL else kind
                letters[kind] = letters.get(kind, "") + letter
    return found


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
        drawn, printed = self.says("frontier.png"), table(self.source)
        self.assertEqual(list(drawn), catalogue(self.source))
        self.assertEqual(list(printed), catalogue(self.source))
        for lock, cells in drawn.items():
            always = set(cells[frontier.NO_FAULT]) - {frontier.NONE}
            own = {kind: "".join(sign for sign in signs if sign not in always or kind == frontier.NO_FAULT)
                   for kind, signs in cells.items()}
            if always:
                expected = {kind: letters for kind, letters in own.items() if letters and letters != frontier.NONE}
            else:
                del own[frontier.NO_FAULT]
                expected = {kind: letters for kind, letters in own.items() if letters != UNKNOWN}
            self.assertEqual(printed[lock], expected, lock)


if __name__ == "__main__":
    if sys.argv[1:] and Path(sys.argv[1]).is_dir():
        Images.source = Path(sys.argv.pop(1))
    unittest.main()
