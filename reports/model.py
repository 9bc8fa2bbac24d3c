# SPDX-License-Identifier: Apache-2.0
"""What a picture shows, as data computed from a history: messages, holds, overlaps, key lives, faults, writes.

Nothing here draws; tests ask these functions. All times are microseconds of world time.
"""

from dataclasses import dataclass, field

from history import command_text, reply_text


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
    retry: bool = False  # one of many like it: drawn faintly, without words

    @property
    def times(self):
        candidates = [self.sent, *self.executed, self.received, self.timed_out, self.dropped and self.dropped[0]]
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


@dataclass
class Overlap:
    start: int
    end: int
    clients: tuple


@dataclass
class KeyLife:
    """A key on a server, from the command that set it to its end."""

    server: str
    key: str
    owner: str
    start: int
    end: int
    ended: str  # deleted, expired, replaced, or '' at the end of the history
    ended_by: str = ""  # whose command it was
    ttl_end: int | None = None


@dataclass
class FaultMark:
    host: str
    kind: str
    start: int
    end: int | None  # None: it does not heal
    amount: int | None  # microseconds


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


@dataclass
class Retries:
    """A stretch of attempts that all ended alike."""

    client: str
    start: int
    end: int
    count: int  # attempts that are not drawn in full
    outcome: str


def _key(event, kind):
    ours, theirs = event.host, event.get("peer")
    client, server = (theirs, ours) if kind != "client" else (ours, theirs)
    return client, server, event.get("message")


def messages(history):
    found = {}
    for event in history.events:
        if event.what not in ("send", "execute", "receive", "discard", "drop", "time-out") or not event.get("peer"):
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


def reading_reached(history, host, clock, from_event, reading):
    """When a host's clock shows `reading`, looking from an event on: in a jump, at the jump; else by its rate."""
    at, shown = from_event.at, from_event.reading(clock)
    for event in history.events:
        if event.host != host or event.at < from_event.at or event is from_event:
            continue
        if at + reading - shown <= event.at:
            break
        expected = shown + event.at - at
        at, shown = event.at, event.reading(clock)
        if clock == "wall" and event.what == "strike" and event.get("word") == "clock-jump":
            shown = expected + event.get("value", 0)  # whether the event was stamped before or after its jump
        if shown >= reading:
            return at
    return max(at + reading - shown, at)


def _deadline(history, event):
    left = event.get("left")
    if not left or left.get("clock") not in ("wall", "mono", "boot"):
        return None, ""
    reading = event.reading(left["clock"]) + left["us"]
    return reading_reached(history, event.host, left["clock"], event, reading), left["clock"]


def holds(history):
    inside, done, deadlines = {}, [], {}

    def close(client, at, why):
        hold = inside.pop(client, None)
        if hold:
            hold.exit, hold.ended = at, why
            done.append(hold)

    for event in history.events:
        if event.what == "granted":
            deadlines[event.host] = _deadline(history, event)
        elif event.what == "enter":
            close(event.host, event.at, "entered again")
            deadline, clock = deadlines.pop(event.host, (None, ""))
            inside[event.host] = Hold(event.host, event.get("round", 0), event.at, event.at, "", deadline, clock)
        elif event.what == "renewed" and event.host in inside:
            inside[event.host].renewals.append(event.at)
            deadline, clock = _deadline(history, event)
            if deadline is not None:
                inside[event.host].deadline, inside[event.host].clock = deadline, clock
        elif event.what == "exit":
            close(event.host, event.at, event.get("word", ""))
        elif event.what == "strike" and event.get("word") == "crash":
            close(event.host, event.at, "crash")
    for client in list(inside):
        close(client, history.end, "end of the history")
    return sorted(done, key=lambda hold: (hold.enter, hold.client))


def overlaps(all_holds):
    """The intervals in which two different clients were inside at once."""
    found = []
    for i, first in enumerate(all_holds):
        for second in all_holds[i + 1 :]:
            start, end = max(first.enter, second.enter), min(first.exit, second.exit)
            if first.client != second.client and start < end:
                found.append(Overlap(start, end, (first.client, second.client)))
    return found


def key_lives(history):
    alive, done = {}, []

    def close(place, at, why, by=""):
        life = alive.pop(place, None)
        if not life:
            return
        if life.ttl_end is not None and life.ttl_end <= at:
            at, why, by = life.ttl_end, "expired", ""
        life.end, life.ended, life.ended_by = at, why, by
        done.append(life)

    for event in history.events:
        if event.host is None or history.kind(event.host) != "server":
            continue
        for effect in event.get("effects", []):
            place = (event.host, effect.get("key", ""))
            name, by = effect.get("event"), event.get("peer") or ""
            if name == "set":
                close(place, event.at, "replaced", by)
                alive[place] = KeyLife(*place, by, event.at, history.end, "")
            elif name == "expire" and place in alive and effect.get("ttl_ms") is not None:
                reading = event.reading("wall") + effect["ttl_ms"] * 1000
                alive[place].ttl_end = reading_reached(history, event.host, "wall", event, reading)
            elif name == "persist" and place in alive:
                alive[place].ttl_end = None
            elif name in ("del", "expired", "evicted"):
                close(place, event.at, {"del": "deleted"}.get(name, name), by if name == "del" else "")
    for place in list(alive):
        life = alive[place]
        close(place, history.end, "")
    return sorted(done, key=lambda life: (life.start, life.server))


def faults(history):
    marks, open_marks = [], {}
    for event in history.events:
        if event.what == "strike" and event.host:
            mark = FaultMark(event.host, event.get("word", "fault"), event.at, None, event.get("value"))
            marks.append(mark)
            open_marks[(event.get("fault"), event.host)] = mark
        elif event.what == "heal":
            mark = open_marks.pop((event.get("fault"), event.host), None)
            if mark:
                mark.end = event.at
    return marks


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


def mark_retries(history, all_messages):
    """Marks the messages of attempts that are like the ones around them, and tells the stretches that they form.

    The first and the last attempt of a stretch stay as they are; shorter stretches than four are left alone.
    """
    stretches = []
    for client in (name for name in history.hosts if history.kind(name) == "client"):
        ours = [m for m in all_messages if m.client == client and m.sent is not None]
        run = []
        for attempt in [*_attempts(history, client), None]:
            alike = attempt and run and (attempt[2], attempt[3]) == (run[-1][2], run[-1][3])
            if alike or (attempt and not run):
                run.append(attempt)
                continue
            if len(run) >= 4 and run[0][2] in ("busy", "failed"):
                start, end = run[1][0], run[-2][1]
                for message in ours:
                    message.retry = message.retry or start <= message.sent <= end
                stretches.append(Retries(client, start, end, len(run) - 2, run[0][2]))
            run = [attempt] if attempt else []
    return stretches


def _attempts(history, client):
    """(start, end, outcome, verbs) of each attempt, in order."""
    start, verbs = None, []
    for event in history.events:
        if event.host != client:
            continue
        if event.what == "attempt":
            start, verbs = event.at, []
        elif event.what == "send":
            verbs.append(command_text(event.get("command") or []).split(" ")[0])
        elif event.what in ("busy", "failed", "granted") and start is not None:
            yield start, event.at, event.what, tuple(verbs)
            start = None


def notes(history):
    """Events of a client's life that deserve words: (host, at, text)."""
    texts = {"time-out": "time-out", "gave-up": "gives up", "failed": "attempt failed",
             "renewal-failed": "renewal failed"}
    found = []
    for event in history.events:
        if event.what in texts:
            found.append((event.host, event.at, texts[event.what]))
        elif event.what == "lost":
            found.append((event.host, event.at, "lock lost" + (", told" if event.get("word") == "told" else "")))
        elif event.what == "released" and event.get("word") == "not-ours":
            found.append((event.host, event.at, "release: not ours"))
        elif event.what == "released" and event.get("error"):
            found.append((event.host, event.at, "release failed"))
    return found
