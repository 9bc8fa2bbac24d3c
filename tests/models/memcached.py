# SPDX-License-Identifier: Apache-2.0
"""memcached, and locks on it. Its clock is a counter that an event of its own moves once a second.

After a pause its threads and that event go on in any order. Here a second is two units.
"""

from redis import UNKNOWN, fresh_token

SECOND = 2  # units


class Memcached:
    one_thread = False
    minds_connections = False

    def initial(self, plan):
        """The item, which is (value, its last tick, owner); the ticks so far; when the next one comes."""
        return None, 0, SECOND * plan.grid

    def timers(self, w):
        if w.pause is None and w.down is None and (w.plan.any_order or not w.has_waited()):
            yield w.store[2], tick

    def minds(self, w, number):
        return False

    def closed(self, w, number):
        pass

    def run(self, w, number, payload, what, current):
        verb, value, time = payload
        by = w.conns[number].client
        if w.store[2] == w.now:
            tick(w)  # a command at a tick comes after it
        item, ticks, after = w.store
        if item and item[1] <= ticks:
            item = None
            w.store = (None, ticks, after)
        if verb == "add":
            if item:
                return "NO", None, None
            w.store = ((value, ticks + time // SECOND, by), ticks, after)
            return "YES", None, None
        if verb == "gets":
            return ("VALUE", item[0], None) if item else ("NIL", None, None)
        if not item or (verb == "cas" and item[0] != value):
            return "NO", None, None
        w.store = (None, ticks, after)
        if what == "release":
            w.lock_changed_by_release(by, (item[2],))
        return "YES", None, None

    def restart(self, w):
        w.store = None, 0, w.down + SECOND * w.plan.grid

    def evict(self, w):
        w.store = (None,) + w.store[1:]

    def owner(self, w):
        item, ticks, _ = w.store
        return item[2] if item and item[1] > ticks else None

    def settle(self, w, i, granted):
        pass

    def stuck(self, w):
        return ()

    def key(self, w, index):
        item, ticks, after = w.store
        if item:
            item = (item[0], item[1] - ticks, item[2]) if item[1] > ticks else None
        return item, after - w.now

    def token_of(self, w):
        return w.store[0] and w.store[0][0]


def tick(w):
    """It counts the whole seconds since its start, also those in which it stood still."""
    item, ticks, after = w.store
    second = SECOND * w.plan.grid
    passed = 1 + (w.now - after) // second
    w.store = item, ticks + passed, after + passed * second


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
