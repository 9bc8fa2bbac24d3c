# SPDX-License-Identifier: Apache-2.0
"""What servers keep, whose it is and for how long, after each event, by the rules of the checkers.

These are the rules of harness/check/lock_key.cpp, so that a page and a verdict cannot disagree; test_states.py compares
them on every scenario. An owner is the client whose command made a key, or whose attempt changed it and was granted.
"""

from dataclasses import dataclass, replace

GONE = ("released", "expired", "evicted")
ENDS_WORK = ("crash", "kill-task")
LEASE_CLOCK = {"memcached": "mono"}  # by what a server's name begins with; the others' leases go by the wall clock


@dataclass
class Place:
    """A key on one server."""

    owner: str = ""
    expires_ms: int | None = None  # of the server's clock by which leases go
    claimed_by: str = ""  # by an attempt that may yet be granted


class ServerKeys:
    def __init__(self, history, clocks):
        self.lock, self._clocks = history.lock(), clocks
        listed = {str(one.get("name")): one for one in history.listed("server")}
        self.servers = [host for host in history.hosts if history.kind(host) == "server"]
        self.masters = [server for server in self.servers if not listed.get(server, {}).get("replica_of")]
        self._keeper = {server: history.keeper(server) for server in self.servers}
        self.masters = [server for server in self.masters if self._keeper[server] == server]
        self._kept = {server for server in self.servers if history.outlives(server)}
        self._kept |= {name for name, one in listed.items() if one.get("persistence", "none") != "none"}
        self._places = {server: {} for server in self.servers}  # server -> key -> Place
        self._copies = {}  # replica -> the keys of the copy that is on its way to it
        self._trying = set()  # clients whose attempt is in progress

    def see(self, event):
        """Call for each event, in order; the clocks have seen it already."""
        if event.what == "strike":
            self._strike(event)
        elif event.what == "attempt":
            self._trying.add(event.host)
        elif event.what in ("granted", "busy", "failed"):
            self._settle(event.host, event.what == "granted")
        if event.host not in self._places:
            return
        if event.what == "copy":
            self._copies[event.get("peer")] = {key: replace(at) for key, at in self._places[event.host].items()}
        elif event.what == "execute":
            self._execute(event, lambda key: event.get("peer") or "")
        elif event.what == "replicate":
            self._replicate(event)

    def kept(self, server, at):
        """(key, owner, what is left of it in microseconds, or None if it has no end) of what is there now."""
        found = []
        for key, place in sorted(self._places[server].items(), key=lambda item: (item[0] != self.lock, item[0])):
            left = self._left(server, place, at)
            if left is None or left > 0:
                found.append((key, place.owner, left))
        return found

    def owner(self, server, at):
        return next((owner for key, owner, _ in self.kept(server, at) if key == self.lock), "")

    def holder(self, at):
        """The client that owns the lock on a majority of the masters, or nothing."""
        owners = [self.owner(server, at) for server in self.masters]
        return next((one for one in owners if one and owners.count(one) > len(owners) // 2), "")

    def _left(self, server, place, at):
        if place.expires_ms is None:
            return None
        clock = _lease_clock(server)
        last_ms = 1 if clock == "wall" else 0  # at its stamp a key with a lease by the wall clock is still there
        return (place.expires_ms + last_ms) * 1000 - self._clocks.now(server, clock, at)

    def _replicate(self, event):
        copy = self._copies.get(event.host)
        if (event.get("command") or [""])[0] == "FULLRESYNC" and copy is not None:
            self._places[event.host] = self._copies.pop(event.host)
            return
        masters = self._places.get(event.get("peer"), {})
        self._execute(event, lambda key: masters[key].owner if key in masters else "")

    def _strike(self, event):
        if event.get("word") in ENDS_WORK:
            self._trying.discard(event.host)
        if event.host not in self._places:
            return
        for effect in event.get("effects", []):
            self._places[event.host].pop(effect.get("key"), None)
        if event.fault("action") == "take-down" and event.host not in self._kept:
            self._places[event.host].clear()
        if event.get("word") == "failover" and event.get("peer"):
            self.masters = [event.get("peer") if one == event.host else one for one in self.masters]

    def _execute(self, event, client_of):
        keys = self._places[self._keeper[event.host]]
        for effect in event.get("effects", []):
            key, change = effect.get("key"), effect.get("change")
            client = client_of(key)
            if change in GONE:
                keys.pop(key, None)
            elif change == "renewed":
                ttl = effect.get("ttl_ms")
                now = self._clocks.now(event.host, _lease_clock(event.host), event.at)
                place = keys.setdefault(key, Place(client))
                place.expires_ms = None if ttl is None else now // 1000 + ttl
            elif key not in keys:
                keys[key] = Place(client)
            else:
                if change == "acquired":
                    keys[key].expires_ms = None
                if keys[key].owner != client and client in self._trying:
                    keys[key].claimed_by = client

    def _settle(self, client, granted):
        self._trying.discard(client)
        for keys in (*self._places.values(), *self._copies.values()):
            for place in keys.values():
                if place.claimed_by == client:
                    place.claimed_by = ""
                    if granted:
                        place.owner = client


def _lease_clock(server):
    return LEASE_CLOCK.get(server.rsplit("-", 1)[0], "wall")
