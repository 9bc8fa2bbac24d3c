# SPDX-License-Identifier: Apache-2.0
"""memcached, and locks on it. Its clock is a counter that an event of its own moves once a second.

After a pause its threads and that event go on in any order. Here a second is one unit.
"""

from redis import UNKNOWN, fresh_token
from service import Ticking, tick

SECOND = 1  # units


class Memcached(Ticking):
    def initial(self, plan):
        """The item, which is (value, its last tick, owner); the ticks so far; when the next one comes; whether it was
        kept back by a pause."""
        return None, 0, SECOND * plan.grid, False

    def next_tick(self, w):
        return w.store[2]

    def first(self, w):
        """A tick that no pause has kept back."""
        return tick if w.pause is None and w.down is None and w.store[2] == w.now and not w.store[3] else None

    def goes_on(self, w):
        w.store = w.store[:3] + (w.store[2] <= w.now,)

    def run(self, w, number, payload, what, current):
        verb, value, time = payload
        by = w.conns[number].client
        item, ticks = w.store[:2]
        if item and item[1] <= ticks:
            item = None
            self.put(w, None)
        if verb == "add":
            if item:
                return "NO", None, None
            self.put(w, (value, ticks + time // SECOND, by))
            return "YES", None, None
        if verb == "gets":
            return ("VALUE", item[0], None) if item else ("NIL", None, None)
        if not item or (verb == "cas" and item[0] != value):
            return "NO", None, None
        self.put(w, None)
        if what == "release":
            w.lock_changed_by_release(by, (item[2],))
        return "YES", None, None

    @staticmethod
    def put(w, item):
        w.store = (item,) + w.store[1:]

    def restart(self, w):
        w.store = None, 0, w.down + SECOND * w.plan.grid, False

    def evict(self, w):
        self.put(w, None)

    def owner(self, w):
        item, ticks = w.store[:2]
        return item[2] if item and item[1] > ticks else None

    def key(self, w, index):
        item, ticks, after, kept_back = w.store
        if item:
            item = (item[0], item[1] - ticks, item[2]) if item[1] > ticks else None
        return item, after - w.now, kept_back

    def token_of(self, w):
        return w.store[0] and w.store[0][0]

    def tick(self, w):
        """It counts the whole seconds since its start, also those in which it stood still."""
        item, ticks, after, _ = w.store
        second = SECOND * w.plan.grid
        passed = 1 + (w.now - after) // second
        w.store = item, ticks + passed, after + passed * second, False


class AddLock:
    fenced = refusal_writes = stamps = False

    def __init__(self, compares):
        self.compares = compares

    def attempt(self, w, i, position, reply):
        c = w.clients[i]
        if position == 0:
            c.token = fresh_token(w) if self.compares else "1"
            c.deadline = w.now + (w.plan.lease - (SECOND if self.compares else 0)) * w.plan.grid
            return "call", ("add", c.token, w.plan.lease), 1
        if reply in UNKNOWN:
            return ("failed",)
        return ("granted",) if reply[0] == "YES" else ("busy",)

    def release(self, w, i, position, reply):
        c = w.clients[i]
        if position == 0:
            return "call", ("gets" if self.compares else "delete", None, None), 1
        if reply in UNKNOWN:
            return ("error",)
        if position == 1 and self.compares:
            if reply[0] == "NIL" or reply[1] != c.token:
                return ("no",)
            return "call", ("cas", c.token, None), 2
        return ("yes",) if reply[0] == "YES" else ("no",)


LOCKS = {"memcached-add": (AddLock(False), Memcached()), "memcached-add-cas": (AddLock(True), Memcached())}
