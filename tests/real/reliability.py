#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What takes minutes to be sure of: reliability.py LOCKPROOF SOURCE kills|runs|contended|soak [N].

kills: N times lockproof is killed at a random moment of a run, a soak, a trace replay; nothing of it survives.
runs: N runs leave neither files, shared memory nor processes.
contended: each lock that claims to be safe without faults is taken N times by four clients that want it all the time,
with a lease a hundred times as long as the work, and nobody is ever inside with another one.
soak: every lock for N minutes in all. Without faults nothing is found; with one random fault a run that leaves the
servers their data nothing is found that the lock claims to be safe from.
"""
import json
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
import uuid

LOCKPROOF, SOURCE = sys.argv[1:3]
MARK, CONFORMANCE = "LOCKPROOF_RELIABILITY", f"{LOCKPROOF}-conformance"
COMMANDS = (
    ["real", "scenarios/documented/leases/lease-outlived.toml"],
    ["real", "scenarios/documented/redlock/redlock-pause-after-grant.toml"],
    ["real", "scenarios/documented/replication/failover-lost-lock.toml"],
    ["replay", "scenarios/documented/redlock/redlock-node-clock-jump.toml", "--repeat", "5"],
    ["soak", "scenarios/documented/leases/lease-outlived.toml", "--time", "20s", "--budget",
     "scenarios/budgets/one-server.toml"],
    [CONFORMANCE, "--commands", "20000"],
)
CLIENTS, HOLD_US = 4, 500


def shared_memory():
    return set(os.listdir("/dev/shm"))


def processes(mark):
    """Those that inherited the mark, and live."""
    found = []
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if f"{MARK}={mark}".encode() in (folder / "environ").read_bytes().split(b"\0"):
                found.append(f"{folder.name} {(folder / 'cmdline').read_bytes().decode(errors='replace')}")
        except OSError:  # it has ended meanwhile, or belongs to somebody else
            continue
    return found


def expect_nothing_left(mark, place, before, what):
    give_up = time.monotonic() + 10
    while (left := processes(mark)) and time.monotonic() < give_up:
        time.sleep(0.01)
    assert not left, f"{what}: {left}"
    files = list(pathlib.Path(place).iterdir())
    assert not files, f"{what}: {files}"
    assert shared_memory() <= before, f"{what}: {shared_memory() - before}"


def start(words, mark, place):
    environment = os.environ | {MARK: mark, "TMPDIR": place}
    command = words if words[0] == CONFORMANCE else [LOCKPROOF, *words]
    return subprocess.Popen(command, cwd=SOURCE, env=environment, stdout=subprocess.DEVNULL,
                            stderr=subprocess.DEVNULL, start_new_session=True)


def kills(times):
    draw, seen = random.Random(1), 0
    for i in range(times):
        mark, before = uuid.uuid4().hex, shared_memory()
        with tempfile.TemporaryDirectory() as place:
            lockproof = start(COMMANDS[i % len(COMMANDS)], mark, place)
            time.sleep(draw.uniform(0, 1.2))
            seen += len(processes(mark)) > 1
            lockproof.send_signal(signal.SIGKILL)
            lockproof.wait()
            expect_nothing_left(mark, place, before, f"after kill {i + 1} of {COMMANDS[i % len(COMMANDS)]}")
    assert seen > times / 2, "most of them had started something"
    print(f"{times} kills, {seen} of them while it had started others: nothing survived")


def runs(times):
    mark, before = uuid.uuid4().hex, shared_memory()
    with tempfile.TemporaryDirectory() as place:
        scenario = pathlib.Path(place) / "short.toml"
        text = '[algorithm]\nname = "set-px-token"\n[workload]\nclients = 2\nlease = "2s"\nwork = ["hold 1s"]\n'
        scenario.write_text(text + '[run]\nhorizon = "8s"\n[real]\nspeedup = 50\n', encoding="utf-8")
        inside = pathlib.Path(place) / "tmp"
        inside.mkdir()
        for i in range(times):
            done = subprocess.run([LOCKPROOF, "real", str(scenario)], cwd=SOURCE, capture_output=True, text=True,
                                  check=False, env=os.environ | {MARK: mark, "TMPDIR": str(inside)})
            assert done.returncode in (0, 2), f"run {i + 1}: {done.returncode}\n{done.stdout}{done.stderr}"
        expect_nothing_left(mark, str(inside), before, f"after {times} runs")
    print(f"{times} runs: nothing is left")


def sections():
    """Of the catalogue, those of locks on services that have servers."""
    page = (pathlib.Path(SOURCE) / "docs/reference/catalogue.md").read_text(encoding="utf-8")
    return [one for one in page.split("\n### ")[1:] if "\n- simulated only: " not in one]


def safe_locks():
    """Those that claim no double grant at least as long as there are no faults."""
    claims = {one.split("\n")[0]: re.search(r"^\| never two entitled at once \| (.*) \|$", one, re.MULTILINE)
              for one in sections()}
    return [lock for lock, claim in claims.items() if claim and claim[1] != "not claimed"]


def lock_and_servers(lock, many):
    """As TOML; `many`: the servers of a lock that takes the majority. What waits for a replica has one."""
    waits = lock == "set-px-token-wait"
    service = next((one for one in ("memcached", "postgres", "zookeeper", "etcd") if lock.startswith(one)), "redis")
    replica = waits or lock == "postgres-row-synchronous"
    text = f'[algorithm]\nname = "{lock}"\n' + ('wait = "1s"\n' if waits else "")
    text += f'[servers]\n{service} = {many if lock.startswith("redlock") else 2 if replica else 1}\n'
    return text + (f'[[server]]\nname = "{service}-2"\nreplica_of = "{service}-1"\n' if replica else "")


def contended_scenario(lock, acquisitions):
    lease = 3 if lock.startswith("memcached") else 1  # memcached takes off up to a second
    return (lock_and_servers(lock, 3) +
            f'[workload]\nclients = {CLIENTS}\nrounds = {acquisitions // CLIENTS}\nlease = "{lease}s"\n'
            f'acquire_timeout = "10min"\nretry = "1ms"\nwork = ["hold {HOLD_US}us"]\n'
            '[run]\nhorizon = "20min"\ngrid = "10us"\n[real]\nspeedup = 1\n')


def contended(acquisitions):
    with tempfile.TemporaryDirectory() as place:
        for lock in safe_locks():
            scenario = pathlib.Path(place) / f"{lock}.toml"
            scenario.write_text(contended_scenario(lock, acquisitions), encoding="utf-8")
            begin = time.monotonic()
            done = subprocess.run([LOCKPROOF, "real", str(scenario), "--format", "json", "--out", place], cwd=SOURCE,
                                  capture_output=True, text=True, check=False)
            assert done.stdout, done.stderr
            found = {one["property"]: one["verdict"] for one in json.loads(done.stdout)["properties"]}
            history = (pathlib.Path(place) / "history.jsonl").read_text(encoding="utf-8")
            granted = history.count('"granted"')
            print(f"{lock}: {granted} acquisitions in {time.monotonic() - begin:.0f} s, "
                  f"mutual exclusion {found['mutual-exclusion']}", flush=True)
            assert granted >= acquisitions and found["mutual-exclusion"] == "no-violation", found


def soaked_scenario(lock):
    return (lock_and_servers(lock, 5) +
            '[workload]\nclients = 2\nlease = "10s"\nwork = ["read", "hold 6s", "write"]\n'
            '[run]\nhorizon = "60s"\n[real]\nspeedup = 10\n')


def gentle_budget(servers):
    """The shared budget without the faults that make a server forget: no lock claims to be safe from those."""
    text = (pathlib.Path(SOURCE) / f"scenarios/budgets/{servers}.toml").read_text(encoding="utf-8")
    head, *faults = text.split("[[explore.fault]]\n")
    kept = [one for one in faults if not re.match(r'kind = "(restart|power-cut|evict|flush)"', one)]
    assert len(faults) - len(kept) == 4
    return "[[explore.fault]]\n".join([head, *kept])


def soak_one(scenario, seconds, *options):
    done = subprocess.run([LOCKPROOF, "soak", str(scenario), "--time", f"{seconds}s", "--format", "json", *options],
                          cwd=SOURCE, capture_output=True, text=True, check=False)
    assert done.stdout, done.stderr
    found = json.loads(done.stdout)
    ways = sorted({f"{one['property']} {one.get('kind', '')}".strip() for one in found["violated"]})
    differ = [one for one in found["violated"] if one.get("smallest", {}).get("trace_replay") == "diverged"]
    assert found["runs"] > 0 and not differ, (found["runs"], differ)
    return found, ", ".join(ways) or "nothing"


def soak(minutes):
    locks = [one.split("\n")[0] for one in sections()]
    seconds = max(5, minutes * 30 // len(locks))
    with tempfile.TemporaryDirectory() as place:
        for lock in locks:
            scenario, budget = (pathlib.Path(place) / f"{lock}{what}.toml" for what in ("", "-budget"))
            scenario.write_text(soaked_scenario(lock), encoding="utf-8")
            budget.write_text(gentle_budget("five-servers" if lock.startswith("redlock") else "one-server"),
                              encoding="utf-8")
            quiet, nothing = soak_one(scenario, seconds, "--budget", str(budget), "--max-faults", "0")
            found, ways = soak_one(scenario, seconds, "--budget", str(budget))
            print(f"{lock}: {quiet['runs']} runs without faults: {nothing}; {found['runs']} with one, "
                  f"{found['late']} late: {ways}", flush=True)
            against = [one for one in found["violated"] if one["claim"] == "AGAINST THE LOCK'S CLAIM"]
            safe = lock in safe_locks()
            assert not against and (not safe or not quiet["violated"]), (against, quiet["violated"])


def main():
    what, count = sys.argv[3], [int(word) for word in sys.argv[4:]]
    {"kills": lambda: kills(*count or [100]), "runs": lambda: runs(*count or [1000]),
     "contended": lambda: contended(*count or [10000]), "soak": lambda: soak(*count or [30])}[what]()


if __name__ == "__main__":
    main()
