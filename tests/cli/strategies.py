#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fuzzing as a user runs it: strategies.py LOCKPROOF SOURCE.

The same seed gives the same bytes with any number of workers; a finding is saved as a scenario that shows it.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

SCENARIO = "scenarios/documented/leases/lease-outlived-twin.toml"
BUDGET = ["--budget", "scenarios/budgets/one-server.toml"]


class Program:
    def __init__(self, path: str, source: str):
        self.path, self.source = path, source

    def __call__(self, *words: str, expect: tuple = (0, 1, 2)) -> str:
        done = subprocess.run([self.path, *words], cwd=self.source, capture_output=True, text=True, check=False,
                              timeout=100)
        if done.returncode not in expect:
            sys.exit(f"strategies: {' '.join(words)} ended with {done.returncode}: {done.stdout}{done.stderr}")
        return done.stdout if done.returncode < 64 else done.stderr


def equal(what: str, one: str, other: str) -> None:
    if one == other:
        return
    for a, b in zip(one.splitlines(), other.splitlines()):
        if a != b:
            sys.exit(f"strategies: {what}:\n  {a}\n  {b}")
    sys.exit(f"strategies: {what}: one is longer")


def workers(run: Program) -> None:
    for strategy in ("random", "pct", "swarm", "guided"):
        line = ["run", SCENARIO, *BUDGET, "--strategy", strategy, "--runs", "600", "--seed", "9", "--format", "json"]
        equal(f"{strategy}, one worker and three", run(*line, "--workers", "1"), run(*line, "--workers", "3"))


def findings(run: Program, folder: str) -> None:
    for strategy in ("random", "pct", "swarm", "guided"):
        out = f"{folder}/found-{strategy}"
        run("run", SCENARIO, *BUDGET, "--strategy", strategy, "--runs", "2000", "--find", "first", "--out", out,
            expect=(1,))
        files = list(pathlib.Path(out).glob("*.toml"))
        if not files:
            sys.exit(f"strategies: {strategy} saved no finding")
        for file in files:
            run("run", str(file), "--quiet", expect=(0,))
    said = run("run", SCENARIO, *BUDGET, "--strategy", "swarm", "--runs", "1000", expect=(1,))
    again = next(line for line in said.splitlines() if line.startswith("reproduce: ")).split()[2:]
    if "1 of 1 runs" not in run(*again, expect=(1,)):
        sys.exit(f"strategies: {again} does not show the finding again")


def suspended(run: Program, folder: str) -> None:
    """The instants at which a client asks are counted by its clock, which stood still while it was suspended."""
    out = f"{folder}/suspended"
    run("run", "scenarios/bench/token-4x2.toml", *BUDGET, "--max-faults", "3", "--strategy", "random", "--runs", "1",
        "--seed", "10", "--out", out, expect=(1,))
    (file,) = pathlib.Path(out).glob("*grant-is-valid-expired.toml")
    if 'kind = "suspend"' not in file.read_text(encoding="utf-8"):
        sys.exit("strategies: the run that is written down has no suspension")
    run("run", str(file), "--quiet", expect=(0,))


def automatic(run: Program) -> None:
    line = ["--strategy", "auto", "--runs", "100"]
    said = run("run", "scenarios/bench/token-3x2.toml", *line, "--quiet", expect=(0,))
    if "auto explores: the whole space is " not in said or "searched: every schedule" not in said:
        sys.exit(f"strategies: auto does not explore a small space: {said}")
    line = ["run", "scenarios/documented/replication/sentinel-lost-lock-twin.toml", *line, "--format", "json",
            "--budget", "scenarios/budgets/master-replica.toml", "--max-faults", "2"]
    said = run(*line, expect=(1,))
    equal("auto, with one worker", said, run(*line, "--workers", "1", expect=(1,)))
    found = json.loads(said)
    search = found["search"]
    if found["runs"] != 100 or search["strategy"] != "guided" or "auto fuzzes" not in search["chosen_by_auto"]:
        sys.exit(f"strategies: auto does not fuzz in a large space: {said}")


def main() -> None:
    run = Program(sys.argv[1], sys.argv[2])
    with tempfile.TemporaryDirectory() as folder:
        workers(run)
        findings(run, folder)
        suspended(run, folder)
    automatic(run)
    print("strategies: workers and findings are as they should be")


if __name__ == "__main__":
    main()
