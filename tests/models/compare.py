#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Small scenarios, drawn from seeds, are searched by lockproof and by a model that shares no code and no rule with it.
What is violated, by kind, and with how few faults, must be the same.

    compare.py LOCKPROOF SERVICE FIRST LAST [--states N] [--keep FOLDER]
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
    done = subprocess.run([program, "explore", file, "--all-causes", "--format", "json", "--workers", "1", "--no-trace",
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


def known(options, seed, theirs):
    """Which rule of the model the difference comes from, where it is one of these."""
    for name, said in (("connects_late", "clients connect when they first ask"),
                       ("any_order", "a server that goes on reads its connections in any order"),
                       ("cuts_off_wholly", "a partition is from all other hosts")):
        plan = generate(options.service, seed)
        if getattr(plan, name):
            setattr(plan, name, False)
            if search(world_of(plan), 20 * options.states)[0] == theirs:
                return f" [only where {said}]"
    return ""


def text(found):
    return ", ".join(f"{p} {k} by {n}" for (p, k), n in sorted(found.items())) or "nothing"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("service")
    parser.add_argument("first", type=int)
    parser.add_argument("last", type=int)
    parser.add_argument("--states", type=int, default=60_000)
    parser.add_argument("--keep", type=pathlib.Path)
    options = parser.parse_args()
    equal, broken, different, large, undecided, spent = 0, 0, [], 0, 0, [0.0, 0.0]
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.keep or pathlib.Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        for seed in range(options.first, options.last + 1):
            plan = generate(options.service, seed)
            file = folder / f"{options.service}-{seed}.toml"
            file.write_text(plan.toml())
            begun = time.process_time()
            try:
                mine, _ = search(world_of(plan), options.states)
            except TooLarge:
                large += 1
                continue
            finally:
                spent[0] += time.process_time() - begun
            begun = time.monotonic()
            try:
                theirs = explored(options.program, file)
            except Undecided:
                undecided += 1
                continue
            finally:
                spent[1] += time.monotonic() - begun
            if mine == theirs:
                equal += 1
                broken += bool(mine)
            else:
                different.append(seed)
                faults = ", ".join(f["kind"] for f in plan.budget)
                print(f"{options.service} {seed}: {plan.name} ({faults}): the model finds {text(mine)}; "
                      f"lockproof finds {text(theirs)}{known(options, seed, theirs)}", flush=True)
    print(f"{options.service}: {equal + len(different)} compared, {equal} equal ({broken} with violations), {len(different)} different {different}; "
          f"left out: {large} too large for the model, {undecided} not searched whole by lockproof; "
          f"{spent[0]:.0f} s of the model, {spent[1]:.0f} s of lockproof")
    if different or equal == 0:
        sys.exit(1)


if __name__ == "__main__":
    main()
