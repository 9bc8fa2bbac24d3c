# SPDX-License-Identifier: Apache-2.0
"""ZooKeeper, one server that stands alone, and zookeeper-queue.

The server has threads for its connections and one that ends sessions at ticks: after a pause these go on in any order.
"""

from redis import UNKNOWN
from service import Coordinator, Session

FORGOTTEN = ("ERROR", None, None)


class ZooKeeper(Coordinator):
    """Store: (sessions, nodes, how many nodes were made, watches, the next tick, the next session's number).

    sessions: (number, time-out, last heard, connection); nodes: (number, session, client); watches: (connection, node).
    """

    def initial(self, plan):
        return (), (), 0, (), self.period(plan), 1

    @staticmethod
    def period(plan):
        return plan.lease * plan.grid // 4

    def next_tick(self, w):
        return w.store[4]

    def closed(self, w, number):
        sessions, nodes, made, watches, tick, after = w.store
        w.store = sessions, nodes, made, tuple(x for x in watches if x[0] != number), tick, after

    def run(self, w, number, payload, what, current):
        by = w.conns[number].client
        sessions, nodes, made, watches, tick, after = w.store
        if payload[0] == "CONNECT":
            w.store = sessions + ((after, payload[2], w.now, number),), nodes, made, watches, tick, after + 1
            return "SESSION", after, None
        session = next((s for s in sessions if s[0] == payload[1]), None)
        tail = ("renew",) if what == "renew" else ()
        if session is None:
            return FORGOTTEN + tail
        before = session[3]
        sessions = tuple((s[0], s[1], w.now, number) if s is session else s for s in sessions)
        w.store = sessions, nodes, made, watches, tick, after
        if before is not None and before != number and before in w.conns:
            w.end_at_server(before)
        sessions, nodes, made, watches, tick, after = w.store
        if payload[0] == "PING":
            return ("OK", None, None) + tail
        if payload[0] == "CREATE":
            w.store = sessions, nodes + ((made, session[0], by),), made + 1, watches, tick, after
            return "OK", made, None
        if payload[0] == "CHILDREN":
            return "NODES", tuple((n, s) for n, s, _ in nodes), None
        if payload[0] == "EXISTS":
            there = any(n == payload[2] for n, _, _ in nodes)
            if there:
                w.store = sessions, nodes, made, watches + ((number, payload[2]),), tick, after
            return ("YES" if there else "NO"), None, None
        gone = [n for n in nodes if n[0] == payload[2]]
        first = nodes[0] if nodes else None
        self.delete(w, gone)
        if gone and gone[0] == first and what == "release":
            w.lock_changed_by_release(by, (first[2],))
        return ("YES" if gone else "NO"), None, None

    @staticmethod
    def delete(w, gone):
        sessions, nodes, made, watches, tick, after = w.store
        names = {n[0] for n in gone}
        for number, node in sorted(set(watches)):
            if node in names:
                w.tell(number, node)
        w.store = (sessions, tuple(n for n in nodes if n[0] not in names), made,
                   tuple(x for x in watches if x[1] not in names), tick, after)

    def restart(self, w):
        """All is on disk, and each session has its whole time again."""
        sessions, nodes, made, _, _, after = w.store
        w.store = (tuple((n, t, w.down, None) for n, t, _, _ in sessions), nodes, made, (), w.store[4], after)

    def key(self, w, index):
        sessions, nodes, made, watches, tick, after = w.store
        return (tuple((n, max(at - w.now, -t - 1), index.get(c)) for n, t, at, c in sessions), nodes, made,
                tuple(sorted((index[c], n) for c, n in set(watches) if c in index)), tick - w.now, after)

    def tick(self, w):
        """The first tick that is later than a session's time-out after its last request ends it."""
        sessions, nodes, made, watches, tick, after = w.store
        period = self.period(w.plan)
        last = tick + (w.now - tick) // period * period
        over = [s for s in sessions if last > s[2] + s[1]]
        w.store = tuple(s for s in sessions if s not in over), nodes, made, watches, last + period, after
        numbers = {s[0] for s in over}
        with_nodes = {n[1] for n in nodes}
        self.delete(w, [n for n in nodes if n[1] in numbers])
        for session in over:
            if session[0] in with_nodes and session[3] in w.conns:
                w.end_at_server(session[3])


class Queue(Session):
    """memory: (session, good until, made, own node, node before it)."""

    renews, kept, gone = "PING", "OK", "ERROR"
    forgets_when_lost = True

    def attempt(self, w, i, position, reply):
        c = w.clients[i]
        if c.memory is None:
            c.memory = (None, None, False, None, None)
        session, good, made, node, before = c.memory
        if position == 0:
            c.time = w.now
            if session is None or not w.now < good:
                return "call", ("CONNECT", None, w.plan.lease * w.plan.grid), 1
            return self.make(w, c)
        if reply in UNKNOWN:
            return ("failed",)
        if position == 1:
            c.memory = (reply[1], None, False, None, before)
            self.heard(w, c)
            return self.make(w, c)
        if reply[0] == "ERROR":
            self.forget(c)
            return ("failed",)
        if position == 2:
            return self.look(w, c)
        self.heard(w, c)
        names = sorted(reply[1])
        mine = [n for n, s in names if s == session]
        node = mine[0] if mine else None
        lower = [n for n, _ in names if mine and n < node]
        before = lower[-1] if lower else None
        c.memory = (session, c.memory[1], node is not None, node, before)
        if node is None or before is not None:
            return ("busy",)
        c.token, c.deadline, c.extra = node, c.memory[1], node
        return ("granted",)

    def make(self, w, c):
        session, good, made, node, before = c.memory
        if made:
            return self.look(w, c)
        c.memory = (session, good, True, node, before)
        return "call", ("CREATE", session, None), 2

    def look(self, w, c):
        c.time = w.now
        return "call", ("CHILDREN", c.memory[0], None), 3

    def wait(self, w, i, position, reply):
        c = w.clients[i]
        session, good, made, node, before = c.memory
        if position == 0:
            if before is None:
                return ("retry",)
            return "call", ("EXISTS", session, before), 1
        if reply in UNKNOWN:
            return ("retry",)
        if reply[0] == "ERROR":
            self.forget(c)
            return ("retry",)
        return ("news", before) if reply[0] == "YES" else ("again",)

    def release(self, w, i, position, reply):
        c = w.clients[i]
        if position == 0:
            return "call", ("DELETE", c.memory[0], c.token), 1
        if reply in UNKNOWN:
            return ("error",)
        if reply[0] == "ERROR":
            self.forget(c)
            c.memory = c.memory[:2] + (False,) + c.memory[3:]
            return ("no",)
        c.memory = c.memory[:2] + (False,) + c.memory[3:]
        return ("yes",) if reply[0] == "YES" else ("no",)


LOCKS = {"zookeeper-queue": (Queue(), ZooKeeper())}
