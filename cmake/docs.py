#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The documentation of the package: docs.py PROGRAM SOURCE FOLDER.

Copies README.md, CHANGELOG.md and docs/ into FOLDER (share/doc/lockproof), and makes the pages that are not kept in the
repository: what runs, sweeps and searches have found, and what is modelled of Redis. A link to a file that the package
has elsewhere leads there; a link to one that it does not have becomes its text.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

PROGRAM, SOURCE, FOLDER = (Path(word).resolve() for word in sys.argv[1:4])
ELSEWHERE = {"LICENSE": "copyright", "scenarios": "../../lockproof/scenarios", "reports": "../../lockproof/reports"}
HERE = ("docs", "README.md", "CHANGELOG.md")
MADE = {  # page: what prints it, with PROGRAM in the place of {}
    "failures": [sys.executable, "-B", "tests/docs/failures.py", "{}", ".", "page"],
    "libraries": [sys.executable, "-B", "tests/docs/libraries.py", "{}", ".", "page"],
    "libraries-searched": [sys.executable, "-B", "tests/docs/libraries_searched.py", "{}", ".", "page"],
    "redis": ["{}-conformance", "--reference"],  # a program for developers, beside PROGRAM
    "trace-replay": ["cat", "tests/data/trace-replay.txt"],
}
LINK = re.compile(r"(?<!!)\[([^\]]*)\]\(([^)\s#:]+)(#[^)\s]*)?\)")


def place_of(target):
    """Where a file of the source is in the package, seen from FOLDER; None: nowhere."""
    first, _, rest = target.partition("/")
    if first in HERE:
        return target
    return os.path.join(ELSEWHERE[first], rest).rstrip("/") if first in ELSEWHERE else None


def with_links_of_package(page, text):
    def link(match):
        target = os.path.normpath(os.path.join(os.path.dirname(page), match[2]))
        place = place_of(target)
        if place is None:
            return match[1]
        return f"[{match[1]}]({os.path.relpath(place, os.path.dirname(page) or '.')}{match[3] or ''})"

    parts = re.split(r"(^```.*?^```$)", text, flags=re.DOTALL | re.MULTILINE)
    return "".join(part if part.startswith("```") else LINK.sub(link, part) for part in parts)


def made(command):
    done = subprocess.run([word.replace("{}", str(PROGRAM)) for word in command], cwd=SOURCE, capture_output=True,
                          text=True, check=False)
    if done.returncode != 0 or not done.stdout.startswith(("# ", "<!-- ")):
        sys.exit(f"docs.py: {' '.join(command)} ended with {done.returncode}:\n{done.stderr}")
    return done.stdout


def main():
    FOLDER.mkdir(parents=True, exist_ok=True)
    shutil.copytree(SOURCE / "docs", FOLDER / "docs", dirs_exist_ok=True,
                    ignore=shutil.ignore_patterns("__pycache__", "node_modules"))
    for name in HERE[1:]:
        shutil.copy(SOURCE / name, FOLDER / name)
    for name, command in MADE.items():
        (FOLDER / f"docs/reference/{name}.md").write_text(made(command), encoding="utf-8")
    for page in sorted(FOLDER.rglob("*.md")):
        text = with_links_of_package(str(page.relative_to(FOLDER)), page.read_text(encoding="utf-8"))
        page.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
