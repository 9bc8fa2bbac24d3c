#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How large the search of each lock is: one fault of each kind in the shared budget, two clients that poll, one
round.

catalogue_sizes.py LOCKPROOF SOURCE one-server|three-servers [short]: compares with the table in
tests/data/search_sizes.md, and with UPDATE=1 writes it. States and transitions must be the same, of zones where these
answer; seconds are those of the machine that wrote the table. `short` leaves out the rows that took more than two of
them.
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

SERVICES = ("memcached", "postgres", "zookeeper", "etcd", "chubby")  # and redis
BUDGET = "scenarios/budgets/one-server.toml"
FILE = "scenarios/bench/catalogue.toml"
REDLOCK = "redlock"
WAITS = "set-px-token-wait"
WITH_REPLICA = (WAITS, "postgres-row-synchronous")
SHORT = 2  # seconds
A_REPLICA = '{0} = 2\n\n[[server]]\nname = "{0}-2"\nreplica_of = "{0}-1"'


def servers_of(algorithm: str) -> int:
    return 3 if algorithm.startswith(REDLOCK) else 2 if algorithm in WITH_REPLICA else 1


def explored(lockproof: str, source: pathlib.Path, algorithm: str, folder: str) -> dict:
    text = (source / FILE).read_text().replace('real = "no-violation"\n', "")  # some have no servers to run
    settings = {WAITS: 'wait = "1s"'}.get(algorithm, 'lock_delay = "0s"' if algorithm.startswith("chubby") else "")
    text = text.replace('name = "set-px-token"', f'name = "{algorithm}"\n{settings}')
    service = next((one for one in SERVICES if algorithm.startswith(one)), "redis")
    servers = A_REPLICA.format(service) if algorithm in WITH_REPLICA else f"{service} = {servers_of(algorithm)}"
    text = text.replace("redis = 1", servers)
    scenario = pathlib.Path(folder) / f"{algorithm}.toml"
    scenario.write_text(text)
    budget = pathlib.Path(folder) / "polled.toml"  # with asks at any instant some take a minute
    text = (source / BUDGET).read_text().replace("[explore]\n", '[explore]\ncontention = "as-written"\n')
    budget.write_text(text)
    command = [lockproof, "explore", str(scenario), "--budget", str(budget), "--format", "json"]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    if run.returncode not in (0, 1):
        sys.exit(f"catalogue_sizes: {' '.join(command)}: {run.stderr or run.stdout}")
    return json.loads(run.stdout)


def thousands(n: int) -> str:
    return f"{n:,}".replace(",", " ")


def row(algorithm: str, found: dict) -> str:
    broken = sorted({p["property"] + (f" ({p['kind']})" if p.get("kind") else "") for p in found["properties"]
                     if p["verdict"] == "violated"})
    states, transitions = thousands(found["states"]), thousands(found["transitions"])
    cells = [f"`{algorithm}`", servers_of(algorithm), states, transitions, found["depth"], f"{found['seconds']:.1f}",
             ", ".join(broken) or "-"]
    return f"| {' | '.join(map(str, cells))} |"


def figures(line: str) -> tuple:
    cells = [cell.strip() for cell in line.split("|")[1:-1]]
    return tuple(cells[:5] + cells[6:])


def name_in(line: str) -> str:
    return figures(line)[0].strip("`")


def main() -> None:
    lockproof, source, which, short = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3], sys.argv[4:] == ["short"]
    listed = subprocess.run([lockproof, "list", "algorithms"], capture_output=True, text=True, check=True).stdout
    names = re.findall(r"^  ([a-z0-9-]+): ", listed, re.MULTILINE)
    names = [n for n in names if n.startswith(REDLOCK) == (which == "three-servers")]
    page = source / "tests/data/search_sizes.md"
    begin, end = f"<!-- sizes: {which} -->", "<!-- end -->"
    text = page.read_text()
    there = re.search(re.escape(begin) + r"\n(.*?)" + re.escape(end), text, re.DOTALL)
    if not there:
        sys.exit(f"catalogue_sizes: {page} has no {begin}")
    lines = there.group(1).splitlines()[2:]
    if short and not os.environ.get("UPDATE"):
        left_out = {name_in(line) for line in lines if float(line.split("|")[6]) > SHORT}
        lines = [line for line in lines if name_in(line) not in left_out]
        names = [name for name in names if name not in left_out]
        if len(names) < len(left_out):
            sys.exit(f"catalogue_sizes: most rows take more than {SHORT} s, and would be left out")
    with tempfile.TemporaryDirectory() as folder:
        rows = [row(name, explored(lockproof, source, name, folder)) for name in names]
    columns = ["lock", "servers", "states", "transitions", "depth", "seconds", "broken by one fault"]
    head = f"| {' | '.join(columns)} |\n|{'---|' * len(columns)}\n"
    if os.environ.get("UPDATE"):
        page.write_text(text[:there.start(1)] + head + "\n".join(rows) + "\n" + text[there.end(1):])
        return
    written = [figures(line) for line in lines]
    found = [figures(line) for line in rows]
    for line in found:
        if line not in written:
            print(f"not in {page.name}: {' | '.join(line)}")
    if written != found:
        sys.exit("catalogue_sizes: the table in tests/data/search_sizes.md is not what the searches say; "
                 "UPDATE=1 and this script write it anew")
    print(f"{len(found)} rows are true")


if __name__ == "__main__":
    main()
