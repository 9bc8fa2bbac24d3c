# SPDX-License-Identifier: Apache-2.0
"""What the page of all states says of each: what can still break, and whether that can be avoided."""

import json
import sys
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent.parent / "reports")]

import html_page
import walk_data
from history import BadInput
from test_page import HOSTILE, unpacked
from with_folder import WithFolder


def space(states, events, **more):
    """`states`: how many; `events`: (from, to) or (from, to, what it breaks)."""
    ending = set(range(states)) - {event[0] for event in events}
    idle = {"inside": [], "facts": [0], "broken": []}
    return {"title": "a space", "name": "space", "lock": "a-lock", "command": "lockproof explore x --walk",
            "reduced": False, "scenario": "", "hosts": [{"name": "client-1", "kind": "client"}], "starts": [0],
            "facts": [["idle"]], "states": [{**idle, "ends": number in ending} for number in range(states)],
            "events": [[*event[:2], f"event {i}", 0, list(event[2:]), []] for i, event in enumerate(events)], **more}


def fates(walk):
    return [state["fate"] for state in walk["states"]]


class TestWalk(unittest.TestCase):
    def test_what_can_be_avoided_and_what_cannot(self):
        # 0 - 1 - 2 = 3: the double line breaks; from 1 there is a way to 4, from 2 there is none
        walk = walk_data.walk_of(space(5, [(0, 1), (1, 2), (2, 3, "mutual-exclusion"), (1, 4)]))
        self.assertEqual(fates(walk), ["open", "open", "lost", "safe", "safe"])
        self.assertEqual([state["far"].get("mutual-exclusion") for state in walk["states"]],
                         [(3, 0), (2, 1), (1, 2), None, None])

    def test_the_shortest_way_of_several(self):
        walk = walk_data.walk_of(space(4, [(0, 1), (1, 2), (2, 3, "p"), (0, 3, "p"), (2, 3, "q")]))
        self.assertEqual(walk["states"][0]["far"], {"p": (1, 3), "q": (3, 0)})
        self.assertEqual(walk["properties"], ["p", "q"])

    def test_a_loop_that_never_breaks_avoids(self):
        walk = walk_data.walk_of(space(3, [(0, 1), (1, 0), (1, 2, "p")]))
        self.assertEqual(fates(walk), ["open", "open", "safe"])

    def test_an_event_that_breaks_beside_one_that_does_not(self):
        walk = walk_data.walk_of(space(2, [(0, 1, "p"), (0, 1)]))
        self.assertEqual(fates(walk), ["open", "safe"])

    def test_what_breaks_because_nothing_happens_any_more(self):
        data = space(3, [(0, 1), (0, 2)])
        data["states"][1]["broken"] = ["p"]
        walk = walk_data.walk_of(data)
        self.assertEqual(fates(walk), ["open", "lost", "safe"])
        self.assertEqual(walk["states"][1]["far"], {"p": (0, -1)})
        self.assertEqual(walk["states"][0]["far"], {"p": (1, 0)})

    def test_every_state_agrees_with_all_schedules(self):
        """A space without loops, each of whose schedules is followed to its end."""
        events = [(0, 1), (0, 2), (1, 3), (2, 3), (2, 4, "p"), (3, 5, "p"), (3, 6), (4, 6), (5, 7), (6, 7), (6, 8, "q"),
                  (2, 8), (8, 9, "p"), (1, 8)]
        walk = walk_data.walk_of(space(10, events))

        def schedules(state):
            leaving = [event for event in events if event[0] == state]
            return [[]] if not leaving else [[event, *rest] for event in leaving for rest in schedules(event[1])]

        for state, shown in enumerate(walk["states"]):
            breaks = [any(len(event) > 2 for event in schedule) for schedule in schedules(state)]
            fate = "lost" if all(breaks) else "open" if any(breaks) else "safe"
            self.assertEqual(shown["fate"], fate, state)
            for name in "pq":
                lengths = [i + 1 for schedule in schedules(state) for i, event in enumerate(schedule)
                           if name in event[2:]]
                self.assertEqual(shown["far"].get(name, (None,))[0], min(lengths, default=None), (state, name))


class TestPage(WithFolder):
    def test_no_name_becomes_markup(self):
        data = space(2, [(0, 1, HOSTILE)], title=HOSTILE, lock=HOSTILE, facts=[[HOSTILE]])
        text = html_page.walk_page(walk_data.walk_of(data))
        self.assertNotIn("<img", text)
        self.assertEqual(text.count("</script>"), 2, "those of the data and of the script")
        self.assertEqual(unpacked(text)["title"], HOSTILE)

    def test_thousands_of_states_are_one_small_file(self):
        events = [(i, i + 1) for i in range(7999)] + [(i, 7999, "p") for i in range(7900)]
        text = html_page.walk_page(walk_data.walk_of(space(8000, events)))
        self.assertLess(len(text.encode()), 3_000_000)

    def test_another_file_is_refused(self):
        for content in ("", "[]", "{}", json.dumps({"states": []})):
            file = self.folder / "x.states.json"
            file.write_text(content, encoding="utf-8")
            with self.assertRaises(BadInput):
                walk_data.load_walk(file)


if __name__ == "__main__":
    unittest.main()
