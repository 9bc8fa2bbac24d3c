#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What fuzzing finds is minimized to as few faults as a search of every schedule needs: minimize_found.py PROGRAM ROOT.

Everything by the command line: run --runs N --budget FILE --out DIR, then minimize, run on what it wrote, and explore
--budget FILE. And what becomes of a minimize that is stopped.
"""
import json
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

PROGRAM, ROOT = sys.argv[1], pathlib.Path(sys.argv[2])
SOUGHT = [("documented/leases/lease-outlived", "one-server"), ("notes/blind-del", "one-server"),
          ("documented/replication/failover-lost-lock", "master-replica")]


def lockproof(*words):
    done = subprocess.run([PROGRAM, *words], cwd=ROOT, capture_output=True, text=True, timeout=100, check=False)
    return done.returncode, done.stdout


def expect(condition, what):
    if not condition:
        sys.exit(f"not so: {what}")


def violations(scenario, budget, folder):
    """The findings of a fuzzing run, each minimized; the faults that are left, by property and kind."""
    fuzzed = folder / "fuzzed"
    lockproof("run", scenario, "--runs", "2000", "--strategy", "random", "--budget", budget, "--max-faults", "4",
              "--out", str(fuzzed))
    files = sorted(fuzzed.glob("*.toml"))
    expect(files, f"{scenario}: the fuzzing run finds something")
    for file in files:
        small = folder / "small.toml"
        command = ["minimize", str(file), "--format", "json", "--out", str(small)]
        code, text = lockproof(*command)
        expect((code, text) == lockproof(*command), f"{file.name}: the same bytes again")
        expect(code == 0, f"{file.name} is minimized")
        found = json.loads(text)
        expect(found["after"]["faults"] <= found["before"]["faults"], f"{file.name}: not more faults")
        code, _ = lockproof("run", str(small), "--quiet")
        expect(code == 0, f"{file.name}: the smallest scenario shows what it says")
        yield found


def check_fuzzing():
    for name, topology in SOUGHT:
        scenario = f"scenarios/{name}.toml"
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            text = (ROOT / f"scenarios/budgets/{topology}.toml").read_text(encoding="utf-8")
            budget = str(folder / "polled.toml")  # with asks at any instant three clients are too many here
            text = text.replace("[explore]\n", '[explore]\ncontention = "as-written"\n')
            pathlib.Path(budget).write_text(text, encoding="utf-8")
            _, text = lockproof("explore", scenario, "--budget", budget, "--max-faults", "1", "--format", "json")
            one_is_enough = {p["property"] for p in json.loads(text)["properties"] if p["verdict"] == "violated"}
            shown = 0
            for found in violations(scenario, budget, folder):
                if found["property"] not in one_is_enough:
                    continue
                shown += 1
                print(name, found["property"], found["kind"], found["before"], found["after"])
                expect(found["after"]["faults"] <= 1, f"{name}: {found['property']} takes one fault")
            expect(shown > 0, f"{name}: a fuzzing run finds what explore finds")


def check_cause():
    """A client that stands still before it is granted the lock does not become a holder that does, which is shorter."""
    with tempfile.TemporaryDirectory() as folder:
        small = pathlib.Path(folder) / "small.toml"
        code, text = lockproof("minimize", "scenarios/lua/lua-token-drawn-late.toml", "--quiet", "--states", "4000",
                               "--out", str(small))
        expect(code == 0 and "after   1 fault" in text, "one fault is left")
        expect('when = "client-1 after SET"' in small.read_text(encoding="utf-8"), "it strikes where it did")


def check_stops():
    """Ctrl-C and --time: what it had by then, and exit code 2."""
    scenario = "scenarios/documented/redlock/redlock-immediate-restart.toml"
    with tempfile.TemporaryDirectory() as folder:
        out = str(pathlib.Path(folder) / "small.toml")
        command = [PROGRAM, "minimize", scenario, "--quiet", "--states", "1000000", "--out", out]
        with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as running:
            time.sleep(1)
            running.send_signal(signal.SIGINT)
            text, _ = running.communicate(timeout=60)
        expect(running.returncode == 2, f"interrupted, it answers 2, not {running.returncode}")
        expect("stopped before the end, since it was interrupted" in text, "it says that it was interrupted")
        code, _ = lockproof("run", out, "--quiet")
        expect(code == 0, "what it had by then is a violation")
    code, text = lockproof("minimize", scenario, "--quiet", "--time", "500ms")
    expect(code == 2 and "the time limit of 500ms was reached" in text, "it says that its time was up")


check_fuzzing()
check_cause()
check_stops()
