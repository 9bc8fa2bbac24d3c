# SPDX-License-Identifier: Apache-2.0
"""What a page that walks through a space says of each state: what can still break, whether that can be avoided, and
the shortest way to it.

The space is what `explore --walk` wrote: `states`, and `events` as [from, to, name, host, broken, told].
"""

import json
from collections import deque
from pathlib import Path

from history import BadInput

FROM, TO, BROKEN = 0, 1, 4
SUFFIX = ".states.json"


def load_walk(path):
    try:
        space = json.loads(Path(path).read_text(encoding="utf-8"))
        space["states"], space["events"], space["hosts"]
    except (OSError, ValueError, KeyError, TypeError) as problem:
        raise BadInput(f"{path}: this is no space of states that explore --walk wrote ({problem})") from problem
    return space


def walk_of(space):
    """The data of the page."""
    states, events = space["states"], space["events"]
    leaving = [[] for _ in states]
    for number, event in enumerate(events):
        leaving[event[FROM]].append(number)
    properties = sorted({name for event in events for name in event[BROKEN]}
                        | {name for state in states for name in state["broken"]})
    ways = {name: distances(states, events, name) for name in properties}
    avoid = avoiding(states, events, leaving)
    shown = []
    for number, state in enumerate(states):
        far = {name: way[number] for name, way in ways.items() if number in way}
        fate = "safe" if not far else "open" if avoid[number] else "lost"
        shown.append({**state, "far": far, "fate": fate})
    orders = "of events that commute one order is here" if space["reduced"] else "every order of events is here"
    return {**space, "states": shown, "properties": properties, "version": space.get("lockproof", "?"),
            "about": f"{len(states)} states, {len(events)} events between them; {orders}"}


def distances(states, events, name):
    """Of each state from which the property can break: how many events away that is, and the first of them; none (-1)
    where it breaks because nothing happens any more."""
    arriving = [[] for _ in states]
    for number, event in enumerate(events):
        arriving[event[TO]].append(number)
    found = {number: (0, -1) for number, state in enumerate(states) if name in state["broken"]}
    reached, steps = list(found), 0
    leading = [number for number, event in enumerate(events) if name in event[BROKEN]]
    while reached or leading:
        steps += 1
        leading += [number for state in reached for number in arriving[state]]
        reached = []
        for number in leading:
            state = events[number][FROM]
            if state not in found:
                found[state] = (steps, number)
                reached.append(state)
        leading = []
    return found


def avoiding(states, events, leaving):
    """Whether from each state some schedule goes on, to its end or for ever, in which nothing breaks."""
    avoids = [not state["broken"] for state in states]
    good = [sum(not events[number][BROKEN] for number in numbers) for numbers in leaving]
    arriving = [[] for _ in states]
    for number, event in enumerate(events):
        if not event[BROKEN]:
            arriving[event[TO]].append(event[FROM])
    lost = deque(number for number, numbers in enumerate(leaving)
                 if not avoids[number] or (numbers and good[number] == 0))
    for number in lost:
        avoids[number] = False
    while lost:
        for state in arriving[lost.popleft()]:
            good[state] -= 1
            if good[state] == 0 and avoids[state]:
                avoids[state] = False
                lost.append(state)
    return avoids
