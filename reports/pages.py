# SPDX-License-Identifier: Apache-2.0
"""Pages to step through runs: pages.py RUN|CHECK-FOLDER|LESSON… -o FOLDER. Runs of one scenario share a page.

They need Python alone, and for causes, *what if*, lessons and the pages of a check the program.
"""

import argparse
import sys
from pathlib import Path

import site_pages
from history import BAD_INPUT_EXIT, BadInput, load_run
from html_page import page, walk_page
from outputs import write
from stepper import page_of
from walk_data import SUFFIX, load_walk, walk_of

RESULTS = "results.json"


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


def write_walk(path, options):
    options.out.mkdir(parents=True, exist_ok=True)
    target = options.out / f"{path.name.removesuffix(SUFFIX)}-walk.html"
    write(target, walk_page(walk_of(load_walk(path))).encode())
    print(f"page: {target}")


def main(arguments=None):
    parser = argparse.ArgumentParser(description="Writes pages to step through runs.")
    parser.add_argument("paths", nargs="+", metavar="RUN", type=Path,
                        help="a folder that run, real or check wrote, or a lesson, in TOML")
    parser.add_argument("-o", "--out", metavar="FOLDER", type=Path, required=True)
    parser.add_argument("--program", metavar="LOCKPROOF", help="to run the scenario in other forms")
    parser.add_argument("--what-if", action="store_true", help="with switches for faults and leases")
    options = parser.parse_args(arguments)
    try:
        lessons = [path for path in options.paths if path.suffix == ".toml"]
        walks = [path for path in options.paths if path.name.endswith(SUFFIX)]
        checks = [path if path.name == RESULTS else path / RESULTS for path in options.paths
                  if path.name == RESULTS or (path / RESULTS).exists()]
        runs = [load_run(path) for path in options.paths if path not in lessons + walks and path not in checks
                and path / RESULTS not in checks]
        if len(lessons + checks) > 1:
            raise BadInput("one lesson or one folder of check at a time: each has a first page of its own")
        for path in lessons:
            site_pages.write_lesson(path, options)
        for path in checks:
            site_pages.write_check_site(path, options)
        for path in walks:
            write_walk(path, options)
        write_pages(runs, options)
    except BadInput as problem:
        print(f"report: {problem}", file=sys.stderr)
        return BAD_INPUT_EXIT
    return 0


if __name__ == "__main__":
    sys.exit(main())
