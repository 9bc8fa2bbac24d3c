# SPDX-License-Identifier: Apache-2.0
"""What happens without anybody's choice: messages arrive, timers end, hosts go on."""

NEVER = float("inf")
SERVER, RESOURCE = 0, 1
LOST = ("END", None, None)
REFUSED = ("REFUSED", None, None)


class Events:
    """Part of World: what is due."""

    def due_events(self):
        due, after = [], NEVER
        now = self.now
        first = self.plan.service.first(self)
        if first:
            return [(first,)], now

        def at(time, *event):
            nonlocal after
            if time <= now:
                due.append(event)
            elif time < after:
                after = time

        if self.pause is not None:
            at(self.pause, wake_server)
        if self.down is not None:
            at(self.down, start_server)
        for time, lasts in self.outages:
            at(time, lose_server, lasts)
        for time, i, host in self.breaks:
            if self.clients[i].pause is None:
                at(time, break_connection, time, i, host)
        for time, fire in self.plan.service.timers(self):
            at(time, fire)
        for number, k in self.conns.items():
            if k.to_host and (k.host == RESOURCE or self.served(number)):
                at(k.to_host[0][0], deliver, number)
            if k.to_client and self.clients[k.client].pause is None:
                at(k.to_client[0][0], receive, number)
        for i, c in enumerate(self.clients):
            if c.pause is not None:
                at(c.pause, wake_client, i)
            elif c.state == "call" and not self.has_unseen(i):
                at(c.call[3], end_call, i)
            elif c.state == "hold":
                at(self.hold_ends(c), end_hold, i)
            if c.pause is None and not self.has_unseen(i):
                for time, event in self.timers_of(i):
                    at(time, event, i)
        return due, after

    def has_unseen(self, i):
        """Replies that came while the client stood still are seen before its timers."""
        return any(k.client == i and k.to_client and k.to_client[0][0] < self.now for k in self.conns.values())

    def has_waited(self):
        """Requests wait that came while the server stood still."""
        return any(k.host != RESOURCE and k.to_host and k.to_host[0][0] < self.now for k in self.conns.values())

    def served(self, number):
        """Whether the server may read this connection now."""
        if self.pause is not None:
            return False
        if not self.drain or number == self.drain[0]:
            return True
        return self.conns[number].to_host[0][0] == self.now and number not in self.drain

    def latencies(self):
        return range(self.plan.latency[0], self.plan.latency[1] + 1, self.plan.grid)


def wake_client(w, i):
    w.clients[i].pause = None


def wake_server(w):
    """Redis reads one connection after the other, first that on which a request has waited longest."""
    w.pause = None
    w.plan.service.goes_on(w)
    for number, reply, current, late in w.held:
        w.answer(number, reply, current, w.plan.latency[0] + late)
    w.held = ()
    if w.plan.any_order:
        return None
    waiting = sorted((k.to_host[0][0], n) for n, k in w.conns.items()
                     if k.host == SERVER and k.to_host and k.to_host[0][0] < w.now)
    return list(w.drained(waiting, ()))


def lose_server(w, lasts):
    w.outages = tuple(o for o in w.outages if o[0] > w.now)
    if w.down is None:
        w.pause = None
        w.go_down(lasts)


def break_connection(w, time, i, host):
    w.breaks = tuple(b for b in w.breaks if b != (time, i, host))
    if w.clients[i].state != "dead":
        w.break_at_client(i, host)


def start_server(w):
    w.down = None


def deliver(w, number):
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


def receive(w, number):
    k = w.conns[number]
    (_, reply, current), k.to_client = k.to_client[0], k.to_client[1:]
    i, host = k.client, k.host
    c = w.clients[i]
    asked = c.state == "call" and c.call[2] == host
    if reply == LOST:
        k.client_open = False
        w.tidy(number)
        w.connect(i, host)
        w.lose_calls(i, host)
    elif current and (len(reply) > 3 or reply[0] == "EVENT"):
        w.receive_other(i, reply)
    elif current and asked:
        if reply == REFUSED:
            w.answered(i, REFUSED)
        else:
            c.point = ("reply", reply)
    return None


def end_call(w, i):
    host = w.clients[i].call[2]
    if w.plan.reconnects:
        w.close(i, host)
        w.lose_calls(i, host)
    else:
        w.no_reply(i)


def end_hold(w, i):
    w.clients[i].until = None
    w.clients[i].point = ("over",)
