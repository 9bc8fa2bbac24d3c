# SPDX-License-Identifier: Apache-2.0
"""etcd, one server, and etcd-key and etcd-mutex. A second is eight units.

The server answers requests side by side, and looks twice a second for leases that are over: after a pause these
go on in any order.
"""

from redis import UNKNOWN
from service import Coordinator, Session

SECOND = 8
ERROR = ("ERROR", None, None)


class Etcd(Coordinator):
    """Store: (leases, keys, the revision, watches, the next scan, the next lease's number, keep-alives that wait).

    leases: (number, time, over at); keys: (created, name, lease, client); watches: (connection, name).
    """

    def initial(self, plan):
        return (), (), 1, (), self.half(plan), 1, ()

    @staticmethod
    def half(plan):
        return SECOND * plan.grid // 2

    def next_tick(self, w):
        return w.store[4]

    def closed(self, w, number):
        w.store = w.store[:3] + (tuple(x for x in w.store[3] if x[0] != number),) + w.store[4:]

    def run(self, w, number, payload, what, current):
        by = w.conns[number].client
        verb, name, more = payload
        leases, keys, revision, watches, at, after, waiting = w.store
        tail = ("renew",) if what == "renew" else ()
        if verb == "GRANT":
            w.store = leases + ((after, more, w.now + more),), keys, revision, watches, at, after + 1, waiting
            return "LEASE", after, None
        if verb == "KEEP":
            lease = next((x for x in leases if x[0] == name), None)
            if lease and lease[2] <= w.now:
                w.store = leases, keys, revision, watches, at, after, waiting + ((number, name, current, tail),)
                return None
            if lease:
                leases = tuple((n, t, w.now + t) if n == name else (n, t, o) for n, t, o in leases)
                w.store = leases, keys, revision, watches, at, after, waiting
            return ("KEPT" if lease else "GONE", None, None) + tail
        if verb == "PUT":
            return self.put(w, by, name, more)
        if verb == "BEFORE":
            found = [k for k in keys if k[0] < more]
            return ("FOUND", found[-1][1], revision) if found else ("NIL", None, None)
        if verb == "GET":
            return ("FOUND" if any(k[1] == name for k in keys) else "NIL"), None, None
        if verb == "WATCH":
            if any(k[1] == name for k in keys):
                w.store = leases, keys, revision, watches + ((number, name),), at, after, waiting
            else:
                w.tell(number, name)  # it was there at the revision, and has gone since
            return "YES", None, None
        if verb == "REVOKE":
            if not any(x[0] == name for x in leases):
                return ERROR
            gone = [k for k in keys if k[2] == name]
            w.store = tuple(x for x in leases if x[0] != name), keys, revision, watches, at, after, waiting
        else:
            gone = [k for k in keys if k[1] == name]
        self.delete(w, gone)
        if what == "release" and keys and keys[0] in gone:
            w.lock_changed_by_release(by, (keys[0][3],))
        return ("YES" if gone or verb == "REVOKE" else "NO"), None, None

    @staticmethod
    def put(w, by, name, lease):
        leases, keys, revision, watches, at, after, waiting = w.store
        if not any(x[0] == lease for x in leases):
            return ERROR
        there = next((k for k in keys if k[1] == name), None)
        if there is None:
            revision += 1
            keys += ((revision, name, lease, by),)
            w.store = leases, keys, revision, watches, at, after, waiting
        created = there[0] if there else revision
        return "PUT", (there is None, created, keys[0][0]), revision

    @staticmethod
    def delete(w, gone):
        leases, keys, revision, watches, at, after, waiting = w.store
        names = {k[1] for k in gone}
        for number, name in sorted(set(watches), key=str):
            if name in names:
                w.tell(number, name)
        w.store = (leases, tuple(k for k in keys if k[1] not in names), revision + (1 if gone else 0),
                   tuple(x for x in watches if x[1] not in names), at, after, waiting)

    def restart(self, w):
        """All is on disk; each lease has its whole time again, and that of an election."""
        leases, keys, revision, _, at, after, _ = w.store
        leases = tuple((n, t, w.down + t + SECOND * w.plan.grid) for n, t, _ in leases)
        w.store = leases, keys, revision, (), at, after, ()

    def key(self, w, index):
        leases, keys, revision, watches, at, after, waiting = w.store
        return (tuple((n, t, max(o - w.now, 0)) for n, t, o in leases), keys, revision,
                tuple(sorted(((index[c], str(n)) for c, n in set(watches) if c in index))), at - w.now, after,
                tuple((index.get(x[0]),) + x[1:] for x in waiting))

    def tick(self, w):
        """Leases whose time was over before now end, and with them their keys, each lease in one change."""
        half = self.half(w.plan)
        leases, keys, revision, watches, at, after, waiting = w.store
        over = [x[0] for x in leases if x[2] < w.now]
        at += (1 + (w.now - at) // half) * half
        w.store = (tuple(x for x in leases if x[0] not in over), keys, revision, watches, at, after,
                   tuple(x for x in waiting if x[1] not in over))
        for lease in over:
            self.delete(w, [k for k in keys if k[2] == lease])
        for number, lease, current, tail in waiting:
            if lease in over:
                w.answer(number, ("GONE", None, None) + tail, current, w.plan.latency[0])


class ClientOfEtcd(Session):
    """memory: (lease, good until, revision of its own key, key before it, the revision at which that was there)."""

    renews, kept, gone = "KEEP", "KEPT", "GONE"

    def granted(self, c, key, created):
        c.token, c.deadline, c.extra = key, c.memory[1], created
        return ("granted",)

    def open(self, w, c, position, reply):
        """Positions 0 to 2; None: there is a lease now."""
        if position == 0:
            c.time = w.now
            if c.memory[0] is not None:
                return "call", ("KEEP", c.memory[0], None), 1
            return "call", ("GRANT", None, self.time(w)), 2
        if position == 1:
            if reply[0] == "KEPT":
                self.heard(w, c)
                return None
            c.time = w.now
            return "call", ("GRANT", None, self.time(w)), 2
        c.memory = (reply[1],) + c.memory[1:]
        self.heard(w, c)
        return None

    def watch(self, w, i, position, reply, key):
        c = w.clients[i]
        if position == 0:
            if key is None:
                return ("retry",)
            return "call", ("WATCH", key, c.memory[4]), 1
        return ("retry",) if reply in UNKNOWN else ("news", key)


class Key(ClientOfEtcd):
    def attempt(self, w, i, position, reply):
        c = w.clients[i]
        if c.memory is None:
            c.memory = (None, None, None, None, None)
        if position and reply in UNKNOWN:
            return ("failed",)
        if position < 3:
            action = self.open(w, c, position, reply)
            return action or ("call", ("PUT", "lock", c.memory[0]), 3)
        if reply[0] == "ERROR":
            self.forget(c)
            return ("failed",)
        done, created, _ = reply[1]
        c.memory = c.memory[:4] + (reply[2],)
        return self.granted(c, "lock", created) if done else ("busy",)

    def wait(self, w, i, position, reply):
        return self.watch(w, i, position, reply, "lock")

    def release(self, w, i, position, reply):
        c = w.clients[i]
        if position == 0:
            return "call", ("REVOKE", c.memory[0], None), 1
        if reply in UNKNOWN:
            return ("error",)
        self.forget(c)
        return ("no",) if reply[0] == "ERROR" else ("yes",)


class Mutex(ClientOfEtcd):
    def __init__(self, looks_at_own_key):
        self.looks_at_own_key = looks_at_own_key

    def attempt(self, w, i, position, reply):
        c = w.clients[i]
        if c.memory is None:
            c.memory = (None, None, None, None, None)
        lease, _, created, _, _ = c.memory
        if position and reply in UNKNOWN:
            return ("failed",)
        if position == 0 and created is not None:
            c.time = w.now
            return "call", ("KEEP", lease, None), 7
        if position == 7:
            if reply[0] == "KEPT":
                self.heard(w, c)
            return "call", ("BEFORE", None, created), 4
        if position < 3:
            action = self.open(w, c, position, reply)
            return action or ("call", ("PUT", c.memory[0], c.memory[0]), 3)
        if position == 3:
            if reply[0] == "ERROR":
                self.forget(c)
                return ("failed",)
            _, created, first = reply[1]
            c.memory = c.memory[:2] + (created,) + c.memory[3:]
            return self.granted(c, lease, created) if first == created else ("call", ("BEFORE", None, created), 4)
        if position == 4:
            found = reply[0] == "FOUND"
            c.memory = c.memory[:3] + ((reply[1], reply[2]) if found else (None, 0))
            if found:
                return ("busy",)
            return ("call", ("GET", lease, None), 5) if self.looks_at_own_key else self.granted(c, lease, created)
        if reply[0] == "NIL":
            c.memory = (None, c.memory[1], None) + c.memory[3:]
            return ("failed",)
        return self.granted(c, lease, created)

    def wait(self, w, i, position, reply):
        return self.watch(w, i, position, reply, w.clients[i].memory[3])

    def release(self, w, i, position, reply):
        c = w.clients[i]
        if position == 0:
            c.memory = c.memory[:2] + (None,) + c.memory[3:]
            return "call", ("DELETE", c.token, None), 1
        return ("error",) if reply in UNKNOWN else ("yes",) if reply[0] == "YES" else ("no",)


LOCKS = {"etcd-key": (Key(), Etcd()), "etcd-mutex": (Mutex(True), Etcd()), "etcd-mutex-3-4-3": (Mutex(False), Etcd())}
