# SPDX-License-Identifier: Apache-2.0
"""A run as a list of steps for the page: each event that is shown, with what every host is after it.

Everything that the page says is worked out here, once, from the history; its script only draws it. Beside the events
there are instants at which only time passes: a lease ends by its holder's clock, a key by its server's.
"""

from dataclasses import dataclass

import event_text
import keys
import model
import turns
from beliefs import CLOCK_NAMES, World
from durations import seconds_text
from history import Event

STEPS_MAX = 900  # what is more is left out around what broke, or at the end
LETTERS = "abcdefghijklmnopqrstuvwxyz"  # behind a position: an instant after it that is no event
EPOCH = 1_700_000_000_000_000  # of simulated wall clocks, in microseconds, as in harness/scenario/plan.hpp
ARROWS = {"execute": "request", "receive": "reply", "discard": "reply", "drop": "lost", "refused": "lost"}


@dataclass
class Shown:
    """An event that becomes a step."""

    name: str  # its position in the history; with a letter if it is no event of it
    event: Event
    text: str
    kind: str


def steps(run):
    """(the steps, how many were left out)."""
    told = _told(run.verdict)
    shown = _shown(run.history, told)
    first, last = _window(shown, told)
    return _with_states(run, shown, first, last), len(shown) - (last - first)


def _told(verdict):
    """The positions of the events that a verdict names."""
    return {position for one in (verdict or {}).get("properties", []) if one.get("verdict") == "violated"
            for position in one.get("events", [])}


def _shown(history, told):
    folds, hidden = turns.folded(history, told)
    at_position = {fold.first: fold for fold in folds}
    passing = _passing(history)
    found, grants, letter = [], {}, ord("a")
    for position, event in enumerate(history.events):
        while passing and passing[0].at < event.at:
            found.append(Shown(f"{max(position - 1, 0)}{chr(letter)}", passing[0], passing[0].get("text"), "time"))
            passing.pop(0)
            letter += 1
        letter = ord("a")
        if event.what == "granted":
            grants[event.host] = event
        if position in at_position:
            fold = at_position[position]
            text = f"… {fold.count} more {fold.what}, until {seconds_text(fold.until)}"
            found.append(Shown(str(position), event, text, "fold"))
        elif position not in hidden:
            text = event_text.text(event, grants.get(event.host))
            if text and event.host:
                found.append(Shown(str(position), event, text, event.what))
    return found


def _passing(history):
    """The ends of leases and keys that no event tells."""
    found = []
    for hold in model.holds(history):
        if hold.outlived:
            text = f"its lease ends by its own {CLOCK_NAMES[hold.clock]}; it is still inside"
            found.append(Event("time", hold.client, hold.deadline, {"text": text}))
    for life in keys.key_lives(history):
        if life.ended == "expired":
            text = f"{life.owner}'s {life.key} ends by this server's clock"
            found.append(Event("time", life.server, life.end, {"text": text}))
    return sorted(found, key=lambda event: event.at)


def _window(shown, told):
    """Which of them are kept: all, or those around what broke."""
    if len(shown) <= STEPS_MAX:
        return 0, len(shown)
    centre = next((i for i, one in enumerate(shown) if told and one.name == str(max(told))), 0)
    first = max(0, min(centre - STEPS_MAX * 2 // 3, len(shown) - STEPS_MAX))
    return first, first + STEPS_MAX


def _with_states(run, shown, first, last):
    history, world, found = run.history, World(run.history), []
    order = {name: i for i, name in enumerate(history.hosts)}
    arrows, before, position = _Arrows(history), {}, 0
    for number, one in enumerate(shown):
        until = _until(history, shown, number)
        for event in history.events[position:until]:
            world.see(event)
        position = max(position, until)
        step = {"id": one.name, "at": one.event.at, "host": order[one.event.host], "kind": one.kind, "text": one.text}
        if one.event.get("fault"):
            step["fault"] = one.event.get("fault")
        arrow = arrows.see(number - first, one)
        if arrow:
            step["arrow"] = arrow
        if first <= number < last:
            _add_changes(step, before, _now(world, history, one.event.at))
            found.append(step)
    return found


def _until(history, shown, number):
    """The events that have been when a step is over: those up to its own, and what follows from it at once and is no
    step of its own, as a grant follows from a reply."""
    until = int(shown[number].name.rstrip(LETTERS)) + 1
    if shown[number].kind == "time":
        return until
    after = int(shown[number + 1].name.rstrip(LETTERS)) if number + 1 < len(shown) else len(history.events)
    while until < after and history.events[until].at == shown[number].event.at:
        until += 1
    return until


def _now(world, history, at):
    """What is, by name: `h0`, `h1`, … are hosts, in their order."""
    now = {f"h{i}": _host(world, name, at, history) for i, name in enumerate(history.hosts)}
    now["inside"] = [history.hosts.index(name) for name in world.inside()]
    now["crowded"] = int(world.is_crowded())
    now["holder"] = world.keys.holder(at)
    now["partings"] = [[int(bad), text] for bad, text in world.partings(at)]
    return now


def _host(world, name, at, history):
    kind = history.kind(name)
    found = {"is": world.condition(name), "still": world.stillness(name),
             "clocks": [world.clocks.now(name, clock, at) - begun - at for clock, begun in _begun(history).items()]}
    if kind == "client":
        inside = world.clients[name].inside_since is not None
        found["says"] = world.belief(name, at)
        found["bar"] = "" if not inside else "in" if world.entitled(name, at) else "late"
    elif kind == "server":
        found["keys"] = [[key, owner, left] for key, owner, left in world.keys.kept(name, at)]
        owner = world.keys.owner(name, at)
        found["bar"] = f"key{history.hosts.index(owner)}" if owner else ""
        found["says"] = "" if name in world.keys.masters else "replica"
    else:
        found["says"] = f"version {world.hosts[name].version}"
    return found


def _begun(history):
    """What each clock shows at the start of the run, if its host's is not set otherwise."""
    return {"wall": EPOCH if history.world == "simulated" else 0, "mono": 0, "boot": 0}


def _add_changes(step, before, now):
    """Only what differs from the step before; what a step has not is as it was."""
    for name, value in now.items():
        if not name.startswith("h") or name == "holder":
            if before.get(name) != value:
                step[name] = value
        else:
            known = before.get(name, {})
            changed = {key: one for key, one in value.items() if known.get(key) != one}
            if changed:
                step[name] = changed
    before.clear()
    before.update(now)


class _Arrows:
    """From which step a message comes: what an arrow is drawn from."""

    def __init__(self, history):
        self._history, self._from = history, {}

    def see(self, number, one):
        """(the number of the step that it comes from, what it is, its server), or nothing."""
        event = one.event
        if event.what == "replicate":
            start = self._from.get((event.get("peer"), str(event.get("command"))))
            return None if start is None or start < 0 else [start, "copy", self._history.hosts.index(event.host)]
        if event.get("message") is None or one.kind in ("fold", "time"):
            return None
        client = event.host if self._history.kind(event.host) == "client" else event.get("peer")
        server = event.get("peer") if client == event.host else event.host
        key = (client, server, event.get("message"))
        if event.what == "send":
            self._from[key] = number
            return None
        start = self._from.get(key)
        if event.what == "execute":
            self._from[key] = self._from[event.host, str(event.get("command"))] = number
        if event.what not in ARROWS or start is None or start < 0:
            return None
        return [start, ARROWS[event.what], self._history.hosts.index(server)]
