#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""soak: what breaks without luck is found, made small and replayed. soak.py LOCKPROOF SOURCE."""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

LOCKPROOF, SOURCE = sys.argv[1:3]
BUDGET = ["--budget", "scenarios/budgets/one-server.toml"]


def soak(*options):
    done = subprocess.run([LOCKPROOF, "soak", *options, "--format", "json"], cwd=SOURCE, capture_output=True, text=True,
                          timeout=100)
    assert not done.stderr, done.stderr
    return done.returncode, json.loads(done.stdout)


def finds_what_breaks():
    with tempfile.TemporaryDirectory() as folder:
        options = ["--time", "40s", "--find", "first", *BUDGET, "--out", folder]
        code, found = soak("scenarios/documented/clocks/getset-skew.toml", *options)
        assert code == 1 and found["runs"] > 0, found
        ways = {(way["property"], way.get("kind"), way["by"]): way for way in reversed(found["violated"])}
        way = next(one for key, one in sorted(ways.items()) if key[:2] == ("mutual-exclusion", "double-grant"))
        assert way["smallest"]["trace_replay"] == "confirmed", way
        again = subprocess.run([LOCKPROOF, "run", way["smallest"]["file"]], capture_output=True, text=True, timeout=60)
        assert again.returncode == 0 and "violated (double-grant)" in again.stdout, again.stdout
        assert pathlib.Path(way["first"]["file"]).exists()
        kept = pathlib.Path(folder) / "runs" / f"run-{way['first']['run']}"
        names = {file.name for file in kept.iterdir()}
        assert names == {"scenario.toml", "history.jsonl", "trace.txt"}, names


def leaves_alone_what_does_not():
    twin = "scenarios/documented/clocks/getset-skew-twin.toml"
    code, found = soak(twin, "--time", "4s", "--max-faults", "0", *BUDGET)
    assert (code, found["violated"]) == (0, []) and found["runs"] > 0 and not found["faults"], found
    assert not found["never_struck"], found


def says_what_never_struck():
    code, found = soak("scenarios/documented/clocks/getset-skew-twin.toml", "--time", "4s", "--workers", "1", *BUDGET)
    kinds = set(re.findall(r'^kind = "(.*)"', pathlib.Path(SOURCE, BUDGET[1]).read_text(), re.MULTILINE))
    kinds -= {"pool-switch"}  # which Redis cannot have
    assert set(found["faults"]) | set(found["never_struck"]) == kinds, found
    assert not set(found["faults"]) & set(found["never_struck"]), found


def main():
    finds_what_breaks()
    leaves_alone_what_does_not()
    says_what_never_struck()
    print("soak: as documented")


if __name__ == "__main__":
    main()
