#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What searches find is confirmed on real servers: trace_replay_found.py PROGRAM ROOT [SCENARIO…].

Everything by the command line: explore --out DIR, minimize --out FILE on a counterexample, and replay on both.
Without scenarios: all of scenarios/notes and scenarios/documented.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

PROGRAM, ROOT = sys.argv[1], pathlib.Path(sys.argv[2])


def lockproof(*words, timeout=100):
    done = subprocess.run([PROGRAM, *words], cwd=ROOT, capture_output=True, text=True, timeout=timeout, check=False)
    return done.returncode, done.stdout


def expect(condition, what):
    if not condition:
        sys.exit(f"not so: {what}")


def check_confirmed(file, times="1"):
    """Whether it is: what uses WAIT cannot be done again, and says so."""
    code, text = lockproof("replay", str(file), "--repeat", times, "--format", "json")
    told = json.loads(text)
    if told["outcome"] == "not-reproducible" and told["reason"].startswith("WAIT is answered"):
        return False
    expect(told["outcome"] == "confirmed" and told["same"], f"{file.name} is confirmed, but: {text}")
    expect(told["exit_code"] == code, f"{file.name}: the exit code is the one of verdict.json")
    expect(told["compared"]["replies"] > 0, f"{file.name}: replies were compared")
    return True


def main():
    every = sys.argv[3:] or [str(path.relative_to(ROOT / "scenarios").with_suffix(""))
                             for folder in ("notes", "documented")
                             for path in sorted((ROOT / "scenarios" / folder).rglob("*.toml"))]
    confirmed = 0
    for name in every:
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            lockproof("explore", f"scenarios/{name}.toml", "--quiet", "--memory", "1G", "--time", "20s",
                      "--out", str(folder))
            found = sorted(folder.glob("*.toml"))
            for counterexample in found:
                confirmed += check_confirmed(counterexample, "3")
            for counterexample in found[:1] if sys.argv[3:] else []:
                small = folder / "small" / counterexample.name
                code, text = lockproof("minimize", str(counterexample), "--states", "2000", "--out", str(small))
                expect(code == 0, f"{counterexample.name} is minimized, but: {text}")
                confirmed += check_confirmed(small)
    expect(confirmed, "something was found")
    print(f"{confirmed} counterexamples confirmed")


main()
