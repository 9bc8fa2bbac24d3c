# SPDX-License-Identifier: Apache-2.0
"""What real servers do where the models order events by a rule must be possible in the models.

The scenarios are directed: a server stands still while requests of two or more connections wait, a connection ends
while something waits, a client times out and asks again, a lease ends in the pause. Each runs on real servers a few
times, and `explore` searches it with the same faults, its clients asking as written. A property that a real run
violates must be violated in the search; a double grant must be one there, too. What a late machine leaves undecided,
or a search does not finish, is counted apart and shows nothing.

One run of each on a busy machine (a violation in a real run is the stronger evidence: a clean run is contained in any
search):

    service    scenarios  agree  of these violated in the real run  disagree  undecided, late
    redis             14     13                                  1         0                1
    memcached         14     14                                  1         0                0
    postgres          21     19                                  1         0                2
    zookeeper         14     13                                  1         0                1
    etcd              14     14                                  1         0                0

Before memcached's threads went on in any order after a pause, memcached-add-release-waits-5s-7s disagreed: the real
server let a late release delete the next one's lock, in one of two runs.

    directed_services.py LOCKPROOF [--runs 3] [--workers 4] [--service NAME] [--only WORD] [--keep FOLDER] [--least 60]
"""

import argparse
import collections
import concurrent.futures
import json
import pathlib
import subprocess
import sys
import tempfile

LOCKS = {
    "redis": ["set-px-token", "getset-timestamp"],
    "memcached": ["memcached-add", "memcached-add-cas"],
    "postgres": ["postgres-advisory", "postgres-row", "postgres-row-client-time"],
    "zookeeper": ["zookeeper-queue", "zookeeper-herd"],
    "etcd": ["etcd-mutex", "etcd-key"],
}
HEAD = """title = "{title}"
[algorithm]
name = "{lock}"
[workload]
clients = {clients}
lease = "10s"
acquire_timeout = "60s"
retry = "{retry}"
work = ["read", "hold {hold}", "write"]
[judge]
progress = "50s"
[run]
horizon = "200s"
[real]
speedup = {speedup}
[explore]
contention = "as-written"
"""
SPEEDUPS = {"redis": 4, "memcached": 2, "postgres": 2, "zookeeper": 2, "etcd": 1}
LATE_MOST_US = 250_000  # of the scenario: less than what lies between the instants of these scenarios


def client(number, **keys):
    return f'[[client]]\nname = "client-{number}"\n' + "".join(f'{key} = "{value}"\n' for key, value in keys.items())


def fault(kind, target, place, **keys):
    where = "at" if place[0].isdigit() else "when"
    return (f'[[fault]]\nkind = "{kind}"\ntarget = "{target}"\n{where} = "{place}"\n'
            + "".join(f'{key.rstrip("_")} = "{value}"\n' for key, value in keys.items()))


def families(server):
    """Name, numbers in the head, and the rest of the scenario."""
    def release_waits(pause, start):  # client-3 asks in vain at first, so that there is contention
        return (f"release-waits-{pause}-{start}", {"title": "A release and the next one's request wait in the server",
                                                   "clients": 3, "retry": "30s"},
                client(2, start=start) + client(3, start="1s")
                + fault("pause", server, "client-1 before release", for_=pause))
    yield release_waits("5s", "10500ms")
    yield release_waits("5s", "7s")
    yield release_waits("3s", "7s")
    yield ("lease-ends-in-pause", {"title": "The server stands still for longer than the lease; its holder works on",
                                   "hold": "40s"},
           client(2, start="2s") + fault("pause", server, "9s", for_="25s"))
    yield ("connection-ends-while-two-wait", {"title": "The holder dies while two requests wait in the server",
                                              "clients": 3, "hold": "4s"},
           client(2, start="3s") + client(3, start="3500ms") + fault("pause", server, "2s", for_="6s")
           + fault("crash", "client-1", "3200ms"))
    yield ("first-requests-wait", {"title": "The first requests of three clients wait in the server, and time out",
                                   "clients": 3, "hold": "2s"},
           client(2, start="300ms") + client(3, start="700ms")
           + fault("pause", server, "client-1 before acquire", for_="3s"))
    yield ("connection-breaks-in-pause", {"title": "The holder's connection breaks while a request waits"},
           client(2, start="3s") + fault("pause", server, "2s", for_="4s")
           + fault("break-connection", "client-1", "3500ms", peer=server))


def scenarios(services):
    for service in services:
        for lock in LOCKS[service]:
            for name, numbers, rest in families(f"{service}-1"):
                values = {"clients": 2, "hold": "6s", "retry": "1s", "lock": lock, "speedup": SPEEDUPS[service]}
                yield service, f"{lock}-{name}", HEAD.format(**{**values, **numbers}) + rest


def answer(command, limit):
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=limit)
    except subprocess.TimeoutExpired:
        return None, "took too long"
    try:
        return json.loads(done.stdout), ""
    except json.JSONDecodeError:
        return None, (done.stderr or done.stdout).strip().splitlines()[-1:] or ["says nothing"]


def violated(report):
    """Kinds of violation by property, without what shows only that a run was vacuous."""
    return {p["property"]: p.get("kind", "") for p in report["properties"]
            if p["verdict"] == "violated" and p["property"] != "exercised"}


def verdicts(report):
    return {p["property"]: (p["verdict"], p.get("kind", "")) for p in report["properties"]}


def not_contained(real, searched):
    """What real runs show and the search excludes; and what the search leaves open."""
    excluded, left_open = [], []
    for name, kind in sorted(real):
        verdict, found = searched.get(name, ("not searched", ""))
        if verdict == "violated" and not (kind == "double-grant" and found == "outlived"):
            continue
        (excluded if verdict in ("holds", "violated") else left_open).append(f"{name} {kind}".strip())
    return excluded, left_open


def judge(options, folder, service, name, text):
    file = folder / f"{name}.toml"
    file.write_text(text)
    explored, why = answer([options.program, "explore", str(file), "--format", "json", "--time", "60s"], 300)
    if explored is None:
        return name, "undecided", f"explore: {why}"
    real, decided, vacuous, latest = collections.Counter(), 0, 0, 0
    for seed in range(1, options.runs + 1):
        report, why = answer([options.program, "real", str(file), "--seed", str(seed), "--format", "json"], 300)
        if report is None:
            return name, "undecided", f"real: {why}"
        if "late_us" not in report:  # of a run that did not take place
            return name, "undecided", f"real: {report['properties'][0].get('what', 'it did not run')}"
        late = report["late_us"] * SPEEDUPS[service] > LATE_MOST_US
        latest = max(latest, report["late_us"])
        decided += not late or bool(violated(report))
        vacuous += any(p["property"] == "exercised" and p["verdict"] == "violated" for p in report["properties"])
        real.update(violated(report).items())
    searched = verdicts(explored)
    excluded, left_open = not_contained(real, searched)
    found = [f"{key} {kind} {times}/{options.runs}".replace("  ", " ") for (key, kind), times in sorted(real.items())]
    possible = [f"{key} {kind}".strip() for key, (verdict, kind) in searched.items() if verdict == "violated"]
    shown = (f"real: {', '.join(found) or 'clean'} (late by up to {latest / 1000:.0f} ms); "
             f"explore: {', '.join(possible) or 'clean'}")
    if excluded:
        return name, "DISAGREES", f"{', '.join(excluded)} is not possible in the search; {shown}"
    if left_open or decided == 0:
        return name, "undecided", f"{shown}; late or not searched: {', '.join(left_open) or 'all runs'}"
    return name, "vacuous" if vacuous == options.runs else "agrees", shown


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--workers", type=int, default=4)
    parser.add_argument("--service", action="append", choices=LOCKS)
    parser.add_argument("--only", default="")
    parser.add_argument("--keep")
    parser.add_argument("--least", type=int, default=0, help="how many scenarios must agree")
    options = parser.parse_args()
    counts = collections.defaultdict(collections.Counter)
    with tempfile.TemporaryDirectory() as temporary, concurrent.futures.ThreadPoolExecutor(options.workers) as pool:
        folder = pathlib.Path(options.keep or temporary)
        folder.mkdir(parents=True, exist_ok=True)
        asked = [(service, pool.submit(judge, options, folder, service, name, text))
                 for service, name, text in scenarios(options.service or LOCKS) if options.only in name]
        for service, one in asked:
            name, how, what = one.result()
            counts[service][how] += 1
            print(f"{how:<10} {name}: {what}", flush=True)
    total = sum(counts.values(), collections.Counter())
    for service, by in [*counts.items(), ("all", total)]:
        print(f"{service}: " + ", ".join(f"{how} {by[how]}" for how in ("agrees", "DISAGREES", "vacuous", "undecided")))
    sys.exit(total["DISAGREES"] > 0 or total["agrees"] < options.least)


if __name__ == "__main__":
    main()
