#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""lockproof explain: each violated scenario has its sentences; none is said of events that are not there.

explain.py LOCKPROOF SOURCE [all]    without `all`, of every eighth violated scenario alone
"""
import json
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

PROGRAM, SOURCE, ALL = sys.argv[1], Path(sys.argv[2]), sys.argv[3:] == ["all"]
NOT_VIOLATED = 4


def explain(path, *words):
    done = subprocess.run([PROGRAM, "explain", path, "--format", "json", "--states", "8000", *words],
                          capture_output=True, text=True, check=False, cwd=SOURCE)
    assert done.returncode in (0, NOT_VIOLATED), (path, done.returncode, done.stderr)
    return json.loads(done.stdout) if done.returncode == 0 else None


def breaks(file):
    """Its own run, or, by its [expect], another schedule of it."""
    explored = tomllib.loads(file.read_text()).get("expect", {}).get("explore", {})
    words = explored.items() if isinstance(explored, dict) else [("all", explored)]
    if any(word not in ("holds", "no-violation", "unknown") for name, word in words if name != "exercised"):
        return True
    done = subprocess.run([PROGRAM, "run", file, "--format", "json"], capture_output=True, text=True, check=False,
                          cwd=SOURCE)
    return any(one["verdict"] == "violated" and one["property"] != "exercised"
               for one in json.loads(done.stdout)["properties"])


def every_violated_scenario():
    explained = undecided = 0
    files = sorted((SOURCE / "scenarios").rglob("*.toml"))
    violated = [file for file in files if not {"budgets", "bench", "cases.toml"} & set(file.parts) and breaks(file)]
    for file in violated if ALL else violated[::8]:
        report = explain(file)
        assert report, f"{file}: there is no explanation"
        belief, assumption, decisive, prevention, sources = report["sentences"]
        assert belief and assumption and sources, (file, report["sentences"])
        undecided += "is not known" in decisive
        assert prevention, file
        explained += 1
    assert explained > (80 if ALL else 10), explained
    assert undecided * 10 <= explained, (undecided, explained)
    print(explained, "violated scenarios explained", flush=True)


def the_outlived_lease():
    report = explain("scenarios/documented/leases/lease-outlived.toml")
    belief, assumption, decisive, prevention, _ = report["sentences"]
    assert "worked on after its lease had ended" in belief, belief
    assert "pause <= lease - work" in assumption and "client-1 stands still for 11 s" in assumption, assumption
    assert "client-1 stands still" in decisive, decisive
    assert "without the pause of client-1" in prevention and "with a lease of 40 s" in prevention, prevention


def an_inequality_is_said_where_it_is_broken():
    """Not of a client that has not been granted the lock, nor is another lock a remedy of this one."""
    report = explain("scenarios/lua/lua-token-drawn-late.toml")
    _, assumption, _, prevention, _ = report["sentences"]
    assert "<=" not in assumption and "what a client was told is still so" in assumption, assumption
    assert "without the pause of client-1" in prevention and "set-px-token" not in prevention, prevention
    named = prevention.split(" (every schedule", maxsplit=1)[0]
    for one in report["remedies"]:
        assert (one["what"] in named) == (one["answer"] == "holds"), (one, prevention)


def a_sentence_needs_its_events():
    with tempfile.TemporaryDirectory() as folder:
        scenario = "scenarios/documented/leases/lease-outlived.toml"
        subprocess.run([PROGRAM, "run", scenario, "--quiet", "--out", folder], capture_output=True, check=True,
                       cwd=SOURCE)
        history = Path(folder) / "history.jsonl"
        lines = history.read_text().splitlines(keepends=True)
        whole = explain(folder)["sentences"]
        assert whole[0] and whole[1]
        history.write_text("".join(line for line in lines if '"what":"strike"' not in line.replace(" ", "")))
        mutant = explain(folder)["sentences"]
        assert mutant[0] == whole[0] and not mutant[1], mutant
        history.write_text("".join(line for line in lines if '"what":"enter"' not in line.replace(" ", "")))
        mutant = explain(folder, "--property", "mutual-exclusion")
        assert mutant is None, mutant


def boundary(scenario, key):
    done = subprocess.run([PROGRAM, "explain", scenario, "--boundary", key, "--format", "json"], capture_output=True,
                          text=True, check=True, cwd=SOURCE)
    return json.loads(done.stdout)


def the_boundary_is_where_another_search_finds_it():
    scenario = SOURCE / "scenarios/documented/leases/lease-outlived.toml"
    for key, line, edge in (("for", 'for = "11s"', ("7.996 s", "7.997 s")),
                            ("lease", 'lease = "10s"', ("13.003 s", "13.004 s"))):
        found = boundary(scenario, key)
        assert [(one["below"], one["above"]) for one in found["edges"]] == [edge], found["edges"]
        assert found["derived"]["agrees"], found["derived"]
        answers = {one["value"]: one["answer"] for one in found["points"]}
        text = scenario.read_text()
        assert text.count(line) == 1
        for value in edge:
            amount = f'{line.split(" ")[0]} = "{value.removesuffix(" s").replace(".", "")}ms"'
            with tempfile.TemporaryDirectory() as folder:
                file = Path(folder) / "edge.toml"
                file.write_text(text.replace(line, amount))
                done = subprocess.run([PROGRAM, "explore", file, "--engine", "reexecution", "--format", "json"],
                                      capture_output=True, text=True, check=False)
            verdicts = {one["property"]: one["verdict"] for one in json.loads(done.stdout)["properties"]}
            word = {"holds": "holds", "breaks": "violated"}[answers[value]]
            assert verdicts["mutual-exclusion"] == word, (key, value, verdicts)


def a_boundary_over_clocks_is_that_of_the_record():
    found = boundary("scenarios/documented/clocks/getset-skew.toml", "client-2.clock")
    assert len(found["edges"]) == 1 and found["derived"]["agrees"], found
    assert found["derived"]["record"] == "docs/semantics/boundaries.md"
    assert (SOURCE / found["derived"]["record"]).exists()


def runs_and_searches_end_with_the_first_sentence():
    scenario = "scenarios/documented/leases/lease-outlived.toml"
    first = explain(scenario)["sentences"][0]
    for words in (("run",), ("run", "--runs", "3"), ("explore",)):
        done = subprocess.run([PROGRAM, words[0], scenario, "--quiet", *words[1:]], capture_output=True, text=True,
                              check=False, cwd=SOURCE)
        *_, happened, reproduce = done.stdout.splitlines()
        assert happened == f"what happened: {first}.", (words, done.stdout)
        assert reproduce.startswith("reproduce: "), done.stdout
    for words in (("run", "scenarios/documented/leases/lease-outlived-twin.toml"),
                  ("explore", "scenarios/documented/fencing/fencing-token-kept.toml")):
        done = subprocess.run([PROGRAM, *words], capture_output=True, text=True, check=False, cwd=SOURCE)
        assert done.stdout and "what happened" not in done.stdout, done.stdout


def what_holds_has_none():
    assert explain("scenarios/documented/fencing/lease-outlived-fenced.toml", "--property", "owner-release") is None


the_outlived_lease()
an_inequality_is_said_where_it_is_broken()
the_boundary_is_where_another_search_finds_it()
a_boundary_over_clocks_is_that_of_the_record()
runs_and_searches_end_with_the_first_sentence()
a_sentence_needs_its_events()
what_holds_has_none()
every_violated_scenario()
