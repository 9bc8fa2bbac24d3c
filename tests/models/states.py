# SPDX-License-Identifier: Apache-2.0
"""The canonical value of a world: instants are counted from now, connections are in order."""


class States:
    """Part of World."""

    def ended(self):
        """Kinds of deadlock, if nothing will happen any more: who asks from now on never gets the lock."""
        if any(c.state not in ("done", "dead") for c in self.clients) or self.at_point():
            return ()
        if (any(k.to_host or k.to_client for k in self.conns.values())
                or self.pause is not None or self.down is not None):
            return ()
        return tuple(("deadlock-freedom", kind) for kind in self.plan.service.stuck(self))

    def drained(self, waiting, drain):
        """The worlds in which the server reads these connections in that order; those of one instant in any order."""
        if not waiting:
            w = self.copy()
            w.drain = drain
            yield w
        for n, (time, number) in enumerate(waiting):
            if time == waiting[0][0]:
                yield from self.drained(waiting[:n] + waiting[n + 1:], drain + (number,))

    def key(self):
        now, plan = self.now, self.plan
        index = {number: n for n, number in enumerate(sorted(
            self.conns, key=lambda number: (self.conns[number].client, self.conns[number].host, number)))}
        store = plan.service.key(self, index)
        return (now % plan.phases, tuple(self.client_key(i) for i in range(len(self.clients))),
                tuple(self.conn_key(n, index) for n in index), store, self.pause and self.pause - now,
                self.down and self.down - now, tuple(index.get(n) for n in self.drain),
                tuple((index.get(h[0]),) + h[1:] for h in self.held), self.offset,
                self.point and (self.point[0], index.get(self.point[1]), self.words(self.point[2:])), self.version,
                self.newest, self.grants, self.left,
                tuple((who, max(begin - now, 0), end - now) for who, begin, end in self.cuts if end > now),
                tuple((time - now, lasts) for time, lasts in self.outages),
                tuple((time - now, i, host) for time, i, host in self.breaks), self.suspended)

    def words(self, payload):
        """A payload with instants of wall clocks counted from now."""
        if not self.plan.lock.stamps or not isinstance(payload, tuple):
            return payload
        if len(payload) == 2 and payload[0] == "stamp":
            return "stamp", payload[1] - self.now // self.plan.grid
        return tuple(self.words(part) for part in payload)

    def quiet(self):
        """No message is under way and no call waits."""
        return (all(c.call is None for c in self.clients)
                and not any(k.to_host or k.to_client for k in self.conns.values()))

    def client_key(self, i):
        c = self.clients[i]
        now = self.now
        if c.state in ("done", "dead"):
            return c.state, c.round
        deadline = c.deadline
        if deadline is not None:
            deadline = max(deadline - (self.now // self.plan.grid if c.by_wall else now), -self.plan.past)
        return (c.state, c.round, c.fails, c.step, c.inside, c.grant, c.base, c.token, c.offset,
                self.asked_at(c), deadline, c.until and c.until - now,
                c.call and c.call[:3] + (c.call[3] and c.call[3] - now,), self.words(c.point),
                c.pause and c.pause - now,
                c.idle_since_start, self.words(c.extra),
                c.watchdog and tuple(t and t - now for t in c.watchdog), c.lost, c.told,
                c.memory and self.plan.lock.memory_key(self, c.memory))

    def asked_at(self, c):
        """The instant that the attempt or renewal under way remembers."""
        if c.time is None:
            return None
        if not self.plan.polled:
            return c.time - self.now // self.plan.grid
        return c.time - self.now if c.call or c.point or (c.watchdog and c.watchdog[1]) else None

    def conn_key(self, number, index):
        k = self.conns[number]
        now = self.now
        return (k.client, k.host, k.client_open, k.server_open, k.lose_request, k.lose_reply,
                tuple((m[0] - now, self.words(m[1])) + m[2:] for m in k.to_host),
                tuple((m[0] - now, self.words(m[1])) + m[2:] for m in k.to_client))
