#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What sweeps found in libraries, as a page: libraries.py SWEEP… > docs/reference/libraries.md.

Each SWEEP is a file sweep.json that `lockproof sweep FILE --out FOLDER` has written.
"""

import json
import sys
from pathlib import Path

HEAD = """# What sweeps found in libraries

Written by `python3 reports/libraries.py` from sweeps over the clients in
[docs/guide/examples/clients](../guide/examples/clients), which call each library as its documentation shows. A sweep
makes every kind of fault strike at every event of the runs without faults, once; what violates something is made again.
"k of n" counts the runs of the first such event that showed it. Nothing here says that a library is bad: a lock with a
lease cannot keep a holder that is paused past its lease from meeting the next one, and what happens when a server loses
its keys is the server's doing. Those rows are there so that nothing is left out.
"""

# Where the same has been reported: (program, property, kind, fault) -> threads.
KNOWN = {
    ("redlock 5.0.0-beta.2", "grant-is-valid", "expired", ""): "node-redlock #296, #299",
    ("redis-semaphore 5.8.0", "survives", "died", "delay"): "redis-semaphore #199",
    ("redis-py 4.3.4", "deadlock-freedom", "orphaned", "break"): "redis-py #4258",
}


def name(found):
    return f"{found['property']}: {found['kind']}" if found["kind"] else found["property"]


def rows(sweep):
    for found in sweep["violations"]:
        fault = found["fault"] or "none"
        if "second" in found:
            fault += f", then {found['second']}"
        more = len(found["events"]) - 1
        place = f"`{found['events'][0]}`" if found["events"][0] else ""
        if more:
            place += f" and {more} more"
        known = KNOWN.get((sweep["program"], found["property"], found["kind"], found["fault"]), "")
        yield f"| {fault} | {place} | {name(found)} | {found['found']} of {found['runs']} | {known} |"


def section(sweep):
    strikes = [strike for strike in sweep["strikes"] if strike["fault"]]
    struck = sum(strike["struck"] > 0 for strike in strikes)
    lines = [f"## {sweep['title'] or sweep['scenario']}", "",
             f"`{Path(sweep['file']).name}`, {sweep['program']}: {struck} of {len(strikes)} strikes happened, at "
             f"{len(sweep['events'])} events; {len(sweep['not_in_every'])} events were not in every run.", ""]
    found = list(rows(sweep))
    if not found:
        return "\n".join([*lines, "Nothing was violated.", ""])
    return "\n".join([*lines, "| fault | at | what | runs | reported as |", "|---|---|---|---|---|", *found, ""])


def main(files):
    print(HEAD)
    for file in files:
        print(section(json.loads(Path(file).read_text(encoding="utf-8"))))


if __name__ == "__main__":
    main(sys.argv[1:])
