#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A search finds documented failures that nobody placed: found_by_search.py PROGRAM ROOT [NAME…].

A scenario whose [case] has a `search` is searched with that budget and without its own faults. Among the minimal sets
of faults that break it must be one that breaks the first property that the scenario expects, in the way that it
expects, and has no kinds of faults but the scenario's.
"""

import json
import subprocess
import sys
import tomllib
from pathlib import Path

LIMITS = (20, 300)  # seconds: most are found long before a search has seen everything
SECONDS = 600


def expected(scenario):
    """What the simulated run breaks first: (property, kind)."""
    expect = scenario["expect"]
    return next(iter(expect.get("run", expect.get("all")).items()))


def found(program, root, file, scenario):
    """True, or why not."""
    for limit in LIMITS:
        outcome = found_within(limit, program, root, file, scenario)
        if outcome is True:
            break
    return outcome


def found_within(limit, program, root, file, scenario):
    search = scenario["case"]["search"]
    name, kind = expected(scenario)
    kinds = {fault["kind"] for fault in scenario.get("fault", [])}
    budget = root / "scenarios/budgets" / f"{search['budget']}.toml"
    words = [program, "explore", str(file), "--budget", str(budget), "--max-faults", str(search.get("faults", 1)),
             "--find", "causes", "--quiet", "--time", f"{limit}s", "--format", "json"]
    done = subprocess.run(words, capture_output=True, text=True, timeout=SECONDS, check=False)
    try:
        causes = json.loads(done.stdout).get("causes", [])
    except ValueError:
        return (done.stdout + done.stderr)[:500]
    for cause in causes:
        if cause["property"] == name and kind in ("violated", cause.get("kind")) and set(cause["faults"]) <= kinds:
            return True
    return f"{name} ({kind}) by {', '.join(sorted(kinds)) or 'nothing'} is not among {len(causes)} causes"


def main():
    program, root = str(Path(sys.argv[1]).resolve()), Path(sys.argv[2])
    searched = findings = 0
    for file in sorted((root / "scenarios").rglob("*.toml")):
        scenario = tomllib.loads(file.read_text(encoding="utf-8"))
        if "search" not in scenario.get("case", {}) or (sys.argv[3:] and file.stem not in sys.argv[3:]):
            continue
        searched += 1
        outcome = found(program, root, file, scenario)
        if outcome is not True:
            findings += 1
            print(f"{file}: {outcome}", file=sys.stderr)
    print(f"{searched} searched, {findings} not found")
    return 1 if findings or not searched else 0


if __name__ == "__main__":
    sys.exit(main())
