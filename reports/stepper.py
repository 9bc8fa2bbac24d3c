# SPDX-License-Identifier: Apache-2.0
"""Pages to step through runs: stepper.py RUN… -o FOLDER. Runs of one scenario share a page.

They need Python alone, and for causes and *what if* the program.
"""

import argparse
import sys
from pathlib import Path

import comparison
from history import BAD_INPUT_EXIT, BadInput, load_run
from html_page import page
from outputs import write
from page_data import PageRun
from what_if import WhatIf

WHAT_IF_MAX, PLAIN_MAX = 1_500_000, 300_000  # bytes


def page_of(runs, program=None, what_if=False):
    """The data of the page of some runs of one scenario; the first gives it its title."""
    history = runs[0].history
    shown = [PageRun(run, key, key) for run, key in zip(runs, unique([run.history.world for run in runs]))]
    compared = [comparison.compare("compared", "side by side", shown[0], shown[1])] if len(shown) > 1 else []
    switches, others = None, []
    if program:
        tried = WhatIf(program, shown[0], what_if)
        tried.tell_cause()
        if what_if and tried.runs:
            switches, others = tried.data(), tried.others()
        shown += smallest(tried.variants, shown[0])
    return {"title": history.scenario.get("title") or history.header.get("scenario", "a run"),
            "version": history.header.get("lockproof", "?"), "algorithm": history.algorithm(),
            "scenario_text": history.header.get("scenario_text", ""), "runs": [one.data() for one in (*shown, *others)],
            "comparisons": compared, "what_if": switches}


def smallest(variants, shown):
    """The smallest run that breaks what this one breaks, if there is a smaller one."""
    run = variants.smallest() if shown.broken() else None
    if run is None:
        return []
    file = shown.run.history.header.get("scenario_file", "FILE")
    run.verdict["reproduce"] = f"lockproof minimize {file}"
    return [PageRun(run, "smallest", "smallest cause")]


def unique(names):
    """The same names, numbered where one occurs again."""
    found = []
    for name in names:
        count = sum(one == name or one.startswith(name + "-") for one in found)
        found.append(f"{name}-{count + 1}" if count else name)
    return found


def by_scenario(runs):
    found = {}
    for run in runs:
        found.setdefault(run.history.header.get("scenario") or run.path.name, []).append(run)
    return found


def write_pages(runs, options):
    options.out.mkdir(parents=True, exist_ok=True)
    for name, members in by_scenario(runs).items():
        text = page(page_of(members, options.program, options.what_if))
        target = options.out / f"{name.replace('/', '-')}.html"
        write(target, text.encode())
        print(f"page: {target}")


def main(arguments=None):
    parser = argparse.ArgumentParser(description="Writes pages to step through runs.")
    parser.add_argument("paths", nargs="+", metavar="RUN", type=Path, help="a folder that a run wrote")
    parser.add_argument("-o", "--out", metavar="FOLDER", type=Path, required=True)
    parser.add_argument("--program", metavar="LOCKPROOF", help="to run the scenario in other forms")
    parser.add_argument("--what-if", action="store_true", help="with switches for faults and leases")
    parser.add_argument("--questions", metavar="FILE", type=Path, help="what the page asks")
    options = parser.parse_args(arguments)
    try:
        write_pages([load_run(path) for path in options.paths], options)
    except BadInput as problem:
        print(f"report: {problem}", file=sys.stderr)
        return BAD_INPUT_EXIT
    return 0


if __name__ == "__main__":
    sys.exit(main())
