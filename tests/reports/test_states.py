#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a page says of beliefs and truths agrees with the verdicts of every scenario: test_states.py LOCKPROOF SOURCE.

Who is inside, who is entitled, and whose the keys are is worked out for pages by reports/beliefs.py, and for verdicts
by harness/check. Here both look at the same runs.
"""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "reports")]

from beliefs import World
from history import load_run
from page_data import PageRun
from test_agrees import says_free, scenarios_of


def first_overlap(history):
    """(position, kind) of the first double grant, or else of the first other overlap, as beliefs.py sees it."""
    world, found = World(history), None
    for position, event in enumerate(history.events):
        before = world.inside()
        entitled = {name: world.entitled(name, event.at) for name in before}
        world.see(event)
        if event.what != "enter":
            continue
        if history.has_room(world.inside()):
            continue
        promised = [event.host, *(name for name in before if name != event.host and entitled[name])]
        too_many = world.entitled(event.host, event.at) and not history.has_room(promised)
        if found is None or (too_many and found[1] == "outlived"):
            found = position, "double-grant" if too_many else "outlived"
    return found


def wrong_overlap(run):
    told = next(one for one in run.verdict["properties"] if one["property"] == "mutual-exclusion")
    expected = (told["events"][-1], told["kind"]) if told["verdict"] == "violated" else None
    found = first_overlap(run.history)
    if found != expected:
        yield f"the verdict is {expected}, the page would say {found}"


def wrong_keys(history):
    """Answers of servers that contradict whose the lock is on the page."""
    world = World(history)
    for event in history.events:
        free = says_free(history, event) if event.host else None
        if free is not None and event.get("command")[1] == history.lock():
            owner = world.keys.owner(event.host, event.at)
            if bool(owner) == free:
                yield f"{event.host} at {event.at}: free is {free}, the page says '{owner}'"
        world.see(event)


def wrong_steps(page_run):
    """A step that breaks a property of two holders and does not show it."""
    state = {}
    for i, step in enumerate(page_run.steps):
        state |= {name: step[name] for name in ("inside", "partings") if name in step}
        for one in page_run.verdicts:
            if step["kind"] == "fold" and i in one["steps"]:
                yield f"what {one['name']} tells of is hidden in step {i}"
            if one["property"] == "mutual-exclusion" and one["steps"] and one["steps"][-1] == i:
                if len(state["inside"]) < 2 or not any(bad for bad, _ in state["partings"]):
                    yield f"step {i} is to show two inside, and shows {state}"


class States(unittest.TestCase):
    program = source = None

    def test_beliefs_and_truths_with_verdicts_and_answers(self):
        seen = {"double-grant": 0, "outlived": 0, "steps": 0}
        with tempfile.TemporaryDirectory() as folder:
            for file in scenarios_of(self.source):
                out = Path(folder) / file.stem
                command = [self.program, "run", file, "--quiet", "--out", out]
                subprocess.run(command, capture_output=True, check=False)
                run = load_run(out)
                page_run = PageRun(run, "simulated", "simulated")
                with self.subTest(file.name):
                    self.assertEqual([*wrong_overlap(run), *wrong_keys(run.history), *wrong_steps(page_run)], [])
                found = first_overlap(run.history)
                if found:
                    seen[found[1]] += 1
                seen["steps"] += len(page_run.steps)
        for name, least in (("double-grant", 3), ("outlived", 2), ("steps", 1300)):
            self.assertGreater(seen[name], least, f"{name}: what it was tested with")


if __name__ == "__main__":
    States.program, States.source = sys.argv[1], Path(sys.argv[2])
    del sys.argv[1:3]
    unittest.main()
