# SPDX-License-Identifier: Apache-2.0
"""Clients that ask as the scenario is written, wait for news, and have a watchdog: for locks on ZooKeeper and etcd.

The watchdog is (when its next renewal is due, None) or (that, the deadline of the one under way).
"""

from events import LOST
from world import SERVER, World


class Polling(World):
    def __init__(self, plan):
        super().__init__(plan)
        for i, c in enumerate(self.clients):
            c.state, c.until = "retry", plan.starts[i] * plan.grid

    def timers_of(self, i):
        c = self.clients[i]
        if c.state == "retry":
            yield c.until, begin_attempt
        elif c.state == "news":
            yield c.until, end_wait
        if c.watchdog:
            yield (c.watchdog[1], end_renewal) if c.watchdog[1] else (c.watchdog[0], begin_renewal)

    def attempted(self, i, how):
        c = self.clients[i]
        if how != "granted":
            c.call = None
            c.fails += 1
            if c.fails >= self.plan.attempts:
                c.state = "done"
            elif how == "busy":
                self.act(i, "wait", self.plan.lock.wait(self, i, 0, None))
            else:
                self.rest(i)
            return
        c.lost = False
        super().attempted(i, how)
        if c.inside:
            c.watchdog = (self.now + self.plan.lock.period(self, c), None)

    def act(self, i, what, action):
        if what != "wait" or action[0] == "call":
            super().act(i, what, action)
        elif action[0] == "news":
            c = self.clients[i]
            c.call = None
            if action[1] in c.told:
                self.hear(i, action[1])
            else:
                c.extra = action[1]
                c.state, c.until = "news", self.now + self.plan.lock.period(self, c)
        elif action[0] == "again":
            self.again(i)
        else:
            self.rest(i)

    def answered(self, i, reply):
        c = self.clients[i]
        if c.call[0] == "wait":
            position, c.call = c.call[1], None
            self.act(i, "wait", self.plan.lock.wait(self, i, position, reply))
        else:
            super().answered(i, reply)

    def again(self, i):
        self.clients[i].until = self.clients[i].extra = None
        self.ask(i)

    def rest(self, i):
        c = self.clients[i]
        c.call = None
        c.state, c.until = "retry", self.now + self.plan.retry * self.plan.grid

    def entitled(self, c):
        return not c.lost and super().entitled(c)

    def stop_watchdog(self, i):
        self.clients[i].watchdog = None
        self.forget_renewal(i)

    def forget_renewal(self, i):
        for k in self.conns.values():
            if k.client == i:
                k.to_client = tuple((a, r, cur and len(r) == 3) for a, r, cur in k.to_client)
                k.to_host = tuple(m[:3] + (m[3] and m[2] != "renew",) + m[4:] for m in k.to_host)
        others = {n for n, k in self.conns.items() if k.client != i}
        self.held = tuple((n, r, cur and (len(r) == 3 or n in others), late) for n, r, cur, late in self.held)

    def released(self, i, how):
        c = self.clients[i]
        super().released(i, how)
        if c.state == "idle":
            c.state, c.until = "retry", self.now

    def tell(self, number, node):
        """A watch tells that its node has gone."""
        self.answer(number, ("EVENT", node, None), True, self.plan.latency[0])

    def receive_other(self, i, reply):
        """What is no answer to the worker's call."""
        c = self.clients[i]
        if reply[0] == "EVENT":
            c.told = tuple(sorted({*c.told, reply[1]}))
            if c.state == "news" and c.extra == reply[1]:
                self.hear(i, reply[1])
        elif c.watchdog and c.watchdog[1]:
            c.point = ("renewed", reply)

    def hear(self, i, node):
        c = self.clients[i]
        c.told = tuple(n for n in c.told if n != node)
        self.again(i)

    def renewed(self, i, reply):
        c = self.clients[i]
        if not c.watchdog or not c.watchdog[1]:
            return
        due = c.watchdog[0]
        if self.plan.lock.renewed(self, i, reply) == "lost":
            c.lost = True
            c.watchdog = None
        else:
            c.watchdog = (due + self.plan.lock.period(self, c), None)
        if reply == LOST:
            self.forget_renewal(i)

    def lose_calls(self, i, host):
        c = self.clients[i]
        if host == SERVER and c.watchdog and c.watchdog[1] and not (c.point and c.point[0] == "renewed"):
            self.renewed(i, LOST)
        super().lose_calls(i, host)


def begin_attempt(w, i):
    w.again(i)


def end_wait(w, i):
    w.again(i)


def begin_renewal(w, i):
    c = w.clients[i]
    c.point = ("renew", SERVER, w.plan.lock.renewal(w, i), 0, 0)


def end_renewal(w, i):
    if w.plan.reconnects:
        w.close(i, SERVER)
        w.lose_calls(i, SERVER)
    else:
        w.renewed(i, LOST)
