#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What no schedule has put to the test is not claimed: where nobody contends, or a fault of the budget strikes nowhere,
no line of explore, explore --liveness, frontier or minimize says that something holds or does no harm.

vacuity.py LOCKPROOF SOURCE
"""
import json
import pathlib
import subprocess
import sys
import tempfile

HEAD = """[algorithm]
name = "set-px-token"
[workload]
lease = "2s"
work = ["hold 1s"]
attempts = 2
"""
# The second client comes when the first one has long finished: it asks no later than it must.
APART = '[[client]]\nname = "client-2"\nstart = "3s"\n[explore]\ncontention = "as-written"\n'
# Clients never speak to a replica: what strikes it at an event of its own never does.
REPLICA = '[servers]\nredis = 2\n[[server]]\nname = "redis-2"\nreplica_of = "redis-1"\n'
EVICT_REPLICA = '[explore]\n[[explore.fault]]\nkind = "evict"\ntarget = "redis-2"\n'
PAUSE_ANY = '[[explore.fault]]\nkind = "pause"\nfor = "1s"\n'


def check(holds, what, text=""):
    if not holds:
        sys.exit(f"vacuity: {what}\n{text}")


class Program:
    def __init__(self, program, folder):
        self.program, self.folder = program, pathlib.Path(folder)

    def scenario(self, text):
        path = self.folder / "s.toml"
        path.write_text(HEAD + text)
        return str(path)

    def run(self, *words):
        done = subprocess.run([self.program, *words], capture_output=True, text=True, timeout=100)
        return done.returncode, done.stdout + done.stderr


def verdicts(found):
    return {p["property"]: p["verdict"] for p in found["properties"] if p.get("judged", True)}


def test_nobody_contends(lockproof):
    for more, why in ((APART, "no two clients ever want the lock at once"),
                      ('[[fault]]\nkind = "crash"\ntarget = "client-1"\nwhen = "client-1 before GET"\n',
                       "in no schedule does the crash of client-1"),
                      (REPLICA + EVICT_REPLICA, "no schedule has this fault of the budget: evict of redis-2")):
        file = lockproof.scenario(more)
        code, out = lockproof.run("explore", file, "--quiet")
        check(code == 1 and why in out, "explore says why nothing was shown", out)
        check("  holds  " not in out, "and no line says holds", out)
        code, out = lockproof.run("explore", file, "--quiet", "--engine", "reexecution", "--format", "json")
        found = json.loads(out)
        check(found["verdict"] == "unknown", "nor does the JSON", out)
        check("holds" not in verdicts(found).values(), "for any property", out)
    code, out = lockproof.run("explore", lockproof.scenario(""), "--quiet")
    check(code == 0 and "mutual-exclusion    holds" in out, "where somebody contends it holds", out)


def test_bounds_in_time(lockproof):
    """They are judged with clients that ask as written, and so put to the test by these alone."""
    apart = APART.split("[explore]")[0] + '[judge]\ntakeover = "5s"\nwaiting = "5s"\n'
    why = "where clients ask as the scenario says, no two clients ever want the lock at once"
    for engine in "stateful", "reexecution":
        code, out = lockproof.run("explore", lockproof.scenario(apart), "--engine", engine, "--format", "json")
        found = json.loads(out)
        check(code == 2 and found["verdict"] == "unknown", "explore decides not all", out)
        unknown = {p["property"]: p["what"] for p in found["properties"] if p["verdict"] == "unknown"}
        check(unknown == {"bounded-takeover": why, "starvation-freedom": why}, "but for what others show", out)
    file = lockproof.scenario(apart + "[explore]\n" + PAUSE_ANY.replace("1s", "1ms"))
    code, out = lockproof.run("frontier", file)
    untested = "nothing was shown of bounded-takeover, starvation-freedom: no two clients contend"
    check(untested in out, "frontier says so", out)
    check(not any("bounded-takeover" in line and "not broken here" in line for line in out.splitlines()), "alone", out)


def test_never_struck(lockproof):
    file = lockproof.scenario(REPLICA + EVICT_REPLICA + PAUSE_ANY)
    code, out = lockproof.run("explore", file, "--quiet", "--format", "json")
    check(json.loads(out)["never_struck"] == ["evict of redis-2"], "names what could not strike", out)
    code, out = lockproof.run("explore", file, "--quiet", "--max-faults", "0")
    check(code == 0, "without any fault nothing is claimed of them", out)
    file = lockproof.scenario(REPLICA + "[explore]\n" + PAUSE_ANY)
    code, out = lockproof.run("explore", file, "--quiet")
    check("in no schedule: pause of redis-2" in out, "tells hosts that a fault never struck", out)
    two_legs = '[explore]\n[[explore.fault]]\nkind = "half-open"\n'
    code, out = lockproof.run("explore", lockproof.scenario(two_legs), "--quiet")
    check("no schedule has" not in out and "in no schedule:" not in out, "all forms have struck", out)


def test_budget_file(lockproof):
    budget = lockproof.folder / "budget.toml"
    for text, code, why in ((EVICT_REPLICA, 1, "no schedule has this fault of the budget: evict of redis-2"),
                            ('[explore]\n[[explore.fault]]\nkind = "pause"\nfor = "1ms"\n', 0, "holds"),
                            ('[explore]\n[[explore.fault]]\nkind = "clock-rate"\nrate = "0%"\n', 64,
                             f"{budget}:4: [[explore.fault]]: 'rate' is 0 %")):
        budget.write_text(text)
        got, out = lockproof.run("explore", lockproof.scenario(REPLICA), "--quiet", "--budget", str(budget))
        check(got == code and why in out, "a budget of its own is no other", out)


def test_re_entrancy(lockproof):
    """A search says nothing of re-entrancy where nobody acquires the lock that it has."""
    code, out = lockproof.run("explore", lockproof.scenario(""), "--quiet")
    check(code == 0 and "not judged, nobody re-enters: re-entrancy" in out, "it is not judged", out)
    found = json.loads(lockproof.run("explore", lockproof.scenario(""), "--format", "json")[1])
    check("re-entrancy" not in verdicts(found), "nor in JSON", str(found))
    again = lockproof.folder / "again.toml"
    again.write_text(HEAD.replace("set-px-token", "redisson").replace("hold 1s", 'acquire", "hold 1s", "release'))
    code, out = lockproof.run("explore", str(again), "--quiet")
    check("  re-entrancy         holds" in out, "where somebody re-enters it is judged", out)


def test_refused(lockproof):
    for fault, why in (('kind = "failover"\n', "can never strike here: redis-1 has no replica"),
                       ('kind = "replication-stall"\nfor = "1s"\n', "no server of the scenario is a replica"),
                       ('kind = "clock-rate"\nrate = ["+1%", "0%"]\n', "is 0 %"),
                       ('kind = "clock-jump"\nby = "0s"\n', "no jump at all"),
                       ('kind = "clock-jump"\nby = "+400us"\n', "no jump at all")):
        code, out = lockproof.run("explore", lockproof.scenario(f"[explore]\n[[explore.fault]]\n{fault}"))
        check(code == 64 and why in out, f"a fault that can be known to change nothing is refused: {fault}", out)


def test_frontier(lockproof):
    file = lockproof.scenario(REPLICA + EVICT_REPLICA + PAUSE_ANY)
    code, out = lockproof.run("frontier", file)
    check(code == 0 and "not tried, no schedule has it: evict" in out, "frontier says what never struck", out)
    harmless = [line for line in out.splitlines() if "not by" in line]
    check(not any("evict" in line for line in harmless), "and does not call it harmless", out)
    code, out = lockproof.run("frontier", lockproof.scenario(APART + PAUSE_ANY.replace("1s", "1ms")))
    check(code == 2 and "nothing was shown: no two clients ever want the lock at once" in out, "says nothing", out)
    check("not broken here" not in out and "not by" not in out, "of what nobody contended for", out)


def test_others(lockproof):
    file = lockproof.scenario(REPLICA + EVICT_REPLICA + PAUSE_ANY)
    code, out = lockproof.run("run", file, "--runs", "50", "--strategy", "random")
    check("in none of the runs, so nothing is known of it: evict" in out, "run --runs says what never struck", out)
    code, out = lockproof.run("explore", lockproof.scenario(APART), "--liveness")
    check(code == 2 and "no two clients ever want the lock at once" in out, "explore --liveness holds nothing", out)
    pause = '[[fault]]\nkind = "pause"\ntarget = "client-1"\nwhen = "client-1 enters"\nfor = "5s"\n'
    code, out = lockproof.run("minimize", lockproof.scenario(APART + pause), "--quiet")
    check("nothing breaks, but no two clients contend for the lock either" in out,
          "minimize says what came of it without the fault", out)
    code, out = lockproof.run("minimize", lockproof.scenario(APART))
    check(code == 4 and "no two clients ever contend for the lock" in out, "and why there is nothing to minimize", out)


def main():
    with tempfile.TemporaryDirectory() as folder:
        lockproof = Program(sys.argv[1], folder)
        for test in (test_nobody_contends, test_bounds_in_time, test_never_struck, test_budget_file, test_re_entrancy,
                     test_refused, test_frontier, test_others):
            test(lockproof)


if __name__ == "__main__":
    main()
