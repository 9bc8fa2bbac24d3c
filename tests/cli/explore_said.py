#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What explore says beside its verdicts is true of the scenario: which rounds it searched and which never got the lock,
and what a limit left undecided.

explore_said.py LOCKPROOF SOURCE
"""
import pathlib
import subprocess
import sys
import tempfile

PROGRAM, SOURCE = sys.argv[1], pathlib.Path(sys.argv[2])


def check(holds, what, text=""):
    if not holds:
        sys.exit(f"explore_said: {what}\n{text}")


def run(verb, file, *words):
    done = subprocess.run([PROGRAM, verb, str(SOURCE / file), *words], capture_output=True, text=True, timeout=100)
    return done.returncode, " ".join(done.stdout.split())


def test_bounds():
    code, out = run("explore", "tests/cli/reported/rounds-by-client.toml", "--quiet")
    check(code == 0, "nothing is violated", out)
    check("every schedule of client-1 x 1 round" in out and ", client-2 x 3 rounds" in out, "each has its rounds", out)
    code, out = run("explore", "tests/cli/scenarios/frontier-small.toml", "--quiet")
    check("2 clients x 1 round" in out, "clients that are alike are counted", out)


def test_probe(folder):
    """Nobody wrote the client that finds the lock left over, nor how long it waits."""
    file = pathlib.Path(folder, "left.toml")
    file.write_text('[algorithm]\nname = "setnx-del"\n[explore]\nmax_faults = 1\n[[explore.fault]]\nkind = "crash"\n',
                    encoding="utf-8")
    _, out = run("explore", file, "--quiet")
    check("client-3 is a client that the search adds" in out and "the 60s are the search's" in out, "who asks", out)
    file.write_text(file.read_text(encoding="utf-8") + '[judge]\nprogress = "20s"\n', encoding="utf-8")
    _, out = run("explore", file, "--quiet")
    check("orphaned" in out and "the search's" not in out, "a bound that is written needs no word", out)


def test_rounds():
    file = "tests/reproducers/round-nobody-gets.toml"
    why = "in no schedule do these rounds get the lock: client-1 round 2, client-2 round 2"
    for engine in "stateful", "reexecution":
        code, out = run("explore", file, "--quiet", "--engine", engine)
        check(code == 0 and f"exercised violated (shut-out) as expected {why}" in out, f"{engine} says which", out)
        check("mutual-exclusion holds" in out, "the others keep their verdicts", out)
    code, out = run("run", file, "--quiet")
    check("no client got the lock in its round 2, though no client had it" in out, "a run says so", out)


def test_taken_rounds():
    """A round that finds the lock taken is no violation, in a run or in a search."""
    file = "tests/cli/scenarios/round-finds-it-taken.toml"
    code, out = run("explore", file, "--quiet")
    why = "in no schedule do these rounds get the lock: client-2 round 2"
    check(code == 0 and f"exercised holds as expected {why}" in out, "it is listed", out)
    code, out = run("run", file, "--quiet")
    check(code == 0 and "exercised no violation as expected" in out, "a run does not call it shut out", out)


def test_limit():
    code, out = run("explore", "tests/reproducers/limits-110.toml", "--quiet", "--time", "1s")
    check("searched in part" in out, "it is stopped", out)
    unbounded = ("bounded-takeover", "starvation-freedom", "loss-notification", "availability", "once-per-period")
    check(not any(f"{name} unknown expected" in out for name in unbounded), "without a bound it is not unknown", out)
    check("not judged, the scenario states no bound: " + ", ".join(unbounded) in out, "but not judged", out)


def main():
    for test in (test_bounds, test_rounds, test_taken_rounds, test_limit):
        test()
    with tempfile.TemporaryDirectory() as folder:
        test_probe(folder)


if __name__ == "__main__":
    main()
