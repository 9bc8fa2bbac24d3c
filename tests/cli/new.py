#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""lockproof new: what it writes runs as it says. For every lock of the catalogue, without a fault and with some; for
one lock of each service, with every kind of fault.

Usage: new.py PROGRAM ROOT
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

NOT_OF = {"redis": ("pool-switch",),
          "memcached": ("failover", "replication-stall", "script-flush", "client-pause", "pool-switch"),
          "postgres": ("evict", "flush", "script-flush", "client-pause"),
          "zookeeper": ("failover", "evict", "flush", "script-flush", "client-pause",
                        "pool-switch"),
          "etcd": ("failover", "replication-stall", "evict", "flush", "script-flush", "client-pause", "pool-switch"),
          "chubby": ("failover", "replication-stall", "evict", "flush", "script-flush", "client-pause",
                     "pool-switch")}


STAND_INS = {"consul": "redis", "dynamodb": "redis", "kubernetes": "redis", "mysql": "postgres", "s3": "redis"}


def own_locks(run, folder):
    """What is wrong with the locks in Lua that new writes, one for each service, and with scenarios for them."""
    failed = []
    for name in (*NOT_OF, *STAND_INS):
        service = STAND_INS.get(name, name)
        done = run("new", f"own/{name}.lua", "--service" if name in STAND_INS else "--server", name)
        lock = pathlib.Path(folder, f"own/{name}.lua").read_text()
        if done.returncode != 0 or f'service = "{service}"' not in lock and service != "redis":
            failed.append(f"a lock of one's own on {name}: {done.stderr}\n{lock}")
        run("new", f"own/{name}", "--algorithm", f"own/{name}.lua", "--fault", "pause")
        done = run("run", f"own/{name}.toml")
        if done.returncode != 0 or "ENTERS" not in done.stdout:
            failed.append(f"its scenario ends with {done.returncode}: {done.stdout[-2000:]}{done.stderr}")
    return failed


def main():
    program, root = sys.argv[1:3]
    failed = []
    with tempfile.TemporaryDirectory() as folder:
        def run(*words):
            return subprocess.run([program, *words], cwd=folder, capture_output=True, text=True, timeout=60,
                                  check=False)

        def listed(what):
            return re.findall(r"^  ([a-z][a-z0-9-]*)(?::| {2,})", run("list", what).stdout, re.MULTILINE)

        locks, faults = listed("algorithms"), listed("faults")
        if len(locks) < 19 or len(faults) < 18:
            sys.exit(f"the catalogue is {locks}, {faults}")
        written = 0
        seen = set()
        for lock in locks:
            service = next((one for one in NOT_OF if lock.startswith(one)), "redis")
            of_all = ["", "pause", "flush", "restart"]
            for fault in of_all if service in seen else ["", *faults]:
                name = f"{lock}/{fault or 'nothing'}"
                done = run("new", name, "--algorithm", lock, *(["--fault", fault] if fault else []))
                file = pathlib.Path(folder, f"{name}.toml")
                if fault in NOT_OF[service]:
                    refused = done.returncode == 64 and f"{fault} cannot happen to {service}" in done.stderr
                    if not refused or file.exists():
                        failed.append(f"{name} was not refused: {done.stderr}")
                    continue
                written += 1
                if done.returncode or not file.exists():
                    failed.append(f"{name} was not written: {done.stderr}")
                    continue
                text = file.read_text()
                lines = [line for line in text.splitlines() if line]
                commented = [line for line in lines if "# " in line]
                if not 14 <= len(lines) <= 32 or len(commented) < 0.5 * len(lines) or max(map(len, lines)) > 120:
                    failed.append(f"{name} has {len(lines)} lines, {len(commented)} of them with a comment:\n{text}")
            seen.add(service)
        done = run("check", ".", "--format", "json")
        if done.returncode != 0:
            failed.append(f"check of all ends with {done.returncode}: {run('check', '.').stdout[-3000:]}")
        checked = json.loads(done.stdout)["runs"]
        if len(checked) != written or written < 180:
            failed.append(f"{len(checked)} were checked")
        for one in checked:
            vacuous = next(found for found in one["properties"] if found["property"] == "exercised")
            # A pooler waits for the end of a transaction, and behind that one comes no command.
            waits = one["file"].endswith("postgres-advisory-xact/pool-switch.toml")
            if vacuous["verdict"] == "violated" and not waits:
                failed.append(f"{one['file']} shows nothing: {vacuous['what']}")
        broken = {one["file"] for one in checked for found in one["properties"] if found["verdict"] == "violated"}
        for file in ("set-px-token/pause.toml", "set-px-token/flush.toml"):
            if file not in broken:
                failed.append(f"{file} breaks nothing: {sorted(broken)}")
        failed += own_locks(run, folder)
        twice = run("new", "set-px-token/pause.toml", "--algorithm", "redlock")
        kept = pathlib.Path(folder, "set-px-token/pause.toml").read_text()
        if twice.returncode != 64 or "is there already" not in twice.stderr or "redlock" in kept:
            failed.append(f"a file that is there: {twice.stderr}")
        for words, message in ((["--algorithm", "set-px-tokn"], "did you mean 'set-px-token'?"),
                               (["--algorithm", "redlock", "--fault", "pauze"], "did you mean 'pause'?"),
                               (["--algorithm", "redlock", "--server", "etcd"], "is for a lock of your own"),
                               (["--fault", "pause"], "--algorithm: is needed for a scenario")):
            said = run("new", "other", *words)
            if said.returncode != 64 or message not in said.stderr or pathlib.Path(folder, "other.toml").exists():
                failed.append(f"{words}: {said.stderr}")
    if failed:
        sys.exit("\n".join(failed))
    print(f"{written} scenarios that new has written run, and show something")


if __name__ == "__main__":
    main()
