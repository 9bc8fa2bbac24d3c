#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The page of the package on documented failures: failures.py PROGRAM ROOT check|page.

`page` prints what `lockproof list cases --format markdown` prints, and below it three tables, by symptom, by library
and by fault. `check` asks that no symptom is without a failure and no failure without a symptom, and, where the page
says that a run can be done again on real servers, that tests/data/trace-replay.txt says so of that scenario.
"""

import json
import re
import subprocess
import sys
from pathlib import Path

REPLAYS = "tests/data/trace-replay.txt"
SYMPTOMS = (  # what was seen, and the properties that it breaks
    ("two hold the lock at once", {"mutual-exclusion"}),
    ("an update is lost, or a late write counts", {"resource-safety"}),
    ("somebody else's lock is released or renewed", {"owner-release"}),
    ("nobody has the lock, and nobody gets it",
     {"deadlock-freedom", "fault-tolerance", "availability", "bounded-takeover"}),
    ("one waits while others get it", {"starvation-freedom"}),
    ("the lock is still held after its release, or free before it", {"re-entrancy"}),
    ("the holder is not told that it lost the lock", {"loss-notification"}),
    ("a grant is over when it is given", {"grant-is-valid"}),
    ("a holder renews its lock without end", {"renewal-rate"}),
    ("fencing tokens do not grow with the grants", {"fencing-order"}),
    ("work is done twice", {"once-per-period"}),
    ("a round never gets in, or leadership does not settle", {"every-round-enters", "leadership-settles"}),
    ("the lock changes hands without a cause", {"hand-over-cause"}),
)
SHOWN_ELSEWHERE = {"renewal-rate", "hand-over-cause"}  # in no documented failure yet
NO_FAULT = "none: it happens by itself"
QUIET = {"no-violation", "holds", "unknown"}


def listed(program, root, what):
    done = subprocess.run([program, "list", what, "--scenarios", "scenarios", "--format", "json"], cwd=root,
                          capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"`lockproof list {what}` ends with {done.returncode}:\n{done.stderr[:2000]}")
    return json.loads(done.stdout)


def row(key, names):
    links = ", ".join(f"[{name}](#{name})" for name in names)
    return f"| {key} | {links} |\n"


def table(head, found):
    return f"| {head} | failures |\n|---|---|\n" + "".join(row(key, names) for key, names in found if names)


class Catalogue:
    def __init__(self, program, root):
        self.cases = listed(program, root, "cases")["cases"]
        self.scenarios = {one["file"]: one for one in listed(program, root, "scenarios")["scenarios"]}

    def shows(self, case):
        return [self.scenarios[file] for file in case["shows"]]

    def names(self, fits):
        return [case["id"] for case in self.cases if case["shows"] and fits(case)]

    def broken(self, case):
        return {name for one in self.shows(case) for world in ("run", "real", "explore")
                for name, word in one["expected"].get(world, {}).items() if word not in QUIET}

    def of_symptom(self, properties):
        return self.names(lambda case: self.broken(case) & properties)

    def by_symptom(self):
        return table("what was seen", [(text, self.of_symptom(properties)) for text, properties in SYMPTOMS])

    def by_library(self):
        repos = {}
        for case in self.cases:
            for source in case["sources"]:
                if "repo" in source and case["shows"]:
                    repos.setdefault(source["repo"], [])
                    if case["id"] not in repos[source["repo"]]:
                        repos[source["repo"]].append(case["id"])
        return table("library", [(f"`{repo}`", repos[repo]) for repo in sorted(repos, key=str.lower)])

    def by_fault(self):
        kinds = sorted({fault.split(" of ")[0] for one in self.scenarios.values() for fault in one["faults"]})

        def has(kind):
            return lambda case: any(fault.startswith(f"{kind} of ")
                                    for one in self.shows(case) for fault in one["faults"])
        return table("fault", [(f"`{kind}`", self.names(has(kind))) for kind in kinds]
                     + [(NO_FAULT, self.names(lambda case: any(not one["faults"] for one in self.shows(case))))])

    def tables(self):
        return (f"\n## By symptom\n\n{self.by_symptom()}\n## By library\n\nWhere an issue or a pull request of a "
                f"repository reports it:\n\n{self.by_library()}\n## By fault\n\nWhat strikes in the scenario that "
                f"shows it:\n\n{self.by_fault()}")

    def without_symptom(self):
        told = {name for _, properties in SYMPTOMS for name in self.of_symptom(properties)}
        return [f"no symptom leads to {name}" for name in self.names(self.broken) if name not in told]

    def without_failure(self):
        return [f"no failure has the symptom '{text}'" for text, properties in SYMPTOMS
                if not self.of_symptom(properties) and not properties & SHOWN_ELSEWHERE]

    def replays(self, page):
        """Scenarios that show a case, and whether the page on trace replays says that it could not be done again. A
        page that has no line of a scenario says that it was confirmed, and breaks nothing in one run."""
        refused = set(re.findall(r"^\| `([^`]+)` \|[^|]*\| (?:not reproducible here|diverged)", page, re.MULTILINE))
        for case in self.cases:
            for one in self.shows(case):
                yield one["scenario"], one["scenario"] in refused


def main():
    program, root = str(Path(sys.argv[1]).resolve()), Path(sys.argv[2])
    catalogue = Catalogue(program, root)
    page = subprocess.run([program, "list", "cases", "--scenarios", "scenarios", "--format", "markdown"], cwd=root,
                          capture_output=True, text=True, check=False).stdout
    if sys.argv[3] == "page":
        print(page + catalogue.tables(), end="")
        return 0
    findings = catalogue.without_symptom() + catalogue.without_failure()
    for name, refused in catalogue.replays((root / REPLAYS).read_text(encoding="utf-8")):
        line = rf"^- \[{re.escape(name)}\]\(.*?done again, event by event: (\w+)"
        says = re.search(line, page, re.MULTILINE | re.DOTALL)
        if not says or (says[1] == "no") != refused:
            findings.append(f"the page and {REPLAYS} do not say the same of {name}")
    for finding in findings:
        print(finding, file=sys.stderr)
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
