#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What is expected of which world: what [expect] leaves out is not compared and does not touch the exit code.

Usage: expectations.py PROGRAM ROOT [real]
"""
import json
import pathlib
import subprocess
import sys
import tempfile

# Its holder is paused beyond the lease: each world shows two inside. With `twin` it is not.
BREAKS = """[algorithm]
name = "set-px-token"
[workload]
lease = "10s"
work = ["hold 5s"]
[[client]]
name = "client-2"
start = "1s"
{pause}
"""
PAUSE = '[[fault]]\nkind = "pause"\ntarget = "client-1"\nwhen = "client-1 enters"\nfor = "11s"\n'
COMMANDS = {"run": ["run"], "runs": ["run", "--runs", "20"], "explore": ["explore"],
            "liveness": ["explore", "--liveness"], "check": ["check"], "check-explore": ["check", "--explore"]}
REAL = {"real": ["real"], "check-real": ["check", "--real"]}
# Where nothing is expected, only a violation fails a check.
HOLDS = {"run": 2, "runs": 2, "explore": 0, "liveness": 0, "check": 0, "check-explore": 0, "real": 2, "check-real": 0}
BROKEN = {"run": 1, "runs": 1, "explore": 1, "liveness": 0, "check": 1, "check-explore": 1, "real": 1, "check-real": 1}
NOTHING = dict.fromkeys(HOLDS, 0)
# what [expect] says -> (exit codes of the one that breaks, and of its twin)
CASES = {
    "": (BROKEN, HOLDS),
    "[expect.run]\nmutual-exclusion = \"outlived\"": (
        NOTHING, {**NOTHING, "run": 1, "runs": 1, "check": 1, "check-explore": 1, "check-real": 1}),
    "[expect]\nexplore = \"no-violation\"": ({**NOTHING, "explore": 1, "check-explore": 1}, NOTHING),
    "[expect]\nreal = \"no-violation\"": ({**NOTHING, "real": 1, "check-real": 1}, NOTHING),
    "[expect]\nliveness = \"livelock\"": ({**NOTHING, "liveness": 1}, {**NOTHING, "liveness": 1}),
    "[expect]\nall = \"no-violation\"": ({**BROKEN, "liveness": 0}, NOTHING),
    "[expect.all]\nmutual-exclusion = \"outlived\"": (NOTHING, {**BROKEN, "liveness": 0}),
    "[expect]\nall = \"no-violation\"\nrun = \"violated\"\n": (BROKEN, {**NOTHING, "run": 1, "runs": 1, "check": 1,
                                                                  "check-explore": 1, "check-real": 1}),
}


def main():
    program, root = sys.argv[1:3]
    real = sys.argv[3:] == ["real"]
    commands = REAL if real else COMMANDS
    failed, count = [], 0
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "scenario.toml"
        for expect, codes in CASES.items():
            for pause, right in zip((PAUSE, ""), codes):
                file.write_text(BREAKS.format(pause=pause) + expect)
                for name, words in commands.items():
                    done = subprocess.run([program, words[0], str(file), *words[1:]], cwd=root, capture_output=True,
                                          text=True, timeout=60, check=False)
                    count += 1
                    # A machine that is late decides nothing, where something was expected.
                    same = bool(done.returncode) == bool(right[name]) if real else done.returncode == right[name]
                    if not same:
                        failed.append(f"{name} of\n{file.read_text()}\nends with {done.returncode}, not {right[name]}"
                                      f"\n{done.stdout[-1500:]}{done.stderr}")
        file.write_text(BREAKS.format(pause=PAUSE) + "[expect]\nexplore = \"holds\"")
        if not real:
            done = subprocess.run([program, "run", str(file), "--format", "json"], capture_output=True, check=False)
            first = json.loads(done.stdout)["properties"][0]
            if (first["verdict"], first["expected"], first["met"]) != ("violated", None, "unstated"):
                failed.append(f"the JSON of what is not compared is {first}")
    if failed:
        sys.exit("\n".join(failed))
    print(f"{count} commands end as their scenario's [expect] says")


if __name__ == "__main__":
    main()
