#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""compare says what breaks one of two locks, and not the other; explore --not-in finds a schedule of it: compare.py
LOCKPROOF SOURCE.

A mend is told from a change for the worse; what no lock prevents counts for neither; what was not searched is never
free of violations; the schedules that are shown do what is said of them.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

PROGRAM, SOURCE = sys.argv[1], pathlib.Path(sys.argv[2])
LEASE = "lease-outlived"  # a pause of 11 s, and a lease of 10 s
FENCED = "lease-outlived-fenced"  # the same, and the resource checks a token


def check(holds, what, text=""):
    if not holds:
        sys.exit(f"compare: {what}\n{text}")


def lockproof(*words, code, columns=80):
    environment = {**os.environ, "COLUMNS": str(columns)}
    done = subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True, timeout=120, check=False,
                          env=environment)
    check(done.returncode == code, f"{words} ends with {done.returncode}, and not {code}", done.stdout + done.stderr)
    return done.stdout if code < 64 else " ".join(done.stderr.split())


def compare(*words, code):
    return json.loads(lockproof("compare", *words, "--format", "json", code=code))


def rows(report, side):
    return [row for row in report["rows"] if row["side"] == side]


def broken(rows_of):
    return {property.split(" ")[0] for row in rows_of for property in row["breaks"]}


def test_mend():
    report = compare(LEASE, FENCED, code=0)
    check(report["no_worse"] is True and not rows(report, "only-b"), "fencing breaks nothing new", report)
    check(broken(rows(report, "only-a")) == {"resource-safety"}, "fencing mends the lost update, and no more", report)
    check("mutual-exclusion" in broken(rows(report, "both")), "two are inside at once all the same", report)
    held = next(row for row in rows(report, "only-a") if row["place"].startswith("while it has the lock"))
    check(held["faults"] == "pause (client)" and held["amounts"] == ["11 s"], "by the pause of the scenario", report)
    check("pause of client-" in held["a"]["with"] and held["b"] is None, "and where it strikes", report)


def test_change_for_the_worse():
    text = lockproof("compare", FENCED, LEASE, code=1)
    check(text.startswith("B breaks where A does not: resource-safety, by pause (client)"), "the first line", text)
    long = [line for line in text.splitlines() if len(line) > 80]
    check(not long, "it fits 80 columns", "\n".join(long))
    table = lockproof("compare", FENCED, LEASE, "--format", "markdown", code=1)
    check(table.startswith("**B breaks where A does not") and "| broken only by B | pause (client) 11 s" in table,
          "the table for a pull request", table)


def test_same_and_other_locks():
    report = compare(LEASE, LEASE, code=0)
    check({row["side"] for row in report["rows"]} == {"both"}, "a lock is no worse than itself", report)
    report = compare(LEASE, "set-ex-del", code=1)
    check(report["lock_b"] == "set-ex-del" and "owner-release" in broken(rows(report, "only-b")),
          "a lock of the catalogue does the scenario's work", report)
    check("withstands" in lockproof("compare", "set-ex-del", LEASE, code=0), "and on the other side", "")


def test_unpreventable(folder):
    scenario = folder / "evicted.toml"
    scenario.write_text('[algorithm]\nname = "set-px-token"\n[workload]\nclients = 2\nwork = ["read", "write"]\n'
                        '[explore]\n[[explore.fault]]\nkind = "evict"\n', encoding="utf-8")
    report = compare(scenario, "fenced-token", code=0)
    check({row["side"] for row in report["rows"]} == {"unpreventable"}, "an eviction is held against nobody", report)
    check("what no lock on redis can prevent" in lockproof("compare", scenario, "fenced-token", code=0), "and said")


def test_limits():
    report = compare(LEASE, FENCED, "--states", "20", code=2)
    check(report["no_worse"] is None and any(gap["decisive"] for gap in report["gaps"]), "what is open decides", report)
    check(not rows(report, "only-a") and not rows(report, "only-b"), "and nothing is called free of it", report)
    report = compare(LEASE, FENCED, "--time", "1us", code=2)
    check("time limit" in report["stopped"], "a stop is named", report)


def test_scenarios(folder):
    out = folder / "out"
    report = compare(LEASE, FENCED, "--out", out, code=0)
    files = [row[side]["file"] for row in report["rows"] for side in "ab" if row[side]]
    check(files and all(files), "each cause is saved", report)
    for file in files:
        lockproof("run", file, "--quiet", code=0)
    check(json.loads((out / "compared.json").read_text(encoding="utf-8"))["rows"] == report["rows"], "the same as JSON")
    check((out / "compared.md").read_text(encoding="utf-8").startswith("**B breaks nowhere"), "and as a table")


def test_refusals(folder):
    check("neither a file nor a scenario" in lockproof("compare", "no-such-lock", LEASE, code=64), "no such name")
    check("B is required" in lockproof("compare", LEASE, code=64), "two are compared")
    check("has a budget of its own" in lockproof("compare", "set-px-token", "redlock", "--budget", "x.toml", code=64),
          "locks have a budget")


def test_not_in(folder):
    out = folder / "not-in"
    found = json.loads(lockproof("explore", LEASE, "--not-in", FENCED, "--format", "json", "--out", out, code=1))
    first = next(one for one in found["causes"] if one["fate"] == "not-in-b")
    check(first["property"] == "resource-safety" and "pause of client-" in first["with"], "a schedule is found", found)
    check(any(one["fate"] == "in-b" and one["property"] == "mutual-exclusion" for one in found["causes"]),
          "what a simpler failure hides is told from that", found)
    lockproof("run", out / "a.toml", "--quiet", code=0)
    other = lockproof("run", out / "b.toml", "--quiet", code=2)
    check("resource-safety     violated" not in other, "B's run with the same fault has no lost update", other)
    lockproof("explore", LEASE, "--not-in", LEASE, code=0)
    check("not-in" not in lockproof("help", "explore", code=0), "it is for those who know of compare")


def test_not_comparable(folder):
    """The other lock never sends the command that the fault waits for."""
    for name, lock in (("a", "set-ex-del"), ("b", "redisson")):
        (folder / f"{name}.toml").write_text(
            f'[algorithm]\nname = "{lock}"\n[workload]\nclients = 2\nwork = ["hold 1s"]\n[explore]\n'
            '[[explore.fault]]\nkind = "delay"\nby = "1min"\ntarget = "clients"\n', encoding="utf-8")
    report = json.loads(lockproof("explore", folder / "a.toml", "--not-in", folder / "b.toml", "--format", "json",
                                  code=0))
    fates = {(one["fate"], one["why"].startswith("in no schedule of B does the delay")) for one in report["causes"]}
    check(fates == {("not-comparable", True)}, "an event that B does not have is named", report)


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        test_mend()
        test_change_for_the_worse()
        test_same_and_other_locks()
        test_unpreventable(folder)
        test_limits()
        test_scenarios(folder)
        test_refusals(folder)
        test_not_in(folder)
        test_not_comparable(folder)


if __name__ == "__main__":
    main()
