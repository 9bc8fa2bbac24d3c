#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Four searches, a fuzzing run and a check take as many instructions as they did: instructions.py LOCKPROOF SOURCE

Valgrind's Callgrind counts them, the same number each time, whatever else the machine does. UPDATE=1 writes
instructions.json anew. The numbers are of one compiler and its options: another build says so, and is not compared.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77
TOLERANCE = 0.05
FILE = pathlib.Path(__file__).with_name("instructions.json")
ONE = ["--workers", "1"]
WORK = {
    "a search of many states": ["explore", "scenarios/bench/token-3x2.toml", "--quiet", *ONE],
    "a search with free asks": ["explore", "scenarios/documented/leases/lease-outlived.toml", "--engine", "stateful",
                                "--quiet", *ONE],
    "a search of every timing": ["explore", "scenarios/documented/leases/lease-outlived.toml", "--quiet", *ONE],
    "a search by re-execution": ["explore", "scenarios/bench/token-3x2.toml", "--max-faults", "0", "--engine",
                                 "reexecution",
                           "--quiet", *ONE],
    "a fuzzing run": ["run", "scenarios/bench/token-3x2.toml", "--strategy", "swarm", "--runs", "200",
                      "--quiet", *ONE],
    "a check": ["check", "scenarios/notes", "--workers", "1"],
}


def instructions(program, source, words):
    with tempfile.TemporaryDirectory() as folder:
        command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/out", program, *words]
        done = subprocess.run(command, cwd=source, capture_output=True, text=True, check=False)
        found = re.findall(r"Collected : (\d+)", done.stderr)  # by each process: a check forks
        assert found and done.returncode in (0, 1, 2), f"{words}: {done.returncode}\n{done.stderr[-2000:]}"
        return sum(map(int, found))


def built_by(program):
    """The compiler, as it signs what it makes."""
    comment = subprocess.run(["readelf", "-p", ".comment", program], capture_output=True, text=True, check=True).stdout
    return " ".join(sorted(set(re.findall(r"\]\s+(.*)", comment))))


def main():
    program, source = os.path.abspath(sys.argv[1]), sys.argv[2]
    if not shutil.which("valgrind"):
        print("skipped: no valgrind; Debian's package is valgrind")
        return SKIPPED
    counted = {name: instructions(program, source, words) for name, words in WORK.items()}
    now = {"compiler": built_by(program), "instructions": counted}
    if os.environ.get("UPDATE"):
        FILE.write_text(json.dumps(now, indent=2) + "\n", encoding="utf-8")
        return 0
    stored = json.loads(FILE.read_text(encoding="utf-8"))
    if stored["compiler"] != now["compiler"]:
        print(f"skipped: the figures are of {stored['compiler']}, and this is {now['compiler']}")
        return SKIPPED
    wrong = 0
    for name, count in counted.items():
        change = count / stored["instructions"][name] - 1
        differs = abs(change) > TOLERANCE
        wrong += differs
        print(f"{name}: {count / 1e6:.1f} million instructions, {change:+.1%}{', too far' if differs else ''}")
    if wrong:
        print("if that is as it should be, UPDATE=1 writes these figures")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
