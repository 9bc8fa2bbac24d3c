#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every scenario of the catalogue, and its twin, is as expected: in one run, and in every schedule within its bounds.

    catalogue.py LOCKPROOF SOURCE small     one run of each, and the searches of at most 2,000 states
    catalogue.py LOCKPROOF SOURCE large     the larger searches, whose states are those of catalogue_states.txt
    catalogue.py LOCKPROOF SOURCE some      a quarter of these

UPDATE=1 catalogue.py LOCKPROOF SOURCE small searches everything, and writes catalogue_states.txt.
"""
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys

PROGRAM, SOURCE, PART = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3]
TABLE = SOURCE / "tests/cli/catalogue_states.txt"
SMALL, QUARTER = 2000, 4
ENDLESS = "endless"  # in place of states: the scenario expects that a search stops at its limit
CORES = 2


def scenarios():
    """Those that are written, and the twins that [twin] derives."""
    files = []
    for file in sorted((SOURCE / "scenarios").rglob("*.toml")):
        name = file.relative_to(SOURCE).as_posix()
        if "/budgets/" in name or file.name == "cases.toml":
            continue
        files.append(name)
        if "\n[twin]" in file.read_text():
            files.append(name.replace(".toml", "-twin.toml"))
    return files


def written_of(file):
    return file if (SOURCE / file).exists() else file.replace("-twin.toml", ".toml")


def states_of(file):
    endless = 'explore = "unknown"' in (SOURCE / written_of(file)).read_text()
    command = [PROGRAM, "explore", file, "--format", "json", "--workers", "1", "--memory", "1M" if endless else "4G"]
    done = subprocess.run(command, cwd=SOURCE, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{file}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    answer = json.loads(done.stdout)
    return str(answer["states"]) if answer["complete"] else ENDLESS


def searched(files):
    with concurrent.futures.ThreadPoolExecutor(CORES) as pool:
        return dict(zip(files, pool.map(states_of, files)))


def check(words):
    done = subprocess.run([PROGRAM, "check", *words], cwd=SOURCE, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"exit code {done.returncode}\n{done.stdout[-6000:]}{done.stderr}")
    print(done.stdout.splitlines()[-1])


def main():
    files = scenarios()
    if os.environ.get("UPDATE"):
        TABLE.write_text("".join(f"{file} {states}\n" for file, states in searched(files).items()))
    table = dict(line.split() for line in TABLE.read_text().splitlines())
    if list(table) != files:
        sys.exit(f"UPDATE=1 makes {TABLE.name} anew: {sorted(set(table) ^ set(files)) or 'its order'}")
    small = {file for file, states in table.items() if states != ENDLESS and int(states) <= SMALL}
    if PART == "small":
        # check judges a file together with the twin that it derives.
        whole = {written_of(file) for file in files} - {written_of(file) for file in set(files) - small}
        check(["--explore", *sorted(whole)])
        check(sorted({written_of(file) for file in files} - whole))
    else:
        large = [file for file in files if file not in small]
        large = large[::QUARTER] if PART == "some" else large
        wrong = [f"{file}: {states} states, and not {table[file]}" for file, states in searched(large).items()
                 if states != table[file]]
        if wrong:
            sys.exit("\n".join(wrong))
        print(f"{len(large)} searches have the states of {TABLE.name}")


main()
