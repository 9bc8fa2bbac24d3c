# SPDX-License-Identifier: Apache-2.0
"""What can happen next in a world, and the faults of the budget."""

NEVER = float("inf")
SERVER, RESOURCE = 0, 1
LOST = ("END", None, None)
REFUSED = ("REFUSED", None, None)


class Strikes:
    """Part of World: its successors."""

    __slots__ = ()

    def successors(self):
        for i, c in enumerate(self.clients):
            if c.point and c.pause is None:
                return self.settled(self.pass_client(i)) + [(w, 1) for w in self.strike_client(i)]
        if self.point:
            return self.settled(self.pass_server()) + [(w, 1) for w in self.strike_server()]
        due, after = self.due_events()
        out = []
        for event in due:
            w = self.copy()
            for there in event[0](w, *event[1:]) or (w,):
                out.append(there)
        asking = False
        for i, c in enumerate(self.clients):
            if c.state == "idle" and c.pause is None:
                asking = True
                w = self.copy()
                w.ask(i)
                out.append(w)
        if not due and (asking or after < NEVER):
            w = self.copy()
            w.now = self.now + 1 if asking else after
            out.append(w)
        return self.settled(out)

    def settled(self, worlds):
        """The same, past points at which no fault can strike."""
        out = []
        while worlds:
            w = worlds.pop()
            if w.strikes_left() or not w.at_point():
                out.append((w, 0))
                continue
            before = w.violations
            i = next((i for i, c in enumerate(w.clients) if c.point and c.pause is None), None)
            for there in w.pass_server() if i is None else w.pass_client(i):
                there.violations = before + there.violations
                worlds.append(there)
        return out

    def at_point(self):
        return self.point is not None or any(c.point and c.pause is None for c in self.clients)

    def strikes_left(self):
        return any(self.left) and sum(f["most"] for f in self.plan.faults) - sum(self.left) < self.plan.max_faults

    # ---- what is due

    def due_events(self):
        due, after = [], NEVER
        now = self.now

        def at(time, *event):
            nonlocal after
            if time <= now:
                due.append(event)
            elif time < after:
                after = time

        if self.pause is not None:
            at(self.pause, World_wake_server)
        if self.down is not None:
            at(self.down, World_up)
        for time, lasts in self.outages:
            at(time, World_goes_down, lasts)
        for time, fire in self.plan.service.timers(self):
            at(time, fire)
        for number, k in self.conns.items():
            if k.to_host and (k.host == RESOURCE or self.served(number)):
                at(k.to_host[0][0], World_deliver, number)
            if k.to_client and self.clients[k.client].pause is None:
                at(k.to_client[0][0], World_receive, number)
        for i, c in enumerate(self.clients):
            if c.pause is not None:
                at(c.pause, World_wake_client, i)
            elif c.state == "call" and not self.has_unseen(i):
                at(c.call[3], World_time_out, i)
            elif c.state == "hold":
                at(self.hold_ends(c), World_hold_over, i)
            if c.pause is None and c.state not in ("dead", "done"):
                for time, event in self.plan.lock.timers(self, i):
                    at(time, event, i)
        return due, after

    def has_unseen(self, i):
        """Replies that came while the client stood still are seen before its timers."""
        return any(k.client == i and k.to_client and k.to_client[0][0] < self.now for k in self.conns.values())

    def served(self, number):
        """Whether the server may read this connection now."""
        if self.pause is not None:
            return False
        if not self.drain or number == self.drain[0]:
            return True
        return self.conns[number].to_host[0][0] == self.now and number not in self.drain

    def latencies(self):
        return range(self.plan.latency[0], self.plan.latency[1] + 1, self.plan.grid)

    # ---- passing points

    def pass_client(self, i):
        c = self.clients[i]
        kind = c.point[0]
        if kind == "send":
            k = self.conns[c.conn[c.point[1]]]
            either = (False, True) if c.point[1] == SERVER and c.idle_since_start and not k.server_open \
                and self.plan.connects_late else (False,)
            out = []
            for latency in self.latencies():
                for fresh in either:
                    w = self.copy()
                    w.sent(latency, i, fresh)
                    out.append(w)
            return out
        w = self.copy()
        c = w.clients[i]
        reply = c.point[-1]
        c.point = None
        if kind == "reply":
            w.answered(i, reply)
        elif kind == "enter":
            w.next_step(i)
        else:
            w.release(i)
        return [w]

    def pass_server(self):
        kind, number = self.point[:2]
        if kind == "before":
            w = self.copy()
            _, _, payload, what, current, late = self.point
            reply = w.plan.service.run(w, number, payload, what, current)
            w.point = ("after", number, reply, current, late) if reply else None
            return [w]
        if kind == "after":
            out = []
            for latency in self.latencies():
                w = self.copy()
                _, _, reply, current, late = self.point
                w.answer(number, reply, current, latency + late)
                w.point = ("sent", number)
                out.append(w)
            return out
        w = self.copy()
        w.point = None
        if number in w.conns:
            w.tidy(number)
        return [w]

    # ---- faults

    def spent(self, entry):
        w = self.copy()
        w.left = self.left[:entry] + (self.left[entry] - 1,) + self.left[entry + 1:]
        return w

    def entries(self, target):
        if not self.strikes_left():
            return
        for n, fault in enumerate(self.plan.faults):
            if self.left[n] and fault["target"] in (target, None):
                yield n, fault

    def strike_client(self, i):
        point = self.clients[i].point
        for n, fault in self.entries("clients"):
            kind = fault["kind"]
            if kind == "pause":
                for time in fault["values"]:
                    w = self.spent(n)
                    w.clients[i].pause = w.now + time
                    yield w
            elif kind == "crash":
                w = self.spent(n)
                w.crash(i)
                yield w
            elif kind == "clock-jump":
                for by in fault["values"]:
                    w = self.spent(n)
                    w.clients[i].offset += by
                    yield w
            elif kind == "partition":
                for time in fault["values"]:
                    w = self.spent(n)
                    w.cut(("client", i), time)
                    yield w
            elif kind == "break-connection":
                for host in (SERVER, RESOURCE):
                    w = self.spent(n)
                    w.break_at_client(i, host)
                    yield w
            elif point[0] == "send":
                yield from self.strike_message(n, i, fault)

    def strike_message(self, n, i, fault):
        _, host, payload, extra, late = self.clients[i].point
        if fault["kind"] == "delay":
            for by in fault["values"]:
                for request in fault["ways"]:
                    w = self.spent(n)
                    more = (by, 0) if request == "request" else (0, by)
                    w.clients[i].point = ("send", host, payload, extra + more[0], late + more[1])
                    yield w
        elif fault["kind"] == "half-open":
            for lost in fault["ways"]:
                w = self.spent(n)
                k = w.conns[w.clients[i].conn[host]]
                if lost == "request":
                    k.lose_request = True
                else:
                    k.lose_reply = True
                yield w

    def strike_server(self):
        kind_of_point, number = self.point[:2]
        for n, fault in self.entries("servers"):
            kind = fault["kind"]
            if kind == "restart":
                for time in fault["values"]:
                    w = self.spent(n)
                    if kind_of_point == "sent":  # the reply is on its way
                        w.outages += ((w.now + 1, time),)
                    else:
                        w.go_down(time)
                    yield w
            elif kind_of_point == "sent":
                continue
            elif kind == "pause":
                for time in fault["values"]:
                    w = self.spent(n)
                    w.pause_server(time)
                    yield w
            elif kind == "clock-jump":
                for by in fault["values"]:
                    w = self.spent(n)
                    w.offset += by
                    yield w
            elif kind == "partition":
                for time in fault["values"]:
                    w = self.spent(n)
                    w.cut(("server", SERVER), time)
                    yield w
            elif kind in ("evict", "flush"):
                w = self.spent(n)
                w.plan.service.evict(w)
                yield w
        if kind_of_point != "sent":
            for n, fault in self.entries("clients"):
                if fault["kind"] == "break-connection":
                    w = self.spent(n)
                    w.point = None
                    i = w.conns[number].client
                    for other, k in list(w.conns.items()):
                        if k.client == i and k.host == SERVER:
                            w.end_at_server(other)
                    yield w

    def crash(self, i):
        c = self.clients[i]
        self.settle_attempt(i, False)
        c.state = "dead"
        c.point = c.call = c.token = c.time = c.deadline = c.until = c.base = c.grant = c.pause = c.extra = None
        c.inside = c.by_wall = False
        for host in (SERVER, RESOURCE):
            self.close(i, host)

    def break_at_client(self, i, host):
        """The client's end of its connection is over. A command that is about to leave goes over the next one."""
        c = self.clients[i]
        self.close(i, host)
        if c.point and c.point[0] == "reply" and c.call and c.call[2] == host:
            return  # the reply has arrived
        if c.call and c.call[2] == host and not c.point:
            self.no_reply(i)

    def cut(self, who, time):
        end = self.now + time
        self.cuts += ((who, self.now, end),)
        for k in self.conns.values():
            if who not in (("client", k.client), ("server", k.host)):
                continue
            k.to_host = tuple((self.held_back(m[0], k.client, k.host),) + m[1:] if m[0] >= self.now else m
                              for m in k.to_host)
            k.to_client = tuple((self.held_back(m[0], k.client, k.host),) + m[1:] if m[0] >= self.now else m
                                for m in k.to_client)

    def pause_server(self, time):
        self.pause = self.now + time
        self.drain = ()
        kind, number = self.point[:2]
        if kind == "before":
            k = self.conns[number]
            k.to_host = ((self.now,) + self.point[2:],) + k.to_host
        else:
            self.held += (self.point[1:],)
        self.point = None

    def go_down(self, time):
        self.down = self.now + time
        self.point = None
        self.held = self.drain = ()
        for number, k in list(self.conns.items()):
            if k.host == SERVER:
                self.end_at_server(number)
        self.plan.service.restart(self)


def World_wake_client(w, i):
    w.clients[i].pause = None


def World_wake_server(w):
    """Redis reads one connection after the other, first that on which a request has waited longest."""
    w.pause = None
    for number, reply, current, late in w.held:
        w.answer(number, reply, current, w.plan.latency[0] + late)
    w.held = ()
    if w.plan.any_order:
        return None
    waiting = sorted((k.to_host[0][0], n) for n, k in w.conns.items()
                     if k.host == SERVER and k.to_host and k.to_host[0][0] < w.now)
    return list(w.drained(waiting, ()))


def World_goes_down(w, lasts):
    w.outages = tuple(o for o in w.outages if o[0] > w.now)
    if w.down is None:
        w.pause = None
        w.go_down(lasts)


def World_up(w):
    w.down = None


def World_deliver(w, number):
    k = w.conns[number]
    (_, payload, what, current, late), k.to_host = k.to_host[0], k.to_host[1:]
    if w.drain and number == w.drain[0] and not (k.to_host and k.to_host[0][0] <= w.now):
        w.drain = w.drain[1:]
    if k.host == RESOURCE:
        out = []
        for latency in w.latencies():
            there = w.copy()
            there.access(number, payload, current, latency + late)
            there.tidy(number)
            out.append(there)
        return out
    if payload[0] == "CLOSE":
        k.server_open = False
        w.plan.service.closed(w, number)
        w.tidy(number)
    elif w.down is not None:
        w.answer(number, REFUSED, current, w.plan.latency[0])
        w.tidy(number)
    else:
        w.point = ("before", number, payload, what, current, late)
    return None


def World_receive(w, number):
    k = w.conns[number]
    (_, reply, current), k.to_client = k.to_client[0], k.to_client[1:]
    i, host = k.client, k.host
    c = w.clients[i]
    asked = c.state == "call" and c.call[2] == host
    if reply == LOST:
        k.client_open = False
        w.tidy(number)
        w.connect(i, host)
        if asked:
            w.no_reply(i)
    elif current and asked:
        if reply == REFUSED:
            w.answered(i, REFUSED)
        else:
            c.point = ("reply", reply)
    return None


def World_time_out(w, i):
    host = w.clients[i].call[2]
    if w.plan.reconnects:
        w.close(i, host)
    w.no_reply(i)


def World_hold_over(w, i):
    w.clients[i].until = None
    w.next_step(i)
