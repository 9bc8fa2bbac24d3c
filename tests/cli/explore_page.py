#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""explore --html writes the page of its counterexample, --walk one of all states: explore_page.py LOCKPROOF SOURCE."""

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

PROGRAM, SOURCE = str(Path(sys.argv[1]).resolve()), Path(sys.argv[2]).resolve()
FILE = str(SOURCE / "docs/guide/examples/my_lock.toml")
HOLDS = ('[algorithm]\nname = "set-px-token"\n[workload]\nwork = ["hold 100ms"]\n[explore]\n'
         'contention = "as-written"\nmax_faults = 0\n')


def explore(folder, *words, code, page="--html"):
    done = subprocess.run([PROGRAM, "explore", *words, "-q", page], cwd=folder, capture_output=True, text=True,
                          timeout=240, check=False)
    assert done.returncode == code, f"{words} ends with {done.returncode}: {done.stdout}{done.stderr}"
    return done


def test_walk(folder):
    small = str(SOURCE / "docs/guide/examples/one-attempt.toml")
    done = explore(folder, small, "--out", "walk", code=0, page="--walk")
    text = (folder / re.search(r"^page: (.*)$", done.stdout, re.MULTILINE)[1]).read_text(encoding="utf-8")
    assert "What could happen next" in text and len(text) < 3_000_000, "it is one file with all states"
    space = json.loads((folder / "walk/one-attempt.states.json").read_text(encoding="utf-8"))
    assert space["reduced"] is False and any(event[4] for event in space["events"]), "an event breaks something"
    assert all(0 <= event[end] < len(space["states"]) for event in space["events"] for end in (0, 1)), "each leads on"
    large = str(SOURCE / "scenarios/bench/token-3x2.toml")
    done = subprocess.run([PROGRAM, "explore", large, "-q", "--walk", "--time", "1s"], cwd=folder, capture_output=True,
                          text=True, timeout=240, check=False)
    assert "no page to walk through: its search was stopped" in done.stdout, done.stdout
    done = explore(folder, small, "--liveness", code=64, page="--walk")
    assert "--walk: --liveness searches no space of states" in done.stderr, done.stderr


def main():
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        done = explore(folder, FILE, code=1)
        page = folder / re.search(r"^page: (.*)$", done.stdout, re.MULTILINE)[1]
        assert page.parent == folder / "out/my_lock", page
        text = page.read_text(encoding="utf-8")
        assert "double-grant" in text and "<script" in text, "it is a page of the counterexample"
        history = page.with_suffix("") / "history.jsonl"
        assert history.exists(), f"the run that it shows is beside it: {history}"
        done = explore(folder, FILE, "--out", "here", "--format", "json", code=1)
        assert json.loads(done.stdout)["complete"] is True and "page: here/" in done.stderr, done.stderr
        (folder / "holds.toml").write_text(HOLDS, encoding="utf-8")
        done = explore(folder, "holds.toml", code=0)
        assert "no page: there is no counterexample" in done.stdout, done.stdout
        done = explore(folder, FILE, "--liveness", code=64)
        assert "--html: --liveness writes no page" in done.stderr, done.stderr
        test_walk(folder)
    print("explore --html and --walk: as documented")


if __name__ == "__main__":
    main()
