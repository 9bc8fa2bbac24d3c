#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fuzzing as a user runs it: strategies.py LOCKPROOF SOURCE.

The same seed gives the same bytes with any number of workers; the results of all shards add up to the result of the
whole, to the byte; a finding is saved as a scenario that shows it; what does not belong together is not merged.
"""
import json
import pathlib
import re
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


def shards(run: Program, folder: str) -> None:
    for options in (["--strategy", "random", *BUDGET], ["--strategy", "swarm", *BUDGET, "--max-faults", "2"],
                    ["--strategy", "pct:2", *BUDGET], []):
        line = ["run", SCENARIO, *options, "--runs", "500"]
        parts = []
        for part in range(1, 5):
            parts.append(f"{folder}/{len(options)}-{part}")
            run(*line, "--shard", f"{part}/4", "--out", parts[-1])
        equal(f"{options}, four shards and the whole", run("merge", *reversed(parts), "--format", "json"),
              run(*line, "--format", "json"))
        # merge runs nothing, so it does not tell what happened in a run.
        told = [one for one in run(*line).splitlines(keepends=True) if not one.startswith("what happened: ")]
        equal(f"{options}, as text", run("merge", *parts), "".join(told))


def guided_shards(run: Program, folder: str) -> None:
    line = ["run", SCENARIO, *BUDGET, "--strategy", "guided", "--runs", "300"]
    parts = [f"{folder}/guided-{part}" for part in (1, 2)]
    for part, out in enumerate(parts, 1):
        run(*line, "--shard", f"{part}/2", "--out", out)
    one, other = (json.loads(pathlib.Path(out, "verdict.json").read_text())["search"] for out in parts)
    both = json.loads(run("merge", *parts, "--format", "json"))
    if both["search"]["combinations"] != sorted({*one["combinations"], *other["combinations"]}):
        sys.exit("strategies: merged guided shards do not have the combinations of both")
    if both["runs"] != 300 or "2 shards, each guided by what it met itself" not in run("merge", *parts):
        sys.exit("strategies: merged guided shards do not say what they are")


def with_checksum(text: str) -> str:
    """As lockproof would have written it: FNV-1a of the document in one line, without its checksum."""
    document = json.loads(text)
    del document["checksum"]
    total = 0xcbf29ce484222325
    for byte in json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode():
        total = (total ^ byte) * 0x100000001b3 % 2**64
    return json.dumps({**document, "checksum": f"{total:016x}"})


def refusals(run: Program, folder: str) -> None:
    base = ["run", SCENARIO, "--runs", "20"]
    made = {"a": ["--shard", "1/2"], "b": ["--shard", "2/2"], "c": ["--shard", "1/3"], "whole": [],
            "seed": ["--shard", "2/2", "--seed", "7"], "swarm": ["--shard", "2/2", "--strategy", "swarm"],
            "budget": ["--shard", "2/2", *BUDGET]}
    for name, options in made.items():
        run(*base, *options, "--out", f"{folder}/{name}")
    run("run", SCENARIO.replace("-twin", ""), "--runs", "20", "--shard", "2/2", "--out", f"{folder}/scenario")
    run("run", SCENARIO, "--out", f"{folder}/single")
    pathlib.Path(folder, "built").mkdir()
    equal("a matrix of one", run("merge", f"{folder}/whole"), run(*base))
    text = pathlib.Path(folder, "b", "verdict.json").read_text()
    pathlib.Path(folder, "built", "verdict.json").write_text(with_checksum(re.sub(r'"build": ".', '"build": "x', text)))
    damages = {"digit": re.sub(r'"events": (\d)', lambda found: f'"events": {(int(found[1]) + 1) % 10}', text, count=1),
               "verdict": text.replace("no-violation", "violated", 1), "end": text[:-100],
               "nothing": re.sub(r',\s*"checksum": "\w+"', "", text), "moved": json.dumps(json.loads(text))}
    for name, damaged in damages.items():
        if damaged == text:
            sys.exit(f"strategies: the damage {name} is none")
        pathlib.Path(folder, name).mkdir()
        pathlib.Path(folder, name, "verdict.json").write_text(damaged)
    equal("a part whose text is set otherwise", run("merge", f"{folder}/a", f"{folder}/moved"), run(*base))
    for names, message in ((("a",), "missing: 2/2"), (("a", "a"), "shard 1/2 is there already"),
                           (("a", "c"), "number of shards is 3"), (("a", "seed"), "its seed is 7"),
                           (("a", "swarm"), "its strategy is swarm"), (("a", "budget"), "of another budget"),
                           (("a", "scenario"), "of another scenario"), (("a", "built"), "another build of lockproof"),
                           (("a", "whole"), "of a whole fuzzing run"),
                           (("single",), "no result of lockproof run --runs"),
                           (("nowhere",), "nothing to read"), (("a", "digit"), "it is damaged: its checksum is"),
                           (("a", "verdict"), "it is damaged: its checksum is"),
                           (("a", "end"), "no result of lockproof run --runs"),
                           (("a", "nothing"), "no result of lockproof run --runs")):
        said = run("merge", *(f"{folder}/{name}" for name in names), expect=(64,))
        if message not in said:
            sys.exit(f"strategies: merging {names} says {said}, not {message}")


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
        shards(run, folder)
        guided_shards(run, folder)
        refusals(run, folder)
        findings(run, folder)
    automatic(run)
    print("strategies: workers, shards, refusals and findings are as they should be")


if __name__ == "__main__":
    main()
