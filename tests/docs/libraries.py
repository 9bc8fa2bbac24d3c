#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The page on libraries is what the sweeps found: libraries.py PROGRAM ROOT check|page|sweep|again [NAME…].

tests/data/libraries.json keeps what `lockproof sweep` found of each scenario of docs/guide/examples/clients. `page`
prints the page of the package that is made of it; its head is tests/data/libraries-head.txt. `check` asks whether every
client was swept as it is now. `sweep` makes the sweeps anew, of the scenarios that are named or of all, which takes
minutes each; with faults=crash,break-connection of these kinds of faults only, and keeps the others. `again` strikes a
few of the faults again, and each must do what the page says. A scenario whose runtime is absent is skipped, and said.
"""

import hashlib
import json
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections import Counter
from pathlib import Path

from libraries_words import AGAIN, FAULTS, ORDER, REMARKS, WAYS, remark_for

PROGRAM, ROOT = str(Path(sys.argv[1]).resolve()), Path(sys.argv[2]).resolve()
CLIENTS = ROOT / "docs/guide/examples/clients"
LONGER, JUDGE = 3, '\n[judge]\nanswers = "2700ms"\nprogress = "2700ms"\n'  # leases of 0.9 s, and three of them
STRUCK = {"redis": "pause,crash,half-open,break-connection,delay,flush",
          "postgres": "pause,crash,half-open,break-connection,delay,restart"}
SERVERS = {"redis": "redis-server", "postgres": "/usr/lib/postgresql/15/bin/postgres"}
RESULTS, HEAD = ROOT / "tests/data/libraries.json", ROOT / "tests/data/libraries-head.txt"
SEARCHED = ROOT / "tests/data/libraries_searched.json"
NEEDS = {"python3": ["-c", "import redis"], "ruby": ["-e", "require 'redis'"], "bash": ["-c", "command -v redis-cli"],
         "node": ["-e", "require('ioredis')"], "redis_lock": ["-e", "require('redis-lock')"],
         "psycopg2": ["-c", "import psycopg2"], "tooz": ["-c", "import tooz, redis"],
         "laravel": ["-r", "require 'Illuminate/Cache/autoload.php'; require 'Illuminate/Redis/autoload.php';"],
         "malkusch": ["-r", "require 'Malkusch/Lock/autoload.php'; new Redis();"],
         "perl": ["-e", "use Redis; use JSON::PP;"], "lua5.1": ["-e", "require 'redis'; require 'cjson'"],
         "symfony_postgres": ["-r", "require 'Symfony/Component/Lock/autoload.php';"]}
VERSION = {"lua5.1": "-v"}


# The sweeps.

def files_of(name):
    """What a sweep's result was made of: the scenario, and the client with what it needs."""
    command = tomllib.loads((CLIENTS / f"{name}.toml").read_text(encoding="utf-8"))["algorithm"]["command"]
    client = CLIENTS / command[-1]
    files = [CLIENTS / f"{name}.toml", client]
    if client.suffix == ".js":
        files += [file for file in (client.parent / "lines.js", client.parent / "package-lock.json") if file.exists()]
    return files


def service_of(name):
    """On which its servers are."""
    servers = tomllib.loads((CLIENTS / f"{name}.toml").read_text(encoding="utf-8")).get("servers", {})
    return next((service for service in SERVERS if service in servers), "redis")


def version_of_server(name):
    said = call([SERVERS[service_of(name)], "--version"], CLIENTS).stdout
    return re.search(r"(?:v=|\) )([0-9.]+)", said)[1]


def digest(name, *more):
    return hashlib.sha256(b"".join(file.read_bytes() for file in [*files_of(name), *more])).hexdigest()[:16]


def call(words, folder, seconds=3600):
    return subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=seconds, check=False)


def copied(folder):
    """The clients, with the libraries for Node where these can be had. All times in their scenarios are longer than
    there, so that a machine that is busy with something else is on time more often."""
    clients = Path(folder) / "clients"
    shutil.copytree(CLIENTS, clients, ignore=shutil.ignore_patterns("node_modules"))
    for scenario in clients.glob("*.toml"):
        longer = re.sub(r'(\d+)ms"', lambda m: f'{int(m[1]) * LONGER}ms"', scenario.read_text(encoding="utf-8"))
        scenario.write_text(longer + ("" if "[judge]" in longer else JUDGE), encoding="utf-8")
    if shutil.which("npm"):
        for locked in clients.glob("*/package-lock.json"):
            call(["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"], locked.parent, 300)
    return clients


def runtime_of(name, clients):
    """What runs it, as it names itself; nothing: it is not there, or its libraries are not."""
    command = tomllib.loads((clients / f"{name}.toml").read_text(encoding="utf-8"))["algorithm"]["command"]
    runtime = next((str(Path(at) / command[0]) for at in ("/usr/local/bin", "/usr/bin", "/bin")
                    if (Path(at) / command[0]).exists()), None)
    needs = NEEDS.get(name) or NEEDS[command[0]]
    if not runtime or call([runtime, *needs], (clients / command[-1]).parent).returncode != 0:
        return None
    said = call([runtime, VERSION.get(command[0], "--version")], clients)
    return next(line for line in (said.stdout + said.stderr).splitlines() if line)


def swept(name, clients, options):
    done = call([PROGRAM, "sweep", f"{name}.toml", "--format", "json", *options], clients)
    if done.returncode not in (0, 1, 2, 3):
        sys.exit(f"{name}: exit code {done.returncode}: {done.stderr[-2000:]}")
    return json.loads(done.stdout)


def is_undecided(strike):
    """Nothing was found, and what depends on time was not judged, since the machine was late each time."""
    return strike["struck"] > 0 and not strike["violated"] and strike["late"] >= strike["runs"]


def result_of(name, clients, runtime, faults):
    """What the page needs of a sweep."""
    report = swept(name, clients, ["--faults", faults])
    strikes = {kind: [0, 0, 0] for kind in report["kinds"]}
    for strike in report["strikes"]:
        if strike["fault"]:
            strikes[strike["fault"]][0] += 1
            strikes[strike["fault"]][1] += strike["struck"] > 0
            strikes[strike["fault"]][2] += is_undecided(strike)
    return {"name": name, "title": report["title"], "program": report["program"], "runtime": runtime,
            "server": version_of_server(name), "made_of": digest(name),
            "references": report["references"], "events": len(report["events"]),
            "not_in_every": len(report["not_in_every"]), "runs": report["runs"],
            "strikes": {kind: {"made": made, "happened": happened, "undecided": undecided}
                        for kind, (made, happened, undecided) in strikes.items()},
            "violations": [{key: one[key] for key in ("property", "kind", "fault", "events", "found", "runs", "what")}
                           for one in report["violations"]]}


def stored(file=RESULTS):
    results = json.loads(file.read_text(encoding="utf-8")) if file.exists() else []
    return {result["name"]: result for result in results}


def store(results, file=RESULTS):
    ordered = [results[one] for one in ORDER if one in results]
    file.write_text(json.dumps(ordered, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def runnable(names):
    """Of these clients, those that can be run here: their names, the folder in which they are, and what runs them."""
    with tempfile.TemporaryDirectory() as folder:
        clients = copied(folder)
        for name in names:
            runtime = runtime_of(name, clients)
            if runtime:
                yield name, clients, runtime
            else:
                print(f"skipped: {name}, whose runtime or libraries cannot be had here")


def with_the_rest(result, before):
    """The result of some kinds of faults, with what an earlier sweep of the same client found by others."""
    if not before or before["made_of"] != result["made_of"]:
        return result
    kept = {kind: one for kind, one in before["strikes"].items() if kind not in result["strikes"]}
    both = {**kept, **result["strikes"]}
    order = STRUCK[service_of(result["name"])].split(",")
    result["strikes"] = {kind: both[kind] for kind in order if kind in both}
    result["violations"] += [one for one in before["violations"] if one["fault"] in kept]
    result["runs"] += before["runs"] if kept else 0
    return result


def sweep(words):
    results = stored()
    faults = next((word.removeprefix("faults=") for word in words if word.startswith("faults=")), None)
    names = [word for word in words if not word.startswith("faults=")]
    for name, clients, runtime in runnable(names or ORDER):
        results[name] = with_the_rest(result_of(name, clients, runtime, faults or STRUCK[service_of(name)]),
                                      results.get(name))
        store(results)
        print(f"{name}: {results[name]['runs']} runs, {len(results[name]['violations'])} kinds of violations")
    return 0


# The page.

def is_of_leases(violation):
    """What no lock with a lease on one server prevents by itself."""
    fault, kind = violation["fault"], violation["kind"]
    if violation["property"] in ("answers", "survives"):
        return False
    if fault in ("flush", "clock-jump", "restart"):
        return True
    held_up = fault in ("pause", "delay")
    return held_up and (kind in ("outlived", "expired", "not-held") or violation["property"] == "resource-safety")


def explained_by_leases(kind, ways):
    """Of a search for this kind of fault."""
    return [way for way in ways if is_of_leases({"fault": kind, "property": way[0], "kind": way[1]})]


def searched_cell(name):
    """For how many kinds of faults a search of every schedule found nothing but that: libraries_searched.py."""
    searches = next((one["searches"] for one in json.loads(SEARCHED.read_text(encoding="utf-8"))
                     if one["name"] == name), None)
    if not searches:
        return ""
    if all("refused" in one for one in searches.values()):
        return "not searched"
    held = [kind for kind, one in searches.items() if one.get("complete") and
            len(explained_by_leases(kind, one["violations"])) == len(one["violations"])]
    return f"[held for {len(held)} of {len(searches)}](libraries-searched.md)"


def rows_of(violations):
    """(fault, way): the violations that are alike, in the order in which the sweep reports them. What came in less than
    half of the runs is left out: on a machine that is busy with something else a call may come late by itself."""
    rows = {}
    for violation in violations:
        rows.setdefault((violation["fault"], violation["property"], violation["kind"]), []).append(violation)
    often = lambda alike: 2 * sum(one["found"] for one in alike) >= sum(one["runs"] for one in alike)
    return {row: alike for row, alike in rows.items() if often(alike)}


def places(alike):
    """Where it was found, the names of commands without their numbers."""
    names = list(dict.fromkeys(event.split(" #")[0].split(" round ")[0] for one in alike for event in one["events"]
                               if event))
    shown = ", ".join(f"`{name}`" for name in names[:3])
    return f"{shown} and {len(names) - 3} more" if len(names) > 3 else shown


def table(name, violations):
    text = "| fault | what happened | where | k of n |\n|---|---|---|---|\n"
    for (fault, prop, kind), alike in rows_of(violations).items():
        found, runs = sum(one["found"] for one in alike), sum(one["runs"] for one in alike)
        remark = remark_for(name, fault, prop, kind)
        text += (f"| {FAULTS[fault]} | {WAYS[prop, kind]} (`{prop}{': ' if kind else ''}{kind}`){remark} "
                 f"| {places(alike) or 'anywhere'} | {found} of {runs} |\n")
    return text + "\n"


def section(result):
    name = result["name"]
    client = files_of(name)[1].relative_to(CLIENTS)
    happened = sum(one["happened"] for one in result["strikes"].values())
    made = sum(one["made"] for one in result["strikes"].values())
    text = (f"## {result['title']}\n\n`{result['program']}`, {runtime_text(result['runtime'])}, "
            f"{SERVERS[service_of(name)].split('/')[-1]} {result['server']}. "
            f"Client: [{client}](../guide/examples/clients/{client}); scenario: "
            f"[{name}.toml](../guide/examples/clients/{name}.toml). {result['references']} runs without faults have "
            f"{result['events']} events in common; {happened} of {made} strikes happened; {result['runs']} runs.\n\n")
    if name in REMARKS:
        text += REMARKS[name] + "\n\n"
    own = [one for one in result["violations"] if not is_of_leases(one)]
    leases = [one for one in result["violations"] if is_of_leases(one)]
    violating = {fault for fault, _, _ in [*rows_of(own), *rows_of(leases)]}
    quiet = [kind for kind in result["strikes"] if kind not in violating]
    undecided = {kind: result["strikes"][kind].get("undecided", result["strikes"][kind]["happened"]) for kind in quiet}
    undecided = {kind: count for kind, count in undecided.items() if count}
    quiet = [kind for kind in quiet if kind not in undecided]
    text += table(name, own) if rows_of(own) else "Nothing but what a lock with a lease cannot prevent by itself.\n\n"
    if rows_of(leases):
        which = "a lock with a lease" if service_of(name) == "redis" else "a lock of connections"
        text += f"What {which} on one server cannot prevent by itself:\n\n" + table(name, leases)
    if quiet:
        text += f"Nothing was violated by: {', '.join(f'`{kind}`' for kind in quiet)}.\n\n"
    if undecided:
        counts = ", ".join(f"{count} of `{kind}`" for kind, count in undecided.items())
        text += f"Not decided, where it depends on time, since the machine was late: {counts}.\n\n"
    return text


def runtime_text(runtime):
    perl = re.search(r"\(v([0-9.]+)\)", runtime) if runtime.startswith("This is perl") else None
    if perl:
        return f"Perl {perl[1]}"
    return f"Node.js {runtime}" if runtime.startswith("v") else re.split(r" \(cli\)|  Copyright", runtime)[0]


def summary(results):
    """A row for each client, a column for each kind of fault: in how many ways something was violated."""
    kinds = list(dict.fromkeys(kind for result in results.values() for kind in result["strikes"]))
    text = f"| | none | {' | '.join(kinds)} | searched |\n|---|{'---|' * (len(kinds) + 2)}\n"
    for result in results.values():
        counts = Counter(fault for fault, _, _ in rows_of([v for v in result["violations"] if not is_of_leases(v)]))
        leases = Counter(fault for fault, _, _ in rows_of([v for v in result["violations"] if is_of_leases(v)]))
        cells = [f"**{counts[kind]}**" if counts[kind] else "·" if leases[kind] else
                 "" if kind in ("", *result["strikes"]) else "not struck" for kind in ["", *kinds]]
        anchor = "".join(c for c in result["title"].lower() if c.isalnum() or c in " -_").replace(" ", "-")
        text += f"| [{result['name']}](#{anchor}) | {' | '.join(cells)} | {searched_cell(result['name'])} |\n"
    return text + "\n"


def page(results):
    made = summary(results) + "".join(section(result) for result in results.values())
    missing_yet = [f"[{name}](../guide/examples/clients/{name}.toml)" for name in ORDER if name not in results]
    if missing_yet:
        made += f"## Not swept yet\n\n{', '.join(missing_yet)}.\n"
    return HEAD.read_text(encoding="utf-8") + made.rstrip() + "\n"


def check():
    results, findings = stored(), []
    scenarios = {path.stem for path in CLIENTS.glob("*.toml")}
    for name in sorted(scenarios ^ set(ORDER)):
        findings.append(f"{name} is in docs/guide/examples/clients or in ORDER of libraries_words.py, and not in both")
    for name in ORDER:
        if name in results and results[name]["made_of"] != digest(name):
            findings.append(f"{name} is not what was swept any more: libraries.py … sweep {name}")
    return findings


# A small part, made again.

def not_seen(name, fault, prop, kind, clients):
    """Why the page's row is not seen again; empty: it is."""
    alike = rows_of(stored()[name]["violations"]).get((fault, prop, kind))
    if not alike:
        return f"the page has no row of {name}: {fault or 'no fault'}, {prop} {kind}"
    report = swept(name, clients, ["--repeat", "1", "--faults", fault or "flush"])
    seen = {(one["fault"], one["property"], one["kind"]) for one in report["violations"]}
    if (fault, prop, kind) in seen:
        return ""
    return f"{name}: {fault or 'no fault'} did not do what it did: {sorted(seen)}"


TRIES = 4


def again():
    findings = []
    rows = {name: row for name, *row in AGAIN}
    for name, clients, _ in runnable(rows):
        for _ in range(TRIES):  # on a busy machine a run may be late
            why = not_seen(name, *rows[name], clients)
            if not why:
                break
        findings += [why] if why else []
    return findings


def main():
    part, names = sys.argv[3], sys.argv[4:]
    if part == "sweep":
        return sweep(names)
    if part == "page":
        return print(page(stored()), end="")
    findings = check() if part == "check" else again()
    for finding in findings:
        print(finding, file=sys.stderr)
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
