# SPDX-License-Identifier: Apache-2.0
"""The world of a scenario, as docs/semantics says it: clients, connections, messages, one server, the resource.

Time counts steps of a grid. At each instant whatever is due happens in any order, and a client that wants the lock may
ask for it, or not; then time goes on, by one step as long as a client may still ask. A point is an event at which a
fault of the budget may strike; while a host stands at one, nothing else happens.
"""

from states import States
from strikes import Strikes

SERVER, RESOURCE = 0, 1
LOST = ("END", None, None)  # the connection is over: no reply
REFUSED = ("REFUSED", None, None)  # nobody listens: not sent


class Client:
    """One process with one worker."""

    def __init__(self, offset):
        self.state = "idle"  # idle, call, hold, done, dead
        self.point = None
        self.pause = None
        self.conn = [None, None]
        self.call = None  # (what for, position, host, deadline)
        self.token = self.time = self.deadline = None
        self.by_wall = False
        self.round = self.fails = self.step = 0
        self.until = self.base = None
        self.inside = False
        self.grant = None
        self.offset = offset
        self.idle_since_start = True
        self.extra = None  # what an attempt remembers; its fencing number in the end
        self.watchdog = self.memory = None  # of clients that poll, see polling.py
        self.lost = False
        self.told = ()

    def has_asked(self):
        return self.state != "idle" or not self.idle_since_start

    def copy(self):
        c = object.__new__(Client)
        c.__dict__ = self.__dict__.copy()
        c.conn = self.conn[:]
        return c


class Connection:
    """to_host: (arrival, payload, what for, of the call under way, how late its reply is); to_client: (arrival, reply,
    of the call)."""

    def __init__(self, client, host):
        self.client, self.host = client, host
        self.client_open = self.server_open = True
        self.lose_request = self.lose_reply = False
        self.to_host = self.to_client = ()

    def copy(self):
        k = object.__new__(Connection)
        k.__dict__ = self.__dict__.copy()
        return k

    def idle(self):
        return not self.to_host and not self.to_client


class World(Strikes, States):
    def __init__(self, plan):
        self.plan = plan
        self.now = 0
        self.clients = [Client(o) for o in plan.clocks]
        self.conns = {}
        self.last_conn = 0
        self.store = plan.service.initial(plan)
        self.pause = self.down = self.point = None
        self.drain = self.held = ()
        self.offset = 0
        self.version = self.newest = self.grants = 0
        self.left = tuple(f["most"] for f in plan.faults)
        self.cuts = self.outages = self.breaks = ()
        self.suspended = ()  # judgements on releases that wait for the end of an attempt
        self.violations = ()
        for i, _ in enumerate(self.clients):
            self.connect(i, SERVER)
            self.connect(i, RESOURCE)

    def copy(self):
        w = object.__new__(type(self))
        w.__dict__ = self.__dict__.copy()
        w.clients = [c.copy() for c in self.clients]
        w.conns = {k: c.copy() for k, c in self.conns.items()}
        w.violations = ()
        return w

    # ---- clocks

    def wall(self, i):
        return self.now // self.plan.grid + self.clients[i].offset

    def server_wall(self):
        return self.now // self.plan.grid + self.offset

    def deadline_comes(self, c):
        """The instant at which the grant's deadline comes, by its clock as it goes now."""
        if c.deadline is None:
            return None
        return (c.deadline - c.offset) * self.plan.grid if c.by_wall else c.deadline

    def entitled(self, c):
        return c.deadline is None or self.now < self.deadline_comes(c)

    def broken(self, *what):
        self.violations += (what,)

    # ---- messages

    def connect(self, i, host):
        self.last_conn += 1
        self.conns[self.last_conn] = Connection(i, host)
        self.clients[i].conn[host] = self.last_conn
        return self.last_conn

    def held_back(self, arrival, i, host):
        """When a message arrives, partitions considered."""
        again = True
        while again:
            again = False
            for cut, begin, end in self.cuts:
                if (i, host) in cut and begin <= arrival < end:
                    arrival, again = end, True
        return arrival

    def send(self, number, payload, what, latency, late=0, extra=0):
        k = self.conns[number]
        if k.lose_request or not k.server_open:
            return
        arrival = self.held_back(self.now + latency + extra, k.client, k.host)
        if k.to_host:
            arrival = max(arrival, k.to_host[-1][0])
        k.to_host += ((arrival, payload, what, True, late),)

    def answer(self, number, reply, current, latency):
        k = self.conns.get(number)
        if k is None or k.lose_reply or not k.client_open:
            return
        arrival = self.held_back(self.now + latency, k.client, k.host)
        if k.to_client:
            arrival = max(arrival, k.to_client[-1][0])
        k.to_client += ((arrival, reply, current),)

    def close(self, i, host):
        """The client ends its connection, and opens another one if it lives."""
        number = self.clients[i].conn[host]
        k = self.conns[number]
        k.client_open = False
        k.to_client = ()
        if host == SERVER and self.plan.service.minds_connections:
            self.send(number, ("CLOSE",), "close", self.plan.latency[0])
        self.tidy(number)
        if self.clients[i].state != "dead":
            self.connect(i, host)

    def end_at_server(self, number):
        """The server's end of a connection is over; the client learns of it."""
        k = self.conns[number]
        if not k.server_open:
            return
        k.server_open = False
        k.to_host = ()
        self.plan.service.closed(self, number)
        self.answer(number, LOST, True, self.plan.latency[0])
        self.tidy(number)

    def tidy(self, number):
        k = self.conns[number]
        if k.client_open or k.to_host:
            return
        if k.server_open and k.host == SERVER and self.plan.service.minds(self, number):
            return
        del self.conns[number]

    # ---- a client's steps

    def ask(self, i):
        c = self.clients[i]
        self.act(i, "attempt", self.plan.lock.attempt(self, i, 0, None))

    def act(self, i, what, action):
        c = self.clients[i]
        if action[0] == "call":
            self.call(i, what, action[2], SERVER, action[1])
        elif what == "attempt":
            self.attempted(i, action[0])
        else:
            self.released(i, action[0])

    def call(self, i, what, position, host, payload):
        c = self.clients[i]
        c.state = "call"
        c.call = (what, position, host, None)
        c.point = ("send", host, payload, 0, 0)  # … and how much later the request and its reply are

    def sent(self, latency, i, fresh):
        """The command leaves. fresh: the client connects now only, not from its start."""
        c = self.clients[i]
        _, host, payload, extra, late = c.point
        kind, c.point = c.point[0], None
        if fresh:
            old = c.conn[host]
            self.conns[old].client_open = False
            del self.conns[old]
            self.connect(i, host)
        if host == SERVER:
            c.idle_since_start = False
        if kind == "renew":
            what = "renew"
            c.watchdog = (c.watchdog[0], self.now + self.plan.timeout)
        else:
            what, position, _, _ = c.call
            c.call = (what, position, host, self.now + self.plan.timeout)
        self.send(c.conn[host], payload, what, latency, late, extra)

    def attempted(self, i, how):
        c = self.clients[i]
        self.settle_attempt(i, how == "granted")
        c.call = None
        if how != "granted":
            c.token = c.time = c.deadline = None
            c.by_wall = False
            if how == "failed" or self.plan.lock.refusal_writes:
                c.fails += 1
            c.state = "idle" if c.fails < self.plan.attempts else "done"
            return
        self.grants += 1
        c.grant = c.extra if self.plan.lock.fenced else self.grants
        c.extra = None
        c.fails = 0
        if self.plan.obeys and not self.entitled(c):
            self.release(i)
            return
        for other in self.clients:
            if other.inside:
                both = self.entitled(c) and self.entitled(other)
                self.broken("mutual-exclusion", "double-grant" if both else "outlived")
        c.inside = True
        c.step = 0
        c.base = None
        c.point = ("enter",)

    def next_step(self, i):
        c = self.clients[i]
        if c.step >= len(self.plan.work) or (self.plan.obeys and not self.entitled(c)):
            c.inside = False
            c.base = None
            c.until = None
            c.state = "exited"
            self.stop_watchdog(i)
            c.point = ("exit",)
            return
        step = self.plan.work[c.step]
        c.step += 1
        if step == "read":
            self.call(i, "read", 0, RESOURCE, ("READ", None, c.grant))
        elif step == "write":
            if c.base is None:
                self.next_step(i)
            else:
                self.call(i, "write", 0, RESOURCE, ("WRITE", c.base, c.grant))
        else:
            c.state = "hold"
            c.until = self.now + step

    def hold_ends(self, c):
        if not self.plan.obeys or c.deadline is None:
            return c.until
        return min(c.until, self.deadline_comes(c))

    def release(self, i):
        self.act(i, "release", self.plan.lock.release(self, i, 0, None))

    def released(self, i, how):
        c = self.clients[i]
        if how == "yes" and self.plan.service.owner(self) == i:
            self.broken("re-entrancy", "still-held")
        c.call = None
        c.token = c.time = c.deadline = c.grant = None
        c.by_wall = False
        c.step = 0
        c.round += 1
        c.state = "idle" if c.round < self.plan.rounds else "done"

    def answered(self, i, reply):
        """The reply, or its absence, is processed."""
        c = self.clients[i]
        what, position, _, _ = c.call
        c.call = None
        if what == "attempt":
            self.act(i, what, self.plan.lock.attempt(self, i, position, reply))
        elif what == "release":
            self.act(i, what, self.plan.lock.release(self, i, position, reply))
        else:
            c.base = None if reply in (LOST, REFUSED) else reply[1]
            self.next_step(i)

    def no_reply(self, i, reply=LOST):
        self.forget_call(i)
        self.answered(i, reply)

    def lose_calls(self, i, host):
        """The connection is over, and with it what waits on it."""
        c = self.clients[i]
        if c.call and c.call[2] == host and not c.point:
            self.no_reply(i)

    def timers_of(self, i):
        return ()

    def stop_watchdog(self, i):
        pass

    def receive_other(self, i, reply):
        raise NotImplementedError

    def forget_call(self, i):
        """Replies to what was asked are no longer awaited."""
        host = self.clients[i].call[2]
        of_it = {n for n, k in self.conns.items() if k.client == i and k.host == host}
        for number in of_it:
            k = self.conns[number]
            k.to_client = tuple((a, r, r == LOST) for a, r, _ in k.to_client)
            k.to_host = tuple(m[:3] + (False,) + m[4:] for m in k.to_host)
        self.held = tuple((n, r, cur and n not in of_it, late) for n, r, cur, late in self.held)

    # ---- owners

    def settle_attempt(self, i, granted):
        """The attempt has ended: who owns what it changed, and which releases took another's lock."""
        for k in self.conns.values():
            if k.client == i and k.host == SERVER and k.to_host:
                k.to_host = tuple((a, p, w, cur and w != "attempt", late) for a, p, w, cur, late in k.to_host)
        self.plan.service.settle(self, i, granted)
        rest = ()
        for by, chain in self.suspended:
            chain = settle_chain(chain, i, granted)
            if len(chain) > 1:
                rest += ((by, chain),)
            elif chain[0] is not None and chain[0] != by:
                self.broken("owner-release", "violated")
        self.suspended = rest

    def lock_changed_by_release(self, by, chain):
        """A release of this client has deleted or changed the lock's key."""
        if len(chain) > 1:
            self.suspended += ((by, chain),)
        elif chain[0] is not None and chain[0] != by:
            self.broken("owner-release", "violated")
        elif chain[0] == by and self.clients[by].inside:
            self.broken("re-entrancy", "freed-early")

    # ---- the resource

    def access(self, number, payload, current, latency):
        verb, base, grant = payload
        if grant < self.newest:
            self.broken("resource-safety", "violated")
        self.newest = max(self.newest, grant)
        if verb == "WRITE":
            if base != self.version:
                self.broken("resource-safety", "violated")
            self.version += 1
        self.answer(number, ("OK", self.version, None), current, latency)


def settle_chain(chain, i, granted):
    """chain: the owner that is known, then clients whose attempts changed the key and are under way."""
    if i not in chain[1:]:
        return chain
    place = max(n for n, who in enumerate(chain) if n and who == i)
    if granted:
        return (i,) + tuple(who for who in chain[place + 1:])
    return (chain[0],) + tuple(who for who in chain[1:] if who != i)
