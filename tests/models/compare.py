#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Small scenarios, drawn from seeds, are searched by lockproof and by a model that shares no code and no rule with it.
What is violated, by kind, and with how few faults, must be the same.

    compare.py LOCKPROOF SERVICE [SEEDS] [--states N] [--count N] [--keep FOLDER]
    compare.py LOCKPROOF FOLDER
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile
import time

from explorer import TooLarge, search
from generate import generate
from polling import Polling
from world import World

PROPERTIES = ("mutual-exclusion", "resource-safety", "owner-release", "deadlock-freedom", "re-entrancy")


class Undecided(Exception):
    """lockproof has not searched the whole."""


def explored(program, file):
    """{(property, kind): fewest faults} as lockproof finds them."""
    done = subprocess.run([program, "explore", file, "--find", "causes", "--format", "json", "--workers", "1", "-q",
                           "--time", "60s", "--memory", "1G"], capture_output=True, text=True, check=False, timeout=120)
    try:
        answer = json.loads(done.stdout)
    except ValueError:
        raise SystemExit(f"{file}: lockproof does not answer: {done.stdout}{done.stderr}") from None
    if not answer["complete"]:
        raise Undecided(answer["stopped"])
    found = {}
    for cause in answer["causes"]:
        if cause["property"] in PROPERTIES:
            what = cause["property"], cause.get("kind") or "violated"
            found[what] = min(found.get(what, 99), len(cause["faults"]))
    return found


def world_of(plan):
    return Polling(plan) if plan.polled else World(plan)


def answers_as(options, seed, theirs, without):
    """Whether the model finds the same as lockproof without one of its rules."""
    plan = generate(options.service, seed)
    if options.wrong_lease or not getattr(plan, without):
        return False
    setattr(plan, without, False)
    try:
        return search(world_of(plan), 5 * options.states)[0] == theirs
    except TooLarge:
        return False


def is_known_gap(options, seed, theirs):
    """Whether docs/semantics/known-gaps.md leaves out what the model finds: the phase of a client's first ask."""
    return answers_as(options, seed, theirs, "waits_to_ask")


def known(options, seed, theirs):
    """Which rule of the model the difference comes from, where it is one of these."""
    for name, said in (("connects_late", "clients connect when they first ask"),
                       ("any_order", "a server that goes on reads its connections in any order"),
                       ("cuts_off_wholly", "a partition is from all other hosts")):
        if answers_as(options, seed, theirs, name):
            return f" [only where {said}]"
    return ""


def text(found):
    return ", ".join(f"{p} {k} by {n}" for (p, k), n in sorted(found.items())) or "nothing"


def numbers(words):
    """"3-5,9" is 3, 4, 5, 9."""
    for part in words.split(","):
        first, _, last = part.partition("-")
        yield from range(int(first), int(last or first) + 1)


class Comparison:
    """Of the scenarios of one service."""

    def __init__(self, options):
        self.options = options
        self.equal = self.broken = self.large = self.undecided = 0
        self.different, self.gaps = [], []
        self.spent = [0.0, 0.0]

    def compare(self, seed, file):
        plan = generate(self.options.service, seed)
        file.write_text(plan.toml())
        if self.options.wrong_lease:
            plan.lease += 2
        begun = time.process_time()
        try:
            mine, _ = search(world_of(plan), self.options.states)
        except TooLarge:
            self.large += 1
            return
        finally:
            self.spent[0] += time.process_time() - begun
        begun = time.monotonic()
        try:
            theirs = explored(self.options.program, file)
        except Undecided:
            self.undecided += 1
            return
        finally:
            self.spent[1] += time.monotonic() - begun
        if mine == theirs:
            self.equal += 1
            self.broken += bool(mine)
            return
        if is_known_gap(self.options, seed, theirs):
            self.gaps.append(seed)
            return
        self.different.append(seed)
        faults = ", ".join(f["kind"] for f in plan.budget)
        print(f"{self.options.service} {seed}: {plan.name} ({faults}): the model finds {text(mine)}; "
              f"lockproof finds {text(theirs)}{known(self.options, seed, theirs)}", flush=True)

    def compared(self):
        return self.equal + len(self.different)

    def summary(self):
        return (f"{self.options.service}: {self.compared()} compared, {self.equal} equal "
                f"({self.broken} with violations), {len(self.different)} different {self.different}; "
                f"left out: {len(self.gaps)} of a known gap {self.gaps}, "
                f"{self.large} too large for the model, {self.undecided} not searched whole by lockproof; "
                f"{self.spent[0]:.0f} s of the model, {self.spent[1]:.0f} s of lockproof")


def check_found(program, folder):
    """Scenarios that lockproof once judged wrongly. The first line of each says what is right."""
    wrong = 0
    for file in sorted(folder.glob("*.toml")):
        right = file.read_text().split("\n")[0].removeprefix("# right: ")
        found = text(explored(program, file))
        if found != right:
            wrong += 1
            print(f"{file.name}: lockproof finds {found}; right is {right}")
    print(f"{wrong} are judged wrongly")
    return wrong


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("service", help="or a folder of scenarios, each with its right answer")
    parser.add_argument("seeds", nargs="?", default="0-399")
    parser.add_argument("--states", type=int, default=60_000, help="larger ones are left out")
    parser.add_argument("--count", type=int, help="so many are enough")
    parser.add_argument("--keep", type=pathlib.Path, help="a folder for the scenarios")
    parser.add_argument("--wrong-lease", action="store_true", help="the model's leases are wrong, which must show")
    options = parser.parse_args()
    if pathlib.Path(options.service).is_dir():
        sys.exit(1 if check_found(options.program, pathlib.Path(options.service)) else 0)
    comparison = Comparison(options)
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.keep or pathlib.Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        for seed in numbers(options.seeds):
            comparison.compare(seed, folder / f"{options.service}-{seed}.toml")
            if comparison.compared() == options.count:
                break
    print(comparison.summary())
    if comparison.different or not comparison.broken:
        sys.exit(1)


if __name__ == "__main__":
    main()
