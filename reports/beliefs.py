# SPDX-License-Identifier: Apache-2.0
"""What every host is, and what each client believes, after each event; and where belief and truth part.

The rules are those of the checkers (harness/check/promise.hpp and mutual_exclusion.cpp): a client is inside from
`enter` to `exit` or to its death, and entitled until the deadline of its grant, by its own clock. test_states.py
compares what comes out with the verdicts of every scenario.
"""

from dataclasses import dataclass, field

from clocks import ClocksNow
from durations import seconds_text
from event_text import good_for
from faults import fill
from lock_key import ENDS_WORK, ServerKeys

CLOCK_NAMES = {"wall": "wall clock", "mono": "monotonic clock", "boot": "boot-time clock"}
DEAD = {"dead": "", "its worker is dead": "its watchdog goes on, if it has one"}  # what is said of it
THINKS_NOT = ("waits to ask again", "has given up", "is done", "has released the lock")  # that it has the lock


@dataclass
class Client:
    """What it does, and what it has been promised."""

    inside_since: int | None = None
    deadline: int | None = None  # by `clock`; None: until it is told of a loss
    clock: str = ""
    told: bool = False  # that the lock is lost
    depth: int = 0  # how often it holds the lock, where it may more than once
    doing: str = "does not want the lock"
    attempt: int = 0
    granted: object = None  # its latest grant, an event
    dead: str = ""

    def promise(self, event, clocks):
        left = event.get("left")
        if left:
            self.clock = left["clock"]
            self.deadline = clocks.shown(event.host, self.clock, event.at) + left["us"]


@dataclass
class Host:
    kind: str
    lasting: dict = field(default_factory=dict)  # number of a fault -> what the host is while it lasts, its action
    version: int = 0  # of the resource


class World:
    """See each event in order; then ask what is."""

    def __init__(self, history):
        self.history = history
        self.clocks = ClocksNow(history)
        self.keys = ServerKeys(history, self.clocks)
        self.hosts = {one: Host(history.kind(one)) for one in history.hosts}
        self.clients = {one: Client() for one in history.hosts if history.kind(one) == "client"}

    def see(self, event):
        self.clocks.see(event)
        self.keys.see(event)
        if event.host in self.clients:
            self._client(event, self.clients[event.host])
        if event.host and event.what == "strike" and event.fault("meanwhile"):
            what = fill(event.fault("meanwhile"), {"peer": event.get("peer")} if event.get("peer") else {})
            self.hosts[event.host].lasting[event.get("fault", 0)] = (what, event.fault("action"))
        elif event.host and event.what == "heal":
            self.hosts[event.host].lasting.pop(event.get("fault", 0), None)
        reply = event.get("reply")
        if event.what == "execute" and self.hosts[event.host].kind == "resource" and isinstance(reply, int):
            self.hosts[event.host].version = reply

    def _client(self, event, client):
        what = event.what
        if what == "attempt":
            client.doing, client.attempt = "asks for the lock", event.get("attempt", 1)
        elif what in ("busy", "failed"):
            client.doing = "waits to ask again"
        elif what == "granted":
            client.granted, client.depth = event, event.get("value", 1)
            client.doing = "has been granted the lock" + good_for(event)
            if client.inside_since is not None:
                client.promise(event, self.clocks)  # it acquires the lock again
        elif what == "enter":
            client.inside_since, client.told, client.deadline, client.clock = event.at, False, None, ""
            if client.granted is not None:
                client.promise(client.granted, self.clocks)
        elif what == "renewed" and client.inside_since is not None:
            client.promise(event, self.clocks)
        elif what == "lost" and client.inside_since is not None:
            client.told = client.told or event.get("word") == "notified"
        elif what == "exit":
            client.inside_since, client.doing = None, "has left"
        elif what in ("release", "released"):
            client.doing = "releases the lock" if what == "release" else "has released the lock"
        elif what in ("gave-up", "finished"):
            client.doing = "has given up" if what == "gave-up" else "is done"
        elif what == "strike" and event.get("word") in ENDS_WORK:
            client.inside_since = None
            client.dead = "dead" if event.get("word") == "crash" else "its worker is dead"

    # -- what is

    def inside(self):
        """The clients that are inside, in the order in which they entered."""
        inside = [name for name, client in self.clients.items() if client.inside_since is not None]
        return sorted(inside, key=lambda name: self.clients[name].inside_since)

    def is_crowded(self):
        return not self.history.has_room(self.inside())

    def left(self, name, at):
        """What its promise is still good for by its own clock; None: it has no end."""
        client = self.clients[name]
        return None if client.deadline is None else client.deadline - self.clocks.shown(name, client.clock, at)

    def entitled(self, name, at):
        left = self.left(name, at)
        return not self.clients[name].told and (left is None or left > 0)

    def condition(self, name):
        """Running, paused, down, …: what befell the host."""
        host = self.hosts[name]
        states = list(dict.fromkeys(what for what, _ in host.lasting.values()))
        if host.kind == "client" and self.clients[name].dead:
            states.insert(0, self.clients[name].dead)
        return ", ".join(states) or ("up" if host.kind == "server" else "running")

    def stands_still(self, name):
        return "stand-still" in self._actions(name)

    def _actions(self, name):
        return [action for _, action in self.hosts[name].lasting.values()]

    def stillness(self, name):
        """How its lane is drawn: paused, down, cut, or as usual."""
        actions = self._actions(name)
        if "stand-still" in actions:
            return "paused"
        if "take-down" in actions or name in self.clients and self.clients[name].dead == "dead":
            return "down"
        return "cut" if "cut-off" in actions or "change-store" in actions else ""

    def belief(self, name, at):
        """What a client does or believes, in words."""
        client, left = self.clients[name], self.left(name, at)
        if client.inside_since is None:
            return DEAD.get(client.dead, client.doing)
        if client.told:
            return "is inside, and knows that it lost the lock"
        held = "believes that it holds the lock" + (f" {client.depth} times" if client.depth > 1 else "")
        if left is None:
            return f"{held}, with no end"
        clock = CLOCK_NAMES[client.clock]
        if left > 0:
            return f"{held} for {seconds_text(left)} more, by its {clock}"
        if self.stands_still(name):
            return f"{held}, and cannot look at its {clock}, by which it ended {seconds_text(-left)} ago"
        return f"is inside, though by its {clock} the lock ended {seconds_text(-left)} ago"

    def partings(self, at):
        """Where belief and truth part: (is it what must not happen, sentence)."""
        found, inside, holder = [], self.inside(), self.keys.holder(at)
        if self.is_crowded():
            found.append((True, f"{' and '.join(inside)} are inside at once."))
        for name in inside:
            found += self._parting(name, holder, at)
        client = self.clients.get(holder)
        if client and client.dead and client.inside_since is None:
            found.append((False, f"The servers keep the lock for {holder}, which is dead."))
        elif client and client.inside_since is None and client.doing in THINKS_NOT:
            found.append((False, f"The servers keep the lock for {holder}, which does not believe that it holds it."))
        return found

    def _parting(self, name, holder, at):
        cannot = " It stands still and cannot notice." if self.stands_still(name) else ""
        if not self.entitled(name, at):
            why = "has been told that it lost the lock" if self.clients[name].told else "has outlived its lease"
            return [(True, f"{name} {why} and is still inside.{cannot}")]
        if holder == name or self.history.readers or self.history.permits > 1:
            return []  # of several holders the key has no one owner
        return [(True, f"{name} believes that it holds the lock; {self._truth(name, holder, at)}.{cannot}")]

    def _truth(self, name, holder, at):
        masters = self.keys.masters
        theirs = sum(self.keys.owner(server, at) == name for server in masters)
        if len(masters) > 1:
            return f"only {theirs} of {len(masters)} servers have it as its own"
        return f"{masters[0]} has it as {holder}'s" if holder else f"{masters[0]} does not have it"
