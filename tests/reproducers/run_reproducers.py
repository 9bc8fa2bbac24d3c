#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Scenarios that once gave a wrong or a poor answer give the right one: run_reproducers.py LOCKPROOF FOLDER KIND.

Each file says in its [expect] what is right. KIND: `simulated` runs and searches them, `replication` searches those
that have replicas, `real` runs on real servers those that expect something there, and
`engines` compares both engines.
"""
import json
import pathlib
import subprocess
import sys
import tomllib

REFUSED = {"overclaim-failover.toml": "can never strike here: redis-1 has no replica",
           "overclaim-clock-rate.toml": "'rate' is 0 %"}
SECONDS = 300


def answer(*command):
    done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
    return done.returncode, done.stdout + done.stderr


def explored(program, file):
    """With replicas, the rest of the space may be large: there it is enough that the violations come in time."""
    expected = tomllib.loads(file.read_text(encoding="utf-8"))["expect"]["explore"]
    large = isinstance(expected, dict) and "replica_of" in file.read_text(encoding="utf-8")
    code, text = answer(program, "explore", str(file), "--quiet", *(["--time", "300s"] if large else []))
    if large:
        lines = {name: "violated" if kind == "violated" else f"violated ({kind})" for name, kind in expected.items()}
        return all(f"{name:<19} {line}" in text for name, line in lines.items()) or text
    return code == 0 or text


def refused(program, file):
    code, text = answer(program, "explore", str(file))
    return (code == 64 and REFUSED[file.name] in text) or text


def run_in(world):
    def run(program, file):
        words = ["check", str(file), "--real"] if world == "real" else ["run", str(file), "--quiet"]
        code, text = answer(program, *words)
        return code == 0 or text
    return run


def same_in_both_engines(program, file):
    counts = []
    for engine in ("stateful", "reexecution"):
        _, text = answer(program, "explore", str(file), "--no-reduction", "--engine", engine, "--format", "json")
        found = json.loads(text)
        counts.append([found[key] for key in ("complete", "states", "transitions")])
    return (counts[0] == counts[1] and counts[0][0]) or f"stateful {counts[0]}, reexecution {counts[1]}"


def checks_of(file, kind):
    if file.name.startswith("limits-"):  # tests/cli/limits.py: they are too large
        return []
    text = file.read_text(encoding="utf-8")
    expect = tomllib.loads(text).get("expect", {})
    replicas = "replica_of" in text
    if kind == "engines":
        return [same_in_both_engines] if file.name.startswith("engines-") else []
    if kind == "real":
        return [run_in("real")] if "real" in expect else []
    if kind == "replication":
        return [explored] if replicas and "explore" in expect else []
    if file.name in REFUSED:
        return [refused]
    checks = [run_in("run")] if "run" in expect else []
    return checks + [explored] * ("explore" in expect and not replicas)


def main():
    program, folder, kind = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3]
    count = wrong = 0
    for file in sorted(folder.glob("*.toml")):
        for check in checks_of(file, kind):
            count += 1
            result = check(program, file)
            if result is not True:
                wrong += 1
                print(f"{file.name}: not the right answer\n{result}")
    print(f"{count - wrong} of {count} as they should be")
    return 1 if wrong or not count else 0


if __name__ == "__main__":
    sys.exit(main())
