#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""explore --engine zones as a stranger meets it: a range in a scenario gives an answer, and a run confirms what is
found; what the engine cannot search is refused with one sentence.

zones.py LOCKPROOF SOURCE
"""
import json
import pathlib
import subprocess
import sys
import tempfile

PROGRAM, SOURCE = sys.argv[1], pathlib.Path(sys.argv[2])
SCENARIO = """[algorithm]
name = "set-px-token"
[network]
latency = "LATENCY"
[workload]
clients = 2
lease = "LEASE"
work = ["read", "hold 40s", "write"]
[explore]
[[explore.fault]]
kind = "pause"
target = "clients"
for = "..3s"
"""


def check(holds, what, text=""):
    if not holds:
        sys.exit(f"zones: {what}\n{text}")


def run(verb, *words):
    done = subprocess.run([PROGRAM, verb, *map(str, words)], capture_output=True, text=True, timeout=100)
    return done.returncode, " ".join(done.stdout.split()), " ".join(done.stderr.split())


def written(folder, lease, latency="0ms..200ms"):
    file = pathlib.Path(folder, "any-timing.toml")
    file.write_text(SCENARIO.replace("LEASE", lease).replace("LATENCY", latency), encoding="utf-8")
    return file


def test_edge(folder):
    code, out, err = run("explore", written(folder, "44s"), "--engine", "zones", "--quiet")
    check("mutual-exclusion holds" in out, "44 s is the edge", out + err)
    check("latency any from 0s to 200ms" in out, "the range is named", out)
    check("faults strike at any instant: pause any from 0 ms to 3 s" in out, "so is the pause", out)
    check("clients ask, or not, at any instant" in out and "engine zones" in out, "and what time means", out)
    for name in ("resource-safety", "owner-release", "deadlock-freedom", "grant-is-valid"):
        check(f"{name} holds" in out, f"{name} is judged, too", out)
    check("grid" not in out, "the grid has no part in it", out)
    code, out, err = run("explore", written(folder, "43999ms"), "--engine", "zones", "--quiet")
    check(code != 0 and "mutual-exclusion violated" in out and "outlived" in out, "a millisecond less", out + err)


def test_what_a_lock_can_prevent(folder):
    """A restart of the server breaks it sooner, and no lock prevents that: it is not all that breaks it."""
    file = written(folder, "42s")
    file.write_text(file.read_text(encoding="utf-8") + "[[explore.fault]]\nkind = \"restart\"\nfor = \"..5s\"\n",
                    encoding="utf-8")
    _, out, err = run("explore", file, "--engine", "zones", "--quiet")
    check("mutual-exclusion violated (outlived)" in out, "the lease is outlived, too", out + err)
    check("resource-safety violated expected holds with 1 fault (pause of" in out, "and an update lost by it", out)
    check("mutual-exclusion: double-grant with 1 fault (restart of redis-1)" in out, "what no lock prevents", out)


def test_bounds(folder):
    """Clients poll in every phase. What asks when a key has expired is not judged."""
    file = written(folder, "44s")
    text = file.read_text(encoding="utf-8").replace("[explore]", "retry = \"20s\"\n[explore]", 1)
    file.write_text(text + "[judge]\nwaiting = \"70s\"\nnotice = \"1s\"\n", encoding="utf-8")
    code, out, err = run("explore", file, "--engine", "zones", "--quiet")
    check(code == 2 and "loss-notification unknown" in out, "no claim", out + err)
    check("zones do not judge this bound in time yet" in out, "and its reason", out)
    check("starvation-freedom holds" in out, "a bound is judged", out)
    check("bounds in time are judged apart, for every phase of polling" in out, "and for what", out)
    file.write_text(text + "[judge]\nwaiting = \"40s\"\n", encoding="utf-8")
    code, out, err = run("explore", file, "--engine", "zones", "--quiet")
    check(code == 1 and "starvation-freedom violated" in out, "who waits for longer", out + err)


POLLING = """[algorithm]
name = "set-px-token"
[workload]
clients = 2
lease = "10s"
retry = "1s"
work = ["read", "hold 3s", "write"]
[[client]]
name = "client-2"
start = "START"
[judge]
takeover = "TAKEOVER"
[explore]
attempts = 40
max_faults = 1
[[explore.fault]]
kind = "crash"
"""


def test_every_phase(folder):
    """Without an engine, a bound in time holds or breaks whatever phase of polling is written."""
    file, shown = pathlib.Path(folder, "phase.toml"), pathlib.Path(folder, "phase")
    for start in ("0s", "900ms"):
        for takeover, verdict in (("10500ms", "violated"), ("11005ms", "holds")):
            file.write_text(POLLING.replace("START", start).replace("TAKEOVER", takeover), encoding="utf-8")
            code, out, err = run("explore", file, "--quiet", "--out", shown)
            check(f"bounded-takeover {verdict}" in out, f"start {start}, bound {takeover}", out + err)
            check("for every phase of polling" in out and "engine stateful" in out, "it says so", out)
    code, out, err = run("run", shown / "phase-bounded-takeover.toml", "--quiet")
    check("bounded-takeover violated as expected" in out, "a run confirms it", out + err)
    more = "[[explore.fault]]\nkind = \"pause\"\ntarget = \"clients\"\nfor = [\"100ms\", \"200ms\", \"300ms\"]\n"
    more += "[[explore.fault]]\nkind = \"break-connection\"\ntarget = \"clients\"\n"
    phase = POLLING.replace("START", "0s").replace("TAKEOVER", "10500ms")
    file.write_text(phase + more, encoding="utf-8")
    code, out, err = run("explore", file, "--quiet")
    check("for every phase of polling" in out, "too large for zones at once, and not in parts", out + err)
    check("bounded-takeover violated" in out, "a larger budget loses no violation", out + err)
    twice = (phase + more).replace("max_faults = 1", "max_faults = 2")
    file.write_text(twice, encoding="utf-8")
    code, out, err = run("explore", file, "--quiet")
    check("phase of polling that is written" in out, "too large for zones", out + err)
    check("bounded-takeover violated" in out, "one of two faults, too", out + err)
    file.write_text(twice.replace("10500ms", "30s"), encoding="utf-8")
    code, out, err = run("explore", file, "--quiet")
    check("bounded-takeover unknown" in out and code == 2, "nothing is claimed of other phases", out + err)
    check("needs more than 20000 zones" in out, "it says why", out + err)


WINDOW = """[algorithm]
name = "set-px-token"
[workload]
clients = 2
lease = "10s"
attempts = 1
work = ["read", "hold 6s", "write"]
[[client]]
name = "client-2"
start = ["1s", "12s"]
[explore]
contention = "as-written"
[[explore.fault]]
kind = "pause"
target = "client-1"
for = "PAUSE"
"""


def test_start_window(folder):
    """Every start of a window is searched, and the one that breaks it is shown."""
    file, shown = pathlib.Path(folder, "window.toml"), pathlib.Path(folder, "window")
    file.write_text(WINDOW.replace("PAUSE", "11s"), encoding="utf-8")
    code, out, err = run("explore", file, "--quiet", "--out", shown)
    check(code == 1 and "mutual-exclusion violated (outlived)" in out, "some start breaks it", out + err)
    check("where it states a window, first at any instant of it" in out and "engine zones" in out, "it says so", out)
    code, out, err = run("run", next(shown.glob("*outlived.toml")), "--quiet")
    check("mutual-exclusion violated (outlived) as expected" in out, "a run confirms it", out + err)
    file.write_text(WINDOW.replace("PAUSE", "3s"), encoding="utf-8")
    code, out, err = run("explore", file, "--quiet")
    check("mutual-exclusion holds" in out and "resource-safety holds" in out, "no start breaks it", out + err)
    file.write_text(WINDOW.replace("PAUSE", "3s").replace("set-px-token", "redlock"), encoding="utf-8")
    code, out, err = run("explore", file, "--quiet")
    check(code == 64 and "starts in a window" in err, "what zones cannot search is refused", out + err)
    placed = WINDOW.replace("[[explore.fault]]", "[[fault]]").replace("PAUSE", "11s")
    file.write_text(placed + 'when = "client-1 after READ"\n', encoding="utf-8")
    code, out, err = run("explore", file, "--quiet")
    check(code == 1 and "mutual-exclusion violated (outlived)" in out, "a fault at an event strikes there", out + err)
    file.write_text(placed + 'when = "client-1 before SET free"\n', encoding="utf-8")
    code, out, err = run("explore", file, "--quiet")
    check(code == 64 and "but not a fault that is placed by whose the lock is" in " ".join(err.split()),
          "with the reason", out + err)


def test_window_behind_a_pause(folder):
    """When it must have asked follows from its start, also where a pause has held it up."""
    file = written(folder, "44s")
    text = file.read_text(encoding="utf-8").replace("lease =", 'start = ["1s", "5s"]\nlease =')
    file.write_text(text, encoding="utf-8")
    code, out, err = run("explore", file, "--engine", "zones", "--quiet")
    check(code == 0 and "mutual-exclusion holds" in out, "a window to ask first", out + err)


def test_counterexample(folder):
    out_folder = pathlib.Path(folder, "out")
    file = written(folder, "43s")
    _, out, err = run("explore", file, "--engine", "zones", "--out", out_folder, "--format", "json")
    said = json.loads((out_folder / "verdict.json").read_text(encoding="utf-8"))
    check(said["engine"] == "zones" and said["complete"], "it names its engine", out + err)
    file = next(out_folder.glob("*outlived.toml"))
    code, out, err = run("run", file, "--quiet")
    check("mutual-exclusion violated (outlived) as expected" in out, "a run confirms it", out + err)


DRIFT = """[algorithm]
name = "LOCK"
[workload]
clients = 2
rounds = 1
lease = "LEASE"
work = ["read", "hold HOLD", "write"]
start = "0s"
"""
OF_SERVER = """[[fault]]
kind = "clock-rate"
target = "redis-1"
at = "0s"
rate = "RATE"
[run]
grid = "1ms"
[explore]
"""
OF_CLIENTS = """[explore]
attempts = 6
failed_attempts = 2
retry = "T/4"
[[explore.fault]]
kind = "clock-rate"
target = "clients"
rate = ["+1%", "-1%", "+2%", "-2%"]
"""


def drifting(folder, lock, lease, hold, rest):
    text = DRIFT.replace("LOCK", lock).replace("LEASE", lease).replace("HOLD", hold) + rest
    file = pathlib.Path(folder, f"drift-{lock}.toml")
    file.write_text(text, encoding="utf-8")
    return file


def test_drift(folder):
    """A later start breaks them, where one at 0 s does not: without an engine being named, that is found."""
    anytime = 'contention = "anytime"\n'
    for lock, lease, hold, rest, engine in (
            ("set-px-token", "10s", "9s", OF_SERVER.replace("RATE", "+11.065%"), "zones"),
            ("set-px-token", "100ms", "50ms", OF_SERVER.replace("RATE", "+85.4%") + anytime, "zones"),
            ("getset-timestamp", "10s", "6s", OF_CLIENTS, "stateful")):
        file = drifting(folder, lock, lease, hold, rest)
        code, out, err = run("explore", file, "--engine", "stateful", "--quiet")
        check("mutual-exclusion holds" in out, "at 0 s nothing is seen", out + err)
        check("later starts of clients, after a drift, were not searched" in out, "which is said", out + err)
        found = pathlib.Path(folder, "drift-found", lock + lease)
        code, out, err = run("explore", file, "--quiet", "--out", found)
        check(code == 1 and "mutual-exclusion violated (double-grant)" in out, f"{lock} breaks", out + err)
        scope = ("clocks of different rates: any offset at the start" if engine == "zones" else
                 "later starts of clients, after a drift, were not searched but for 500 s, 2000 s")
        check(scope in out and f"engine {engine}" in out, "what was searched", out + err)
        file = next(found.glob("*double-grant.toml"))
        code, out, err = run("run", file, "--quiet")
        said = "mutual-exclusion violated (double-grant) as expected"
        check(code == 0 and said in out, "a run confirms it", out + err)


def test_drift_that_does_no_harm(folder):
    file = drifting(folder, "set-px-token", "10s", "9s", OF_SERVER.replace("RATE", "+11%"))
    code, out, err = run("explore", file, "--quiet")
    check(code == 0 and "mutual-exclusion holds" in out and "engine zones" in out, "within the slack", out + err)
    check("any offset at the start" in out, "what was searched", out + err)


def test_whole_budget(folder):
    """What may go wrong around one server, as it is written for all engines."""
    file = written(folder, "10s", "1ms")
    file.write_text(file.read_text(encoding="utf-8").replace("hold 40s", "hold 6s"), encoding="utf-8")
    budget = SOURCE / "scenarios/budgets/one-server.toml"
    code, out, err = run("explore", file, "--engine", "zones", "--quiet", "--budget", budget)
    check(code == 1 and "searched: every schedule" in out, "it is searched whole", out + err)
    check("double-grant with 1 fault (suspend of client" in out, "a suspension breaks it", out + err)
    check("owner-release holds" in out and "exercised holds" in out, "and not all", out + err)


def test_without_an_engine(folder):
    code, out, err = run("explore", written(folder, "44s"), "--quiet")
    check(code == 0 and "mutual-exclusion holds" in out and "engine zones" in out, "ranges need no option", out + err)
    file = written(folder, "43999ms")
    code, out, err = run("explain", file)
    check(code == 0 and "client-1 stands still for 3 s" in out, "the cause is explained", out + err)
    code, out, err = run("explain", file, "--boundary", "lease")
    check("43.999 s breaks, and 44 s holds" in out, "and its boundary found", out + err)


def test_refusals(folder):
    file = written(folder, "44s")
    for words in (["--engine", "stateful"], ["--find", "causes"], ["--no-reduction"]):
        code, _, err = run("explore", file, *words)
        check(code == 64 and "is a range, which explore --engine zones searches" in err, "points are no range", err)
    lease = SOURCE / "scenarios/documented/leases/lease-outlived.toml"
    code, out, err = run("explore", lease, "--engine", "zones")
    check(code == 0 and "mutual-exclusion violated (outlived) as expected" in out, "a fault at an event", out + err)
    budget = pathlib.Path(folder, "budget.toml")
    budget.write_text("[explore]\n[[explore.fault]]\nkind = \"client-pause\"\nfor = \"1s\"\n", encoding="utf-8")
    code, _, err = run("explore", lease, "--engine", "zones", "--budget", budget)
    check(code == 64 and "the zone engine cannot search a fault of kind client-pause" in err, "other faults", err)
    for words in (["--find", "causes"], ["--format", "dot"], ["--checkpoint", pathlib.Path(folder, "c")]):
        code, _, err = run("explore", file, "--engine", "zones", *words)
        check(code == 64 and "the zone engine cannot search" in err, " ".join(map(str, words)), err)
    for lock, why in (("getset-timestamp", "reads the time of day"), ("redlock", "asks all servers at once")):
        code, out, err = run("explore", file, "--engine", "zones", "--quiet", "--algorithm", lock)
        check(code == 2 and f"zones cannot follow a lock that {why}" in out, "what only the code shows", out + err)
        check("lockproof explore" in out and "chosen points of time" in out, "the way on", out)


def main():
    with tempfile.TemporaryDirectory() as folder:
        test_edge(folder)
        test_what_a_lock_can_prevent(folder)
        test_bounds(folder)
        test_every_phase(folder)
        test_window_behind_a_pause(folder)
        test_start_window(folder)
        test_counterexample(folder)
        test_drift(folder)
        test_drift_that_does_no_harm(folder)
        test_whole_budget(folder)
        test_without_an_engine(folder)
        test_refusals(folder)


if __name__ == "__main__":
    main()
