#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How soon each strategy finds what there is to find: strategies_table.py LOCKPROOF-STRATEGIES SOURCE [catalogue|rare].

Compares the numbers of runs with the tables in tests/data/strategies.md, and with UPDATE=1 writes them. Runs must be
the same; seconds are those of the machine that wrote the table.
"""
import os
import pathlib
import re
import subprocess
import sys

SEEDS = {"catalogue": "9", "rare": "5"}


def runs_of(table: str) -> list:
    return [re.sub(r" \([0-9.]+ s\)", "", line) for line in table.splitlines()]


def main() -> None:
    program, page = sys.argv[1], pathlib.Path(sys.argv[2]) / "tests/data/strategies.md"
    wrong = False
    for which in sys.argv[3:] or SEEDS:
        made = subprocess.run([program, which, SEEDS[which]], capture_output=True, text=True, check=True).stdout
        text = page.read_text(encoding="utf-8")
        there = re.search(rf"<!-- strategies: {which} -->\n(.*?)<!-- end -->", text, re.DOTALL)
        if not there:
            sys.exit(f"strategies_table: {page} has no table of {which}")
        if os.environ.get("UPDATE"):
            page.write_text(text[:there.start(1)] + made + text[there.end(1):], encoding="utf-8")
            continue
        for one, other in zip(runs_of(there[1]), runs_of(made)):
            if one != other:
                wrong = True
                print(f"{which}: the page has {one}, now it is {other}")
        wrong |= len(there[1].splitlines()) != len(made.splitlines())
    if wrong:
        sys.exit("strategies_table: UPDATE=1 and this script write tests/data/strategies.md anew")
    print("the tables are true")


if __name__ == "__main__":
    main()
