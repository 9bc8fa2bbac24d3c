#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""explore --all-causes: each cause is a scenario that shows its kind of violation, no cause contains another one of the
same kind, and both engines find the same ones (of clients that ask as written, since others take minutes if every
schedule is run from its start). Among them is one that the search without it does not show.

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


def as_written(scenario):
    """With clients that poll, since they would ask but once."""
    polled = scenario.replace("attempts = 1", 'attempts = 7\ncontention = "as-written"')
    return polled.replace("[workload]", '[workload]\nretry = "500ms"')


def causes(lockproof, folder, scenario, engine):
    (folder / "several.toml").write_text(scenario)
    out = folder / engine
    done = subprocess.run(
        [lockproof, "explore", folder / "several.toml", "--all-causes", "--engine", engine, "--format", "json", "--out",
         out], capture_output=True, text=True, check=False, timeout=200)
    answer = json.loads(done.stdout)
    assert answer["complete"], answer["stopped"]
    return answer


def told(answer):
    return {(one["property"], one.get("kind", ""), tuple(one["faults"])) for one in answer["causes"]}


def main():
    lockproof = sys.argv[1]
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        answer = causes(lockproof, folder, SCENARIO, "stateful")
        found = told(answer)
        print("\n".join(map(str, sorted(found))))
        for kind, faults in [("double-grant", ("evict",)), ("outlived", ("pause (client)",)),
                             ("double-grant", ("pause (client)", "clock-rate (server)"))]:
            assert ("mutual-exclusion", kind, faults) in found, (kind, faults)
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
    print(f"{len(found)} causes, each shown by a run, and {len(both[0])} that both engines find")


if __name__ == "__main__":
    main()
