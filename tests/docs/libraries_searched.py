#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What searches found of the libraries: libraries_searched.py PROGRAM ROOT check|page|search|again [NAME…].

tests/data/libraries_searched.json keeps what `lockproof explore --budget` found of each scenario of
docs/guide/examples/clients, a search for each kind of fault of docs/guide/examples/any_fault.toml. `page` prints the
page of the package that is made of it; its head is tests/data/libraries-searched-head.txt. `check` asks whether every
client was searched as it is now. `search` searches anew, the scenarios that are named or all; with faults=crash,delay
these kinds only. `again` searches a few of them again, and each must find the same in as many states.
"""

import json
import sys
import tomllib

from libraries import CLIENTS, PROGRAM, ROOT, SEARCHED, call, digest, explained_by_leases, files_of, runnable
from libraries import runtime_text, service_of, store, stored
from libraries_words import ORDER, WAYS

BUDGET = ROOT / "docs/guide/examples/any_fault.toml"
RESULTS, HEAD = SEARCHED, ROOT / "tests/data/libraries-searched-head.txt"
LIMIT, LIMIT_OF_SEVERAL = "60s", "180s"  # of time, for each search: on one server, on several
TOGETHER = 'ties = "together"\n'  # on several: all orders of their replies are too many
SEARCHED_HERE = tuple(name for name in ORDER if service_of(name) == "redis")  # virtual time has no other server
AGAIN = ("redis_py", "naive")
UNPREVENTABLE = " (which no lock on redis can prevent)"  # the page counts it among lost keys
IN_ORDER = """With `ties = "together"` in `[explore]`: of replies that reach a client at one instant only the order of
the servers was searched.

"""


# The searches.

def has_several_servers(name):
    return tomllib.loads((CLIENTS / f"{name}.toml").read_text(encoding="utf-8")).get("servers", {}).get("redis", 1) > 1


def budgets(folder, name):
    """A file for each kind of fault, by kind."""
    files = {}
    for part in BUDGET.read_text(encoding="utf-8").split("[[explore.fault]]")[1:]:
        kind = tomllib.loads(part)["kind"]
        files[kind] = folder / f"{name}-{kind}.budget.toml"
        ties = TOGETHER if has_several_servers(name) else ""
        files[kind].write_text(f"[explore]\nmax_faults = 1\n{ties}[[explore.fault]]{part}", encoding="utf-8")
    return files


def searched(name, budget, clients):
    """What the page needs of one search."""
    limit = LIMIT_OF_SEVERAL if has_several_servers(name) else LIMIT
    done = call([PROGRAM, "explore", f"{name}.toml", "--budget", budget.name, "--format", "json", "--time", limit],
                clients)
    if done.returncode not in (0, 1, 2, 3):
        return {"refused": done.stderr.splitlines()[0].removeprefix("lockproof: ").split("; it says")[0]}, ""
    report = json.loads(done.stdout)
    broken = [one for one in report["properties"] if one["verdict"] == "violated"]
    result = {"complete": report["complete"], "stopped": report["stopped"], "states": report["states"],
              "unanswered": report["unanswered"],
              "steps": report["programs"]["steps_executed"],
              "violations": [[one["property"], one.get("kind", ""), one.get("what", "").removesuffix(UNPREVENTABLE)]
                             for one in broken]}
    return result, report["programs"]["library"]


def result_of(name, clients, runtime, kinds, before):
    """What searches for these kinds of faults find, with what others found before of the same client."""
    result = {"name": name, "runtime": runtime, "library": "", "made_of": made_of(name), "searches": {}}
    if before and before["made_of"] == result["made_of"]:
        result["library"], result["searches"] = before["library"], before["searches"]
    for kind, budget in budgets(clients, name).items():
        if kinds and kind not in kinds:
            continue
        result["searches"][kind], library = searched(name, budget, clients)
        result["library"] = result["library"] or library
        result["title"] = tomllib.loads((CLIENTS / f"{name}.toml").read_text(encoding="utf-8"))["title"]
        print(f"{name}, {kind}: {result['searches'][kind]}", flush=True)
    return result


def made_of(name):
    return digest(name, BUDGET)


def search(words):
    results = stored(RESULTS)
    kinds = next((word.removeprefix("faults=").split(",") for word in words if word.startswith("faults=")), [])
    names = [word for word in words if not word.startswith("faults=")]
    for name, clients, runtime in runnable(names or SEARCHED_HERE):
        results[name] = result_of(name, clients, runtime, kinds, results.get(name))
        store(results, RESULTS)
    return []


# The page.

def own_and_leases(kind, one):
    """The ways in which something broke: what the library could have prevented, and what no lease does."""
    ways = [(prop, way) for prop, way, _ in one["violations"]]
    explained = explained_by_leases(kind, ways)
    return [way for way in ways if way not in explained], explained


def cell(kind, one):
    if "refused" in one:
        return "not searched"
    own, leases = own_and_leases(kind, one)
    found = f"**{len(own)}**" if own else "·" if leases else ""
    if one["complete"]:
        return found or "held"
    return f"{found} in part".strip()


def said(kind, one):
    """What became of a search, in a row of a table."""
    if "refused" in one:
        return f"| `{kind}` | not searched: {one['refused']} | |\n"
    own, leases = own_and_leases(kind, one)
    lines = [f"{WAYS[way]} (`{way[0]}{': ' if way[1] else ''}{way[1]}`)" for way in own]
    if leases:
        names = ", ".join(f"`{prop}{': ' if way else ''}{way}`" for prop, way in leases)
        lines.append(f"what no lock with a lease on one server prevents by itself: {names}")
    lines = lines or ["**held**" if one["complete"] else "nothing was found"]
    size = f"{one['states']:,} states, {one['steps']:,} steps of the program"
    if one["unanswered"]:
        size += f"; not followed further where it will never answer: {one['unanswered']:,} of them"
    part = "" if one["complete"] else f"; **in part**, since {one['stopped']}"
    return f"| `{kind}` | {'; '.join(lines)} | {size}{part} |\n"


def table(searches):
    refused = {one.get("refused") for one in searches.values()}
    if len(refused) == 1 and None not in refused:
        return f"Not searched: {refused.pop()}.\n"
    rows = "".join(said(kind, one) for kind, one in searches.items())
    return f"| any one | what happened | searched |\n|---|---|---|\n{rows}"


def anchor(title):
    return "".join(c for c in title.lower() if c.isalnum() or c in " -_").replace(" ", "-")


def page(results):
    kinds = list(dict.fromkeys(kind for result in results.values() for kind in result["searches"]))
    made = f"| | {' | '.join(kinds)} |\n|---|{'---|' * len(kinds)}\n"
    for result in results.values():
        cells = [cell(kind, result["searches"][kind]) for kind in kinds]
        made += f"| [{result['name']}](#{anchor(result['title'])}) | {' | '.join(cells)} |\n"
    for result in results.values():
        client = files_of(result["name"])[1].relative_to(CLIENTS)
        runtime = runtime_text(result["runtime"])
        named = f"`{result['library']}`, {runtime}" if result["library"] else runtime
        made += (f"\n## {result['title']}\n\n{named}. Client: [{client}](../guide/examples/clients/{client}); "
                 f"scenario: [{result['name']}.toml](../guide/examples/clients/{result['name']}.toml).\n\n"
                 f"{IN_ORDER if has_several_servers(result['name']) else ''}{table(result['searches'])}")
    missing_yet = [f"[{name}](../guide/examples/clients/{name}.toml)" for name in SEARCHED_HERE if name not in results]
    if missing_yet:
        made += f"\n## Not searched yet\n\n{', '.join(missing_yet)}.\n"
    return HEAD.read_text(encoding="utf-8") + made


def check():
    results = stored(RESULTS)
    findings = [f"{name} is not what was searched any more: libraries_searched.py … search {name}"
                for name in SEARCHED_HERE if name in results and results[name]["made_of"] != made_of(name)]
    return findings


def again():
    """What was searched whole is searched whole again: with another version of the library, what is found must be."""
    findings = []
    for name, clients, _ in runnable(AGAIN):
        before, files = stored(RESULTS)[name], budgets(clients, name)
        for kind, one in before["searches"].items():
            now, library = searched(name, files[kind], clients)
            same = ("states", "steps", "violations") if library == before["library"] else ("violations",)
            for run in now, one:
                run["violations"] = sorted(run.get("violations", []))
            if one.get("complete") and any(now.get(key) != one[key] for key in same):
                findings.append(f"{name}, {kind}: {now}, and before it was {one}")
    return findings


def main():
    part, names = sys.argv[3], sys.argv[4:]
    if part == "page":
        return print(page(stored(RESULTS)), end="")
    findings = search(names) if part == "search" else check() if part == "check" else again()
    for finding in findings:
        print(finding, file=sys.stderr)
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
