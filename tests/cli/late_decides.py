# SPDX-License-Identifier: Apache-2.0
"""A real run on a machine that is late decides by margin: a lock-out that is much longer than the lateness can explain
fails at once, and is not repeated. The machine is made late by stopping the supervisor again and again."""

import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

PROGRAM = sys.argv[1]
# Nobody gets the lock for 57 s of the scenario, of which 3 s are allowed: 2.7 s of the machine's time too many.
SCENARIO = """
[algorithm]
name = "set-px-token"
[workload]
clients = 2
lease = "60s"
acquire_timeout = "120s"
[[client]]
name = "client-2"
start = "1s"
[[fault]]
kind = "crash"
target = "client-1"
when = "client-1 enters"
[judge]
progress = "3s"
[expect]
all = "no-violation"
"""
LATE_US_MOST = 200_000  # ten times as much explains no more than 2 s


def run(file):
    process = subprocess.Popen([PROGRAM, "real", str(file), "--format", "json"], stdout=subprocess.PIPE)
    while process.poll() is None:
        os.kill(process.pid, signal.SIGSTOP)
        time.sleep(0.04)
        os.kill(process.pid, signal.SIGCONT)
        time.sleep(0.05)
    return process.returncode, json.loads(process.stdout.read())


with tempfile.TemporaryDirectory() as name:
    scenario = pathlib.Path(name) / "locked-out.toml"
    scenario.write_text(SCENARIO, encoding="utf-8")
    for _ in range(10):
        code, report = run(scenario)
        if 5_000 < report["late_us"] < LATE_US_MOST:
            break
    else:
        sys.exit("this machine was never late by some ten milliseconds only")
found = next(p for p in report["properties"] if p["property"] == "deadlock-freedom")
assert code == 1 and found["verdict"] == "violated", (code, found)
assert "repeated" not in report, report["repeated"]
assert report["happened"], "what happened is told"
print(f"late by {report['late_us'] / 1000:.0f} ms, and decided")
