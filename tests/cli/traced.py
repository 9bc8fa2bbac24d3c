#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""lockproof real and sweep --server traced: traced.py LOCKPROOF ROOT runs|services|sweep STATIC_LOCK.

Real servers and programs, unmodified, in virtual time: a run says what its scenario expects, and the same run again
writes the same bytes; so does a sweep. Where the machine does not let us trace, one sentence says so.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

PROGRAM, ROOT, PART, STATIC_LOCK = sys.argv[1:5]
# A scenario of each service. The founding story is among them: the master of a Sentinel set dies, and an acknowledged
# write is gone.
RUNS = ("documented/replication/sentinel-lost-lock", "documented/servers/server-down", "memcached/blind-delete")
SERVICES = ("postgres/failover-lost-commit", "etcd/told-when-lease-ends", "zookeeper/create-lost")
STATIC = """[algorithm]
command = ["static-lock"]

[workload]
lease = "300ms"
"""


def lockproof(*words, folder):
    done = subprocess.run([PROGRAM, *words, "--server", "traced"], cwd=folder, capture_output=True, text=True,
                          check=False, env={**os.environ, "COLUMNS": "1000"})
    return done.returncode, done.stdout, done.stderr


def check(condition, what):
    if not condition:
        sys.exit(f"traced.py: {what}")


def files_in(folder):
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir()) if not path.name.startswith(".")}


def check_twice(words, folder, wanted):
    """What was printed, and the files of a command that was done twice and did the same."""
    seen = []
    for _ in range(2):
        shutil.rmtree(folder / "found", ignore_errors=True)
        code, out, errors = lockproof(*words, "--out", "found", folder=folder)
        check(code == wanted, f"{words}: exit code {code}:\n{out}{errors}")
        seen.append((out, re.sub("(?m)^found: .*\n", "", errors), files_in(folder / "found")))
    check(seen[0] == seen[1], f"{words}: the same again was another one")
    return seen[0]


def check_equal_runs(folder):
    out, errors, _ = check_twice(["real", f"{ROOT}/docs/guide/examples/naive_pause.toml"], folder, 0)
    check("owner-release       violated" in out, f"no violation:\n{out}")
    check("every expectation met" in out, out)
    check("the run's digest is" in errors, errors)
    check("lockproof real" in out and "--server traced" in out, "the words to reproduce it are others")


def check_services(names, folder):
    for name in names:
        check_twice(["real", f"{ROOT}/scenarios/{name}.toml"], folder, 0)


def check_refusals(folder):
    code, _, errors = lockproof("real", "tests/data/none.toml", folder=folder)
    check(code == 64, f"a scenario that is not there: {code}, {errors}")
    code, _, errors = lockproof("real", f"{ROOT}/scenarios/zookeeper/ensemble/cut-off.toml", folder=folder)
    check(code == 64 and "servers of an ensemble" in errors, f"an ensemble: {code}, {errors}")
    words = f'echo 0 > /proc/sys/user/max_user_namespaces && exec "{PROGRAM}" real lease-outlived --server traced -q'
    done = subprocess.run(["unshare", "-Ur", "sh", "-c", words], capture_output=True, text=True, check=False)
    check(done.returncode == 69, f"a machine without namespaces: {done.returncode}, {done.stderr}")
    check("--cap-add" in done.stderr, done.stderr)


def check_sweep(folder):
    """Of a static program, which gives the lock back by GET and DEL."""
    shutil.copy(STATIC_LOCK, folder / "static-lock")
    (folder / "lock.toml").write_text(STATIC, encoding="utf-8")
    out, _, files = check_twice(["sweep", "lock.toml", "--faults", "pause", "--workers", "2"], folder, 1)
    swept = json.loads(files["sweep.json"])
    strikes = [strike for strike in swept["strikes"] if strike["fault"]]
    check(len(strikes) == len(swept["events"]) > 20, f"{len(strikes)} strikes at {len(swept['events'])} events")
    check(all(strike["struck"] and not strike["late"] for strike in strikes), "a strike did not happen, or came late")
    check("?" not in out, out)
    releases = [group for group in swept["violations"] if group["property"] == "owner-release"]
    check(releases and releases[0]["found"] == releases[0]["runs"] == 2, f"GET, then DEL: {releases}")
    check(f"lockproof real {releases[0]['file']} --server traced" in out, out)
    finding = folder / "finding.toml"
    finding.write_bytes(files[Path(releases[0]["file"]).name].replace(b'".././static-lock"', b'"static-lock"'))
    again, _, _ = check_twice(["real", "finding.toml"], folder, 0)
    check("owner-release       violated" in again, again)


def check_limit(folder):
    """A sweep that is stopped says what it knows."""
    code, out, errors = lockproof("sweep", "lock.toml", "--time", "6s", folder=folder)
    check(code in (1, 2, 3), f"--time 6s: {code}, {errors}")
    check(code != 2 or "no time was left" in out or "stopped" in errors, f"{out}{errors}")


def is_allowed():
    """Whether this machine lets programs be traced."""
    words = [PROGRAM, "real", "lease-outlived", "--server", "traced", "-q"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    return done.returncode != 69 or "--cap-add" not in done.stderr


if not is_allowed():
    print("skipped: tracing is not allowed here")
    sys.exit(77)
with tempfile.TemporaryDirectory() as temporary:
    if PART == "runs":
        check_equal_runs(Path(temporary))
        check_services(RUNS, Path(temporary))
        check_refusals(temporary)
    elif PART == "services":
        check_services(SERVICES, Path(temporary))
    else:
        check_sweep(Path(temporary))
        check_limit(Path(temporary))
