# SPDX-License-Identifier: Apache-2.0
"""What servers hold of the lock, and when they are down: computed from the effects that the history has.

A server that is down holds nothing that anybody can reach. What it has kept is there again when it is up.
"""

from dataclasses import dataclass

from clocks import HostClocks

GONE = {"released": "deleted", "expired": "expired", "evicted": "evicted"}
BY_FAULT = {"flush": "flushed", "restart": "lost", "power-cut": "lost"}
LEASE_CLOCK = {"memcached": "mono"}  # by what a server's name begins with; the others' leases go by the wall clock


@dataclass
class KeyLife:
    """A key on a server, from the command that set it to its end."""

    server: str
    key: str
    owner: str
    start: int
    end: int
    ended: str  # deleted, expired, evicted, flushed, lost, replaced, or '' at the end of the history
    ended_by: str = ""  # whose command it was
    expires: tuple | None = None  # (the server's clock, when it was set, what the clock shows when it is gone)


@dataclass(frozen=True)
class Downtime:
    server: str
    start: int
    end: int


def key_lives(history):
    """The lives of the lock's key on each server."""
    return _Keys(history).lives()


class _Keys:
    def __init__(self, history):
        self.history, self.clocks = history, HostClocks(history)
        self.lock = history.lock()
        self.alive, self.done = {}, []
        self.owners = {}  # server -> whose its key is, or was last
        self.copied = {}  # replica -> whose its master's key was when it made a copy of its keys

    def lives(self):
        for event in self.history.events:
            if event.host is None or self.history.kind(event.host) != "server":
                continue
            if event.what == "copy":
                self.copied[event.get("peer")] = self.owners.get(event.host, "")
            by = self._cause(event)
            for effect in event.get("effects", []):
                if effect.get("key") == self.lock:
                    self._apply(event, effect, by)
            if event.what == "strike" and event.fault("action") == "take-down" and self._forgets(event.host):
                self._close(event.host, event.at, "lost")
        for server in list(self.alive):
            self._close(server, self.history.end, "")
        return sorted(self.done, key=lambda life: (life.start, life.server))

    def _cause(self, event):
        """Whose command it is; what a replica applies is of whoever has the key at its master."""
        peer = event.get("peer") or ""
        if event.what != "replicate":
            return peer
        if event.get("command") == ["FULLRESYNC"]:
            return self.copied.get(event.host, "")
        return self.owners.get(peer, "")

    def _apply(self, event, effect, by):
        server, change = self.history.keeper(event.host), effect.get("change")
        if change in GONE:
            why = _why(event, change)
            return self._close(server, event.at, why, by if why == "deleted" else "")
        if change == "acquired" or (server not in self.alive and change == "changed"):
            self._close(server, event.at, "replaced", by)
            self.alive[server] = KeyLife(server, self.lock, by, event.at, self.history.end, "")
            self.owners[server] = by
        elif server in self.alive and change == "renewed":
            self.alive[server].expires = _lease_end(event, effect.get("ttl_ms"))
        return None

    def _close(self, server, at, why, by=""):
        life = self.alive.pop(server, None)
        if not life:
            return
        gone = self.clocks.reached(server, *life.expires) if life.expires else None
        if gone is not None and gone <= at:
            at, why, by = gone, "expired", ""
        life.end, life.ended, life.ended_by = at, why, by
        self.done.append(life)

    def _forgets(self, server):
        """Whether it keeps nothing on disk. A real server's end does not say what it took away."""
        listed = self.history.listed("server")
        kept = [one for one in listed if one.get("name") == server and one.get("persistence", "none") != "none"]
        return not self.history.outlives(server) and not kept


def _lease_end(event, ttl_ms):
    """The clock by which the key's lease goes, from when on, and what it shows when the key is gone; None: no lease."""
    if ttl_ms is None:
        return None
    clock = LEASE_CLOCK.get(event.host.rsplit("-", 1)[0], "wall")
    # At its stamp a key with a lease by the wall clock is still there.
    last_ms = ttl_ms + 1 if clock == "wall" else ttl_ms
    return clock, event.at, event.reading(clock) + last_ms * 1000


def _why(event, change):
    """How a bar ends. A replica that got a copy of other keys has lost its own."""
    if event.what == "strike" and event.get("word") in BY_FAULT:
        return BY_FAULT[event.get("word")]
    return "lost" if change == "evicted" and event.what == "replicate" else GONE[change]


def downtimes(history):
    """When servers were down, by server; a master that was replaced as dead is so for good."""
    found, since = [], {}
    for event in history.events:
        if event.what == "strike" and (event.fault("action") == "take-down" or _dies_in(history, event)):
            since.setdefault(event.host, event.at)
        elif event.what == "heal" and event.fault("action") == "take-down" and event.host in since:
            found.append(Downtime(event.host, since.pop(event.host), event.at))
    found += [Downtime(host, start, history.end) for host, start in since.items()]
    return sorted(found, key=lambda down: (down.start, down.server))


def _dies_in(history, event):
    """Whether this is a failover whose old master is dead: of a sentinel's the history does not say so, but that
    master was down already or serves on."""
    number = event.get("fault", 0)
    if event.get("word") != "failover" or not number:
        return False
    listed = history.listed("fault")
    if number <= len(listed):
        return listed[number - 1].get("old", "dead") == "dead"
    return not any(later.host == event.host and later.what in ("execute", "replicate") and later.at > event.at
                   for later in history.events)


def reachable(life, downs):
    """The parts of a key's life in which its server was up: (start, end)."""
    parts, start = [], life.start
    for down in sorted((d for d in downs if d.server == life.server), key=lambda d: d.start):
        if down.end <= start or down.start >= life.end:
            continue
        if down.start > start:
            parts.append((start, down.start))
        start = max(start, down.end)
    if start < life.end:
        parts.append((start, life.end))
    return parts
