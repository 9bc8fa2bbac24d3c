# SPDX-License-Identifier: Apache-2.0
"""Redis, and locks on it: the lock's key has a value, an end by the server's wall clock, and owners."""

from service import Service
from world import LOST, REFUSED, settle_chain

UNKNOWN = (LOST, REFUSED)


class Redis(Service):
    one_thread = True

    def initial(self, plan):
        return None  # or (value, the last millisecond in which the key lives, owners)

    def live(self, w):
        if w.store is not None and w.store[1] is not None and w.server_wall() > w.store[1]:
            w.store = None
        return w.store

    def run(self, w, number, payload, what, current):
        verb, value, time = payload
        by = w.conns[number].client
        item = self.live(w)
        mine = (by,)
        if verb in ("SETNX", "SETPX"):
            if item:
                return "NO", None, None
            w.store = (value, None if verb == "SETNX" else w.server_wall() + time, mine)
            return "YES", None, None
        if verb == "GET":
            return ("VALUE", item[0], None) if item else ("NIL", None, None)
        if verb == "GETSET":
            pending = (by,) if current and what == "attempt" else ()
            w.store = (value, None, item[2] + pending if item else mine)
            return ("VALUE", item[0], None) if item else ("NIL", None, None)
        if verb == "EXPIRE":
            if item:
                w.store = (item[0], w.server_wall() + time, item[2])
            return ("YES" if item else "NO"), None, None
        if not item or (verb == "CAD" and item[0] != value):
            return "NO", None, None
        w.store = None
        if what == "release":
            w.lock_changed_by_release(by, item[2])
        return "YES", None, None

    def restart(self, w):
        if not w.plan.persistent:
            w.store = None

    def evict(self, w):
        w.store = None

    def owner(self, w):
        """The client that the key belongs to, if it is there by the server's clock."""
        if w.store is None or (w.store[1] is not None and w.server_wall() > w.store[1]):
            return None
        return w.store[2][0] if len(w.store[2]) == 1 else None

    def settle(self, w, i, granted):
        if w.store is not None and i in w.store[2][1:]:
            w.store = w.store[:2] + (settle_chain(w.store[2], i, granted),)

    def stuck(self, w):
        return ("orphaned",) if w.store and w.store[1] is None and w.plan.lock.waits_for_the_key else ()

    def token_of(self, w):
        return w.store[0]

    def key(self, w, index):
        item = w.store
        if item is None:
            return None
        over = item[1]
        if over is not None:
            over = over - w.server_wall()
            if over < -w.plan.past:
                return None
        value = w.words(item[0])
        if isinstance(value, tuple) and w.quiet():
            value = "stamp", max(value[1], -w.plan.past)  # only whether it is over matters now
        return value, over, item[2]


class TokenLock:
    """One command takes the lock, one gives it back. take: SETNX or SETPX; give: CAD (compare and delete) or DEL."""

    fenced = refusal_writes = stamps = False

    def __init__(self, take, give, own_token, deadline):
        self.take, self.give, self.own_token, self.deadline = take, give, own_token, deadline
        self.waits_for_the_key = True

    def attempt(self, w, i, position, reply):
        c = w.clients[i]
        if position == 0:
            c.token = fresh_token(w) if self.own_token else "1"
            if self.deadline:
                c.deadline = w.now + w.plan.lease * w.plan.grid
            return "call", (self.take, c.token, w.plan.lease), 1
        if reply in UNKNOWN:
            return ("failed",)
        return ("granted",) if reply[0] == "YES" else ("busy",)

    def release(self, w, i, position, reply):
        if position == 0:
            return "call", (self.give, w.clients[i].token, None), 1
        return ("error",) if reply in UNKNOWN else ("yes",) if reply[0] == "YES" else ("no",)


class GetThenDelete(TokenLock):
    """set-ex-get-del: it looks whose the key is, and then deletes it."""

    def release(self, w, i, position, reply):
        if position == 0:
            return "call", ("GET", None, None), 1
        if reply in UNKNOWN:
            return ("error",)
        if position == 1:
            if reply[1] != w.clients[i].token:
                return ("no",)
            return "call", ("DEL", None, None), 2
        return ("yes",) if reply[0] == "YES" else ("no",)


class SetnxExpire(TokenLock):
    """setnx-expire-del: the time to live comes with a second command."""

    def attempt(self, w, i, position, reply):
        c = w.clients[i]
        if position == 0:
            c.token = "1"
            return "call", ("SETNX", "1", None), 1
        if reply in UNKNOWN:
            return ("failed",)
        if position == 1:
            return ("call", ("EXPIRE", None, w.plan.lease), 2) if reply[0] == "YES" else ("busy",)
        return ("granted",)


class GetsetTimestamp:
    """getset-timestamp; with `again` it reads the clock once more, and its release does not look (note 004)."""

    fenced = False
    refusal_writes = stamps = True
    waits_for_the_key = False

    def __init__(self, again):
        self.again = again

    def attempt(self, w, i, position, reply):
        c = w.clients[i]
        if position == 0:
            c.time = w.wall(i)
            c.deadline = c.time + w.plan.lease
            c.by_wall = True
            c.token = None
            return "call", ("SETNX", ("stamp", c.deadline), None), 1
        mine = ("stamp", c.deadline)
        if position == 1:
            if reply in UNKNOWN:
                return self.over(c, "failed")
            if reply[0] == "YES":
                return self.over(c, "granted")
            return "call", ("GET", None, None), 2
        if position == 2:
            if reply in UNKNOWN:
                return self.over(c, "failed")
            if reply[0] == "NIL":
                return self.over(c, "busy")
            if not reply[1][1] < (w.wall(i) if self.again else c.time):
                return self.over(c, "busy")
            c.extra = reply[1]
            return "call", ("GETSET", mine, None), 3
        if reply in UNKNOWN:
            return self.over(c, "failed")
        return self.over(c, "granted" if reply[0] == "VALUE" and reply[1] == c.extra else "busy")

    @staticmethod
    def over(c, how):
        c.extra = c.time = None
        return (how,)

    def release(self, w, i, position, reply):
        c = w.clients[i]
        if position == 0:
            if not self.again and not c.deadline > w.wall(i):
                return ("skipped",)
            return "call", ("DEL", None, None), 1
        return ("error",) if reply in UNKNOWN else ("yes",) if reply[0] == "YES" else ("no",)


def fresh_token(w):
    """The least number that is no token anywhere."""
    live = {c.token for c in w.clients}
    for k in w.conns.values():
        live.update(m[1][1] for m in k.to_host)
        live.update(m[1][1] for m in k.to_client)
    live.update(h[1][1] for h in w.held)
    if w.store:
        live.add(w.plan.service.token_of(w))
    return next(n for n in range(1, 99) if n not in live)


_LOCKS = {
    "set-px-token": TokenLock("SETPX", "CAD", True, True),
    "set-px-thread-id": TokenLock("SETPX", "CAD", False, True),
    "set-ex-del": TokenLock("SETPX", "DEL", False, True),
    "setnx-del": TokenLock("SETNX", "DEL", False, False),
    "set-ex-get-del": GetThenDelete("SETPX", None, True, True),
    "setnx-expire-del": SetnxExpire("SETNX", "DEL", False, False),
    "getset-timestamp": GetsetTimestamp(False),
    "getset-timestamp-004": GetsetTimestamp(True),
}
LOCKS = {name: (lock, Redis()) for name, lock in _LOCKS.items()}
