# SPDX-License-Identifier: Apache-2.0
"""What a model of a server says of itself. A server that minds nothing of this leaves it as it is here."""


class Service:
    one_thread = False  # which reads its connections one after the other
    minds_connections = False  # which sees that a connection ends

    def timers(self, w):
        """Instants at which it does something by itself, each with what it does."""
        return ()

    def minds(self, w, number):
        """Whether it keeps something for this connection."""
        return False

    def closed(self, w, number):
        """The connection has ended."""

    def goes_on(self, w):
        """A pause has ended."""

    def first(self, w):
        """What it does before all else that is due now, if there is something."""

    def settle(self, w, i, granted):
        """A client's attempt has ended."""

    def stuck(self, w):
        """Kinds of deadlock, where nobody asks any more."""
        return ()


class Ticking(Service):
    """A server with a timer, which after a pause goes on before or after requests that waited."""

    def timers(self, w):
        if w.pause is None and w.down is None and (w.plan.any_order or not w.has_waited()):
            yield self.next_tick(w), tick


def tick(w):
    w.plan.service.tick(w)


class Coordinator(Ticking):
    """ZooKeeper or etcd. Store: (sessions or leases, nodes or keys in the order of their creation, …)."""

    def owner(self, w):
        return w.store[1][0][-1] if w.store[1] else None


class Session:
    """A client of these, whose memory begins with (session or lease, the instant until which it is good, …)."""

    fenced = True
    refusal_writes = stamps = False
    renews = kept = gone = None  # the request of a renewal, and how its answer begins
    forgets_when_lost = False

    def memory_key(self, w, memory):
        return memory[:1] + (memory[1] and max(memory[1] - w.now, -1),) + memory[2:]

    def time(self, w):
        return w.plan.lease * w.plan.grid

    def period(self, w, c):
        return self.time(w) // 3

    def heard(self, w, c):
        """The request that is answered was sent at the instant c.time."""
        c.memory = c.memory[:1] + (c.time + self.time(w),) + c.memory[2:]

    def forget(self, c):
        """There is no such session or lease any more."""
        c.memory = (None,) + c.memory[1:]

    def renewal(self, w, i):
        c = w.clients[i]
        c.time = w.now
        return self.renews, c.memory[0], None

    def renewed(self, w, i, reply):
        c = w.clients[i]
        if reply[0] == self.gone:
            if self.forgets_when_lost:
                self.forget(c)
            return "lost"
        if reply[0] == self.kept:
            self.heard(w, c)
            c.deadline = c.memory[1]
        return "goes on"
