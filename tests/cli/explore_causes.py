#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""explore --find causes: each cause is a scenario that shows its kind of violation, no cause has another one of the
same kind, and both engines find the same ones (of clients that ask as written, since others take minutes if every
schedule is run from its start). Among them is one that the search without it does not show. Causes are told apart by
where they strike, and what no lock can prevent is told last.

    explore_causes.py LOCKPROOF SOURCE
"""
import json
import pathlib
import subprocess
import sys
import tempfile

SCENARIO = """
[algorithm]
name = "set-px-token"
[workload]
lease = "2s"
work = ["hold 1s"]
[explore]
attempts = 1
max_faults = 2
[[explore.fault]]
kind = "evict"
[[explore.fault]]
kind = "pause"
target = "clients"
for = "T"
[[explore.fault]]
kind = "clock-rate"
target = "servers"
rate = "+60%"
"""


WAITS = """
[algorithm]
name = "LOCK"
[workload]
clients = 3
lease = "5s"
work = ["hold 8s"]
[explore]
max_faults = 1
contention = "as-written"
[[explore.fault]]
kind = "pause"
target = "clients"
for = ["T+2s"]
"""


def as_written(scenario):
    """With clients that poll, since they would ask but once."""
    polled = scenario.replace("attempts = 1", 'attempts = 7\ncontention = "as-written"')
    return polled.replace("[workload]", '[workload]\nretry = "500ms"')


def causes(lockproof, folder, scenario, engine):
    (folder / "several.toml").write_text(scenario)
    out = folder / engine
    done = subprocess.run(
        [lockproof, "explore", folder / "several.toml", "--find", "causes", "--engine", engine, "--format", "json",
         "--out", out], capture_output=True, text=True, check=False, timeout=200)
    answer = json.loads(done.stdout)
    assert answer["complete"], answer["stopped"]
    return answer


def told(answer):
    return {(one["property"], one.get("kind", ""), tuple(zip(one["faults"], one["places"])))
            for one in answer["causes"]}


def by_kind(found):
    return {(name, kind, tuple(fault for fault, _ in faults)) for name, kind, faults in found}


def where_a_fault_strikes(lockproof, folder):
    """A candidate of etcd's mutex 3.4.3 that stands still while it waits is another cause than a holder that does."""
    found = {}
    for lock in ("etcd-mutex-3-4-3", "etcd-mutex"):
        answer = causes(lockproof, folder, WAITS.replace("LOCK", lock), "stateful")
        found[lock] = {faults for name, _, faults in told(answer) if name == "mutual-exclusion"}
    holder = (("pause (client)", "while it has the lock"),)
    waiter = (("pause (client)", "before it is granted the lock, at WATCH"),)
    assert holder in found["etcd-mutex-3-4-3"] and holder in found["etcd-mutex"], found
    assert waiter in found["etcd-mutex-3-4-3"] and waiter not in found["etcd-mutex"], found


def fewest_faults_first(lockproof, folder):
    """What no lock prevents comes last, and does not hide what one could."""
    answer = causes(lockproof, folder, SCENARIO, "stateful")
    apart = [one for one in answer["causes"] if not one["preventable"]]
    assert apart and all(set(one["faults"]) <= {"evict", "flush"} for one in apart), apart
    done = subprocess.run([lockproof, "explore", folder / "several.toml", "--quiet", "--max-faults", "1"],
                          capture_output=True, text=True, check=False, timeout=200).stdout
    table, rest = done.split("searched:")
    assert "outlived with 1 fault (pause" in table and "evict" not in table, done
    assert "what no lock on redis can prevent" in rest and rest.count("evict of redis-1") == 1, done
    assert "which had outlived its own deadline" in done.split("what happened:")[1], done


def main():
    lockproof = sys.argv[1]
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        answer = causes(lockproof, folder, SCENARIO, "stateful")
        found = told(answer)
        print("\n".join(map(str, sorted(found))))
        for kind, faults in [("double-grant", ("evict",)), ("outlived", ("pause (client)",)),
                             ("double-grant", ("pause (client)", "clock-rate (server)"))]:
            assert ("mutual-exclusion", kind, faults) in by_kind(found), (kind, faults)
        assert len(found) == len(answer["causes"])
        for one in found:
            for other in found:
                assert one == other or one[:2] != other[:2] or not set(one[2]) <= set(other[2]), (one, other)
        files = {one["file"] for one in answer["causes"]}
        assert len(files) == len(found)
        for one in answer["causes"]:
            shown = json.loads(subprocess.run([lockproof, "run", one["file"], "--format", "json"], capture_output=True,
                                              text=True, check=True).stdout)
            kinds = {(p["property"], p.get("kind", "")) for p in shown["properties"] if p["verdict"] == "violated"}
            assert (one["property"], one.get("kind", "")) in kinds, (one["file"], kinds)
        both = [told(causes(lockproof, folder, as_written(SCENARIO), engine)) for engine in ("stateful", "reexecution")]
        assert both[0] == both[1] and len(both[0]) > 1, both
        where_a_fault_strikes(lockproof, folder)
        fewest_faults_first(lockproof, folder)
    print(f"{len(found)} causes, each shown by a run, and {len(both[0])} that both engines find")


if __name__ == "__main__":
    main()
