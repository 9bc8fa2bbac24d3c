#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs are written as logs, with lines left out and clocks shifted, and judged: nothing is called certain that did not
happen, and most of what happened is found.

judge_round_trips.py LOCKPROOF SOURCE simulated|real
"""
import json
import pathlib
import random
import subprocess
import sys
import tempfile

from judge import PROGRAM, SOURCE, check, farthest_clock, judge, logs_of, mutual_exclusion, thin

LOCKS = ("set-px-token", "set-ex-del", "setnx-expire-del", "set-ex-get-del", "redisson", "guard-thread", "fenced-token",
         "token-pubsub", "set-px-thread-id", "getset-timestamp")


def drawn_scenario(dice):
    lock, clients = dice.choice(LOCKS), dice.randrange(2, 4)
    own = 'watchdog_timeout = "2s"\n' if lock == "redisson" else ""
    lease = "" if lock == "redisson" else 'lease = "2s"\n'
    text = (f'[algorithm]\nname = "{lock}"\n{own}[workload]\nclients = {clients}\nrounds = {dice.randrange(1, 5)}\n'
            f'{lease}think_time = "{dice.randrange(20, 900)}ms"\nwork = ["hold {dice.randrange(200, 1900)}ms"]\n')
    for client in range(2, clients + 1):
        text += (f'[[client]]\nname = "client-{client}"\nstart = "{dice.randrange(1, 1500)}ms"\n'
                 f'work = ["hold {dice.randrange(200, 1900)}ms"]\n')
    for _ in range(dice.randrange(0, 3)):
        text += (f'[[fault]]\nkind = "pause"\ntarget = "client-{dice.randrange(1, clients + 1)}"\n'
                 f'at = "{dice.randrange(100, 6000)}ms"\nfor = "{dice.randrange(500, 5000)}ms"\n')
    return text


SIMULATED, REAL = ["run"], ["real", "--server", "traced"]  # traced: the real server, on a machine that is never late


def scenarios(folder, dice, verb):
    if verb == REAL:
        yield from drawn(folder, dice, 60)
        return
    for path in sorted((SOURCE / "scenarios").glob("notes/*.toml")):
        yield path
    for path in sorted((SOURCE / "scenarios/documented").glob("*/*.toml")):
        if "\nlock = " not in path.read_text(encoding="utf-8"):  # logs are of one lock
            yield path
    yield from drawn(folder, dice, 240)


def drawn(folder, dice, count):
    for number in range(count):
        path = folder / f"drawn-{number}.toml"
        path.write_text(drawn_scenario(dice), encoding="utf-8")
        yield path


def test_round_trips(folder, verb, runs_least, violated_least):
    dice = random.Random(5)
    runs = violated = found = certain = silent = untold = by_workers = sure_alone = 0
    for path in scenarios(folder, dice, verb):
        out = folder / "run" / path.stem
        subprocess.run([PROGRAM, *verb, path, "--out", out, "--quiet"], capture_output=True, timeout=60, check=False)
        if not (out / "history.jsonl").exists():
            continue
        history = [json.loads(line) for line in (out / "history.jsonl").read_text(encoding="utf-8").splitlines()]
        if [host["name"] for host in history[0]["hosts"] if host["kind"] == "server"] != ["redis-1"]:
            continue
        shift = {host["name"]: dice.randrange(-300_000, 300_000) for host in history[0]["hosts"]}
        logs = logs_of(history, shift, dice)
        if logs is None:
            continue
        form, alone = dice.choice(("lines", "csv", "spans")), ""
        if len(logs.workers) > 1:  # without the server nothing tells that a line is missing
            clocks = f"{farthest_clock(history, shift)}ms"
            alone = judge(*logs.write(folder / "alone" / path.stem, form)[1:], "--clocks", clocks, codes=(1, 2, 64))
        thin(logs, dice)
        files = logs.write(folder / "logs" / path.stem, form)
        report = judge(*files, codes=(0, 1, 2, 64))
        runs += 1
        if isinstance(report, str):
            untold += 1
            continue
        verdicts = json.loads((out / "verdict.json").read_text(encoding="utf-8"))["properties"]
        truth = {one["property"]: one["verdict"] for one in verdicts}
        for one in report["properties"] + (alone["properties"] if isinstance(alone, dict) else []):
            true = truth.get(one["property"]) == "violated"
            check(one["violated"] != "certain" or true, f"{path}: {one} is certain, and was not so",
                  f"{folder / 'logs' / path.stem}")
        if truth["mutual-exclusion"] == "violated":
            violated += 1
            by_workers += isinstance(alone, dict) and mutual_exclusion(alone)["violated"] != "none"
            sure_alone += isinstance(alone, dict) and mutual_exclusion(alone)["violated"] == "certain"
            found += mutual_exclusion(report)["violated"] != "none"
            silent += mutual_exclusion(report)["violated"] == "none" and not report["has_doubts"]
            certain += mutual_exclusion(report)["violated"] == "certain"
    print(f"{runs} runs, {untold} could not be judged; of {violated} with two inside at once {found} were found, "
          f"{certain} of them for certain, and {silent} were overlooked without a word; the workers alone told of "
          f"{by_workers}, {sure_alone} of them for certain")
    check(runs >= runs_least and violated >= violated_least, "too few runs")
    check(found * 10 >= violated * 8 and certain * 10 >= violated * 3, "too little is found")
    check(by_workers * 10 >= violated * 5 and sure_alone > 0, "the workers alone tell too little")


def main():
    verb, least = {"simulated": (SIMULATED, (300, 60)), "real": (REAL, (30, 4))}[sys.argv[3]]
    with tempfile.TemporaryDirectory() as folder:
        test_round_trips(pathlib.Path(folder), verb, *least)


if __name__ == "__main__":
    main()
