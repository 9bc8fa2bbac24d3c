#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Scenarios that were once answered wrongly: each has the answer that is right, from a real server, from arithmetic or
from another command.

reported.py LOCKPROOF SOURCE
"""
import json
import pathlib
import re
import subprocess
import sys

BROKEN = 1
LOCKS_THAT_TWO_SENDINGS_BREAK = ("set-ex-del", "set-ex-get-del", "getset-timestamp", "memcached-add",
                                 "postgres-row-client-time")

EXPLORED = {  # what explore must find in each file
    "first-ask-phase-0s": {"mutual-exclusion": "double-grant"},  # in any phase of the server's millisecond
    "idle-connection-start-0": {"mutual-exclusion": "double-grant"},  # a connection that is not open yet
    "rate-anytime": {"mutual-exclusion": "double-grant"},  # clocks that have drifted apart before anybody asks
    "rate-start-0s": {"mutual-exclusion": "double-grant"},
    "rate-getset-timestamp-0s": {"mutual-exclusion": "double-grant", "owner-release": ""},
    "takeover-phase-0s": {"bounded-takeover": ""},  # in a phase of polling that is not the written one
    "guard-works": {"mutual-exclusion": "double-grant"},  # a guard that is late, since its work outlasts the lease
    "timeout-6s": {"mutual-exclusion": "outlived"},
    "charts326": {"fencing-order": "", "grant-is-valid": "expired"},
    "rails58658": {"mutual-exclusion": "double-grant", "resource-safety": ""},
}
NOT_FOUND = {"charts326-fix": "fencing-order", "rails58658-fix": "resource-safety"}  # what its mend mends


class Reported:
    def __init__(self, program, source):
        self.program, self.folder = program, pathlib.Path(source) / "tests/cli/reported"

    def run(self, *words):
        done = subprocess.run([self.program, *words], capture_output=True, text=True, timeout=100, cwd=self.folder)
        return done.returncode, done.stdout, done.stderr

    def violations(self, *words):
        """What explore finds: property to kind."""
        code, out, err = self.run("explore", *words, "--format", "json", "--workers", "1")
        if code not in (0, 1, 2):
            sys.exit(f"reported: explore {words}: {code}\n{err}")
        return {p["property"]: p.get("kind", "") for p in json.loads(out)["properties"] if p["verdict"] == "violated"}


def check(holds, what, shown=""):
    if not holds:
        sys.exit(f"reported: {what}\n{shown}")


def files_and_what_breaks_there(lockproof):
    for file, expected in EXPLORED.items():
        found = lockproof.violations(f"{file}.toml")
        check(expected.items() <= found.items(), f"{file}: {expected}", found)
    for file, mended in NOT_FOUND.items():
        found = lockproof.violations(f"{file}.toml")
        check(mended not in found, f"{file}: nothing breaks {mended}", found)


def a_connection_that_breaks_while_a_call_waits(lockproof):
    found = lockproof.violations("break-while-waiting.toml", "--budget", "break-budget.toml")
    check("resource-safety" in found, "a run with another seed shows it", found)


def an_arrival_that_undoes_another(lockproof):
    """A late TRY and the end of its connection arrive at one instant; in between the client hears of its release."""
    for words in ((), ("--no-reduction",)):
        found = lockproof.violations("reduction-loses-still-held.toml", *words)
        check("re-entrancy" in found, f"the lock is still held after its release {words}", found)


def servers_with_many_threads_go_on(lockproof):
    found = lockproof.violations("pgorder.toml")
    check("owner-release" in found, "the next TAKE runs before a late GIVE, as in 5 of 6 real runs", found)
    found = lockproof.violations("zookeeper-server-pause.toml")
    check(found.get("mutual-exclusion") == "outlived", "the session ends before its pings, as on real servers", found)


def windows(lockproof):
    found = lockproof.violations("window-narrower-than-grid.toml")
    check("mutual-exclusion" in found, "the upper end of a window that is narrower than the grid is searched", found)
    found = lockproof.violations("start-window-as-written.toml")
    check(found.get("mutual-exclusion") == "outlived", "a window of starts beside a placed fault is searched", found)


def commands_that_are_sent_again(lockproof):
    for lock in LOCKS_THAT_TWO_SENDINGS_BREAK:
        text = (lockproof.folder / "resend-short.toml").read_text().replace("set-ex-del", lock)
        copy = pathlib.Path(f"{lock}-resend.toml").resolve()
        copy.write_text(text)
        found = lockproof.violations(str(copy))
        copy.unlink()
        check("owner-release" in found, f"{lock}: a command that runs twice", found)
    code, out, _ = lockproof.run("explore", "resend-never-sent.toml", "--quiet")
    check(code == BROKEN and "no schedule has this fault of the budget: resend" in out,
          "what ends behind the time-out is never sent again, and says so", out)


def more_trouble_is_not_better(lockproof):
    def cell(file):
        code, out, err = lockproof.run("review", file, "--format", "json")
        check(code in (0, 1, 2), file, err)
        return code, out
    code, out = cell("review-network-1s.toml")
    check(code == 1 and "resend" in out, "with one second of trouble a message is repeated", out)
    worse, out = cell("review-network-5s.toml")
    check(worse == 1 and "resend" in out, "five seconds of trouble are no better", out)


def reviews_of_long_times_and_of_two_troubles(lockproof):
    code, out, _ = lockproof.run("review", "review-drift.toml")
    check(code == 1 and "in period 3" in " ".join(out.split()), "drift grows with the number of the period", out)
    _, out, _ = lockproof.run("review", "two-faults.toml")
    check("any one pause of up to 3 s, or one lost message" in " ".join(out.split()), "one trouble or the other", out)


def a_state_that_one_engine_cannot_represent(lockproof):
    found = lockproof.violations("unrepresentable.toml")
    check("deadlock-freedom" in found, "explore goes on with the other engine", found)
    code, out, _ = lockproof.run("frontier", "unrepresentable.toml", "--workers", "1")
    check(re.search(r"deadlock-freedom \(orphaned\)\n +by +no fault at all", out), "and so does frontier", out)


def main():
    lockproof = Reported(sys.argv[1], sys.argv[2])
    for test in (files_and_what_breaks_there, a_connection_that_breaks_while_a_call_waits,
                 an_arrival_that_undoes_another, servers_with_many_threads_go_on, windows,
                 commands_that_are_sent_again, more_trouble_is_not_better,
                 reviews_of_long_times_and_of_two_troubles, a_state_that_one_engine_cannot_represent):
        test(lockproof)
    print("reported: 9 kinds of answers are right")


if __name__ == "__main__":
    main()
