#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A trace replay comes out the same twenty times, and soon.

trace_replay_same.py PROGRAM ROOT, over the whole catalogue.
"""
import json
import pathlib
import subprocess
import sys
import time

PROGRAM, ROOT = sys.argv[1], pathlib.Path(sys.argv[2])
TIMES, EVENTS, SECONDS_MOST = 20, 40, 2
CANNOT = "WAIT is answered when other things have happened"  # commands are gated one by one


def main():
    slowest, done = 0.0, 0
    for folder in ("notes", "documented"):
        for file in sorted((ROOT / "scenarios" / folder).rglob("*.toml")):
            begin = time.monotonic()
            command = [PROGRAM, "replay", str(file), "--repeat", str(TIMES), "--format", "json"]
            told = json.loads(subprocess.run(command, capture_output=True, text=True, timeout=300, check=False).stdout)
            each = (time.monotonic() - begin) / TIMES
            confirmed = told["outcome"] == "confirmed" or (told.get("reason") == CANNOT and "wait" in file.name)
            if not confirmed or not told["same"] or told["times"] != TIMES:
                sys.exit(f"{file.name}: {json.dumps(told, indent=2)}")
            slowest, done = max(slowest, each * EVENTS / max(EVENTS, told["events"])), done + 1
    if slowest > SECONDS_MOST:
        sys.exit(f"{EVENTS} events took {slowest:.2f} s")
    print(f"{done} scenarios, {TIMES} times each, always confirmed, or said why not")
    print(f"{EVENTS} events took {slowest:.3f} s at most")


main()
