#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The pictures agree with the traces and verdicts of every scenario of the project: test_agrees.py LOCKPROOF SOURCE.

What a bar of the lock's key shows is what the server answers, and a lease that a picture shows as over is over in the
verdict too.
"""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "reports")]

import keys
import model
from history import load_run, reply_text


def scenarios_of(source):
    """Every third: the others tell the same. A page follows one lock: those of several names are left out."""
    names = "notes/*.toml", "documented/*/*.toml"
    return sorted(path for name in names for path in (source / "scenarios").glob(name)
                  if "\nlock = " not in path.read_text(encoding="utf-8"))[::3]


def answers(history):
    """(server, at, whether the lock was free) of each SET NX and SETNX that a server ran."""
    for event in history.events:
        free = says_free(history, event)
        if free is not None:
            yield event.host, event.at, free


def says_free(history, event):
    """Whether a server's answer says that the lock was free; None of an event that is no such answer."""
    words = event.get("command") or [""]
    reply = event.get("reply")
    if event.what != "execute" or words[0] not in ("SET", "SETNX") or reply is None or is_error(reply):
        return None
    if history.kind(event.host) != "server" or not (words[0] == "SETNX" or "NX" in words):
        return None
    return reply_text(reply) in ("OK", "1")


def is_error(reply):
    return isinstance(reply, dict) and "error" in reply


def wrong_bars(history):
    """Answers that the bars of the key contradict."""
    lives, downs = keys.key_lives(history), keys.downtimes(history)
    for server, at, free in answers(history):
        here = [life for life in lives if life.server == server]
        if free:  # a bar that only ends since the next one begins was drawn too long
            wrong = any(life.start < at < life.end or (life.end, life.ended) == (at, "replaced") for life in here)
        else:
            at_once = any(life.start == at == life.end for life in here)  # taken and given back: no bar
            wrong = not at_once and not any(start <= at <= end for life in here
                                            for start, end in keys.reachable(life, downs))
        if wrong:
            yield f"{server} at {at / 1e6} s: the lock is {'free' if free else 'taken'}, the bar says otherwise"


def wrong_leases(run):
    """Violations of whose kind the picture would say otherwise."""
    holds = model.holds(run.history)
    for entry in run.verdict["properties"]:
        if entry["property"] != "mutual-exclusion" or entry["verdict"] != "violated":
            continue
        first, second = (run.history.events[position] for position in entry["events"][:2])
        hold = next(hold for hold in holds if hold.client == first.host and hold.enter <= first.at <= hold.exit)
        told = any((event.what, event.get("word"), event.host) == ("lost", "notified", first.host) and
                   hold.enter <= event.at <= second.at for event in run.history.events)  # then it promises nothing more
        over = told or hold.deadline is not None and hold.deadline <= second.at
        if over != (entry.get("kind") == "outlived"):
            yield f"{entry['kind']}, but the picture's lease ends at {hold.deadline}, the other enters at {second.at}"


class Agrees(unittest.TestCase):
    program = source = None

    def test_bars_and_leases_with_traces_and_verdicts(self):
        seen = {"answers": 0, "violations": 0}
        with tempfile.TemporaryDirectory() as folder:
            for file in scenarios_of(self.source):
                out = Path(folder) / file.stem
                command = [self.program, "run", file, "--quiet", "--out", out]
                subprocess.run(command, capture_output=True, check=False)
                run = load_run(out)
                with self.subTest(file.name):
                    self.assertEqual([*wrong_bars(run.history), *wrong_leases(run)], [])
                seen["answers"] += len(list(answers(run.history)))
                seen["violations"] += sum(bool(one.get("kind")) for one in run.verdict["properties"])
        self.assertGreater(seen["answers"], 300, "what it was tested with")
        self.assertGreater(seen["violations"], 7, "what it was tested with")


if __name__ == "__main__":
    Agrees.program, Agrees.source = sys.argv[1], Path(sys.argv[2])
    del sys.argv[1:3]
    unittest.main()
