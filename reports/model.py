# SPDX-License-Identifier: Apache-2.0
"""What a picture shows, as data computed from a history: messages, holds, overlaps, writes, notes.

Nothing here draws; tests ask these functions. What servers hold is in keys.py, faults are in faults.py, what repeats
itself in folds.py. All times are microseconds of world time.
"""

import itertools
from dataclasses import dataclass, field

from clocks import CLOCKS, HostClocks
from history import command_text, reply_text

OF_MESSAGES = ("send", "execute", "receive", "discard", "drop", "time-out", "refused")
ENDS_WORK = ("crash", "kill-task")


@dataclass
class Message:
    """One command and its reply. A time that is None did not come."""

    client: str
    server: str
    number: int
    text: str
    sent: int | None = None
    executed: list = field(default_factory=list)
    received: int | None = None
    discarded: bool = False  # the reply came after its call had ended
    dropped: tuple | None = None  # (when, "request" or "reply")
    timed_out: int | None = None
    reply: str = ""
    refused: int | None = None  # when the client learned that the server is down
    folded: bool = False  # one of many like it: drawn faintly, without words

    @property
    def times(self):
        candidates = [self.sent, *self.executed, self.received, self.timed_out, self.refused,
                      self.dropped and self.dropped[0]]
        return [at for at in candidates if at is not None]


@dataclass
class Hold:
    """One stay of a client inside the critical section."""

    client: str
    round: int
    enter: int
    exit: int
    ended: str  # why: finished, deadline, loss, crash, or 'end of the history'
    deadline: int | None = None  # end of the lease in world time
    clock: str = ""  # that counts it
    renewals: list = field(default_factory=list)
    slack: int = 0  # by how much a real machine was late: who left because of its deadline was not inside beyond it

    @property
    def outlived(self):
        if self.deadline is None:
            return False
        return self.exit > self.deadline + (self.slack if self.ended == "deadline" else 0)


@dataclass
class Overlap:
    start: int
    end: int
    clients: tuple


@dataclass
class Access:
    """A command that reached the protected resource."""

    host: str
    client: str
    at: int
    write: bool
    version: int | None  # after it
    base: int | None = None
    lost_update: bool = False


def _key(event, kind):
    ours, theirs = event.host, event.get("peer")
    client, server = (theirs, ours) if kind != "client" else (ours, theirs)
    return client, server, event.get("message")


def messages(history):
    found = {}
    for event in history.events:
        if event.what not in OF_MESSAGES or not event.get("peer"):
            continue
        key = _key(event, history.kind(event.host))
        message = found.setdefault(key, Message(*key, text=""))
        if event.get("command") and not message.text:
            message.text = command_text(event.get("command"))
        if event.get("reply") is not None:
            message.reply = reply_text(event.get("reply"))
        if event.what == "send" and message.sent is None:
            message.sent = event.at
        elif event.what == "execute":
            message.executed.append(event.at)
        elif event.what in ("receive", "discard"):
            message.received, message.discarded = event.at, event.what == "discard"
        elif event.what == "drop":
            message.dropped = (event.at, event.get("word", "request"))
        elif event.what == "time-out":
            message.timed_out = event.at
        elif event.what == "refused":
            message.refused = event.at
    return sorted((m for m in found.values() if m.times), key=lambda m: m.times[0])


def gathers(some_messages):
    """The messages in groups: those that took the same command to several servers before any of them answered."""
    groups = []
    for message in sorted((m for m in some_messages if m.sent is not None), key=lambda m: (m.client, m.sent)):
        group = groups[-1] if groups else []
        alike = group and (group[0].client, group[0].text) == (message.client, message.text)
        answered = min((m.received for m in group if m.received is not None), default=message.sent)
        if alike and message.sent <= answered and all(m.server != message.server for m in group):
            group.append(message)
        else:
            groups.append([message])
    return groups


def _deadline(clocks, promise):
    """When a lease ends by the clock of its own host."""
    left = promise.get("left") if promise else None
    if not left or left.get("clock") not in CLOCKS:
        return None, ""
    reading = promise.reading(left["clock"]) + left["us"]
    return clocks.reached(promise.host, left["clock"], promise.at, reading), left["clock"]


def holds(history):
    inside, done, promises = {}, [], {}  # the promise: the event that says how long the lease is good
    clocks = HostClocks(history)

    def close(client, at, why):
        hold = inside.pop(client, None)
        if hold:
            hold.exit, hold.ended = at, why
            hold.deadline, hold.clock = _deadline(clocks, promises.get(client))
            hold.slack = history.header.get("late_us", 0) * history.header.get("speedup", 1)
            done.append(hold)

    for event in history.events:
        if event.what == "granted" and (event.get("left") or event.host not in inside):
            promises[event.host] = event
        elif event.what == "enter":
            close(event.host, event.at, "entered again")
            inside[event.host] = Hold(event.host, event.get("round", 0), event.at, event.at, "")
        elif event.what == "renewed" and event.host in inside:
            inside[event.host].renewals.append(event.at)
            if event.get("left"):
                promises[event.host] = event
        elif event.what == "exit":
            close(event.host, event.at, event.get("word", ""))
        elif event.what == "strike" and event.get("word") in ENDS_WORK:
            close(event.host, event.at, event.get("word"))
    for client in list(inside):
        close(client, history.end, "end of the history")
    return sorted(done, key=lambda hold: (hold.enter, hold.client))


def overlaps(all_holds, history):
    """The intervals in which clients were inside at once for which the lock has no room together, mostly two."""
    found = []
    for some in itertools.combinations(all_holds, history.permits + 1):
        clients = tuple(hold.client for hold in some)
        start, end = max(hold.enter for hold in some), min(hold.exit for hold in some)
        if len(set(clients)) == len(clients) and start < end and not history.has_room(clients):
            found.append(Overlap(start, end, clients))
    return found


def accesses(history):
    """What reached the resource, and which writes lost an update: their base was not the current version."""
    found, current = [], {}
    for event in history.events:
        if event.what != "execute" or history.kind(event.host) != "resource":
            continue
        words = event.get("command") or [""]
        reply = event.get("reply")
        version = reply if isinstance(reply, int) else None
        access = Access(event.host, event.get("peer"), event.at, words[0] == "WRITE", version)
        if access.write and version is not None:
            access.base = int(words[1]) if len(words) > 1 and str(words[1]).lstrip("-").isdigit() else None
            known = current.get(event.host, version - 1)
            access.lost_update = access.base is not None and access.base != known
        if version is not None:
            current[event.host] = version
        found.append(access)
    return found


def notes(history):
    """Events of a client's life that deserve words: (host, at, text)."""
    texts = {"time-out": "time-out", "gave-up": "gives up", "failed": "attempt failed",
             "renewal-failed": "renewal failed", "touch-failed": "touch failed"}
    found = []
    for event in history.events:
        if event.what in texts:
            found.append((event.host, event.at, texts[event.what]))
        elif event.what == "lost":
            found.append((event.host, event.at, "lock lost" + (", told" if event.get("word") == "notified" else "")))
        elif event.what == "released" and event.get("word") == "not-ours":
            found.append((event.host, event.at, "release: not ours"))
        elif event.what == "released" and event.get("error"):
            found.append((event.host, event.at, "release failed"))
    return found
