#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""lockproof real --server traced: traced.py LOCKPROOF ROOT.

A real server and a library, unmodified, in virtual time: a run with a pause says what the scenario expects, and the
same run again writes the same bytes. Where the machine does not let us trace, one sentence says so.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

PROGRAM, ROOT = sys.argv[1:3]


def run(*words, folder):
    done = subprocess.run([PROGRAM, "real", *words, "--server", "traced"], cwd=folder, capture_output=True, text=True,
                          check=False, env={**os.environ, "COLUMNS": "1000"})
    return done.returncode, done.stdout, done.stderr


def check(condition, what):
    if not condition:
        sys.exit(f"traced.py: {what}")


def check_equal_runs(folder):
    scenario = f"{ROOT}/docs/guide/examples/naive_pause.toml"
    seen = []
    for _ in range(2):
        code, out, errors = run(scenario, "--out", "found", folder=folder)
        check(code == 0, f"exit code {code}:\n{out}{errors}")
        seen.append((out, errors, *(Path(folder, "found", name).read_bytes()
                                    for name in ("history.jsonl", "verdict.json", "trace.txt"))))
    check("owner-release       violated" in seen[0][0], f"no violation:\n{seen[0][0]}")
    check("every expectation met" in seen[0][0], seen[0][0])
    check("the run's digest is" in seen[0][1], seen[0][1])
    check("lockproof real" in seen[0][0] and "--server traced" in seen[0][0], "the words to reproduce it are others")
    check(seen[0] == seen[1], "the same run again was another one")


def check_refusals(folder):
    code, _, errors = run("tests/data/none.toml", folder=folder)
    check(code == 64, f"a scenario that is not there: {code}, {errors}")
    code, _, errors = run(f"{ROOT}/scenarios/memcached/blind-delete.toml", "--quiet", folder=folder)
    check(code == 64 and "only Redis" in errors, f"another service: {code}, {errors}")
    code, _, errors = run(f"{ROOT}/scenarios/documented/replication/acknowledged-and-kept.toml", folder=folder)
    check(code == 64 and "replicate" in errors, f"replicas: {code}, {errors}")
    words = f'echo 0 > /proc/sys/user/max_user_namespaces && exec "{PROGRAM}" real lease-outlived --server traced -q'
    done = subprocess.run(["unshare", "-Ur", "sh", "-c", words], capture_output=True, text=True, check=False)
    check(done.returncode == 69, f"a machine without namespaces: {done.returncode}, {done.stderr}")
    check("--cap-add" in done.stderr, done.stderr)


def is_allowed():
    """Whether this machine lets programs be traced."""
    words = [PROGRAM, "real", "lease-outlived", "--server", "traced", "-q"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    return done.returncode != 69 or "--cap-add" not in done.stderr


if not is_allowed():
    print("skipped: tracing is not allowed here")
    sys.exit(77)
with tempfile.TemporaryDirectory() as temporary:
    check_equal_runs(temporary)
    check_refusals(temporary)
