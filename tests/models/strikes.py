# SPDX-License-Identifier: Apache-2.0
"""What can happen next in a world, and the faults of the budget."""

from events import NEVER, Events

SERVER, RESOURCE = 0, 1


class Strikes(Events):
    """Part of World: its successors."""

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
                asking = asking or after < NEVER or c.has_asked() or self.plan.waits_to_ask
                if i and self.plan.alike and not any(other.has_asked() for other in self.clients):
                    continue  # let the first of them be the first who asks
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
            i = next((i for i, c in enumerate(w.clients) if c.point and c.pause is None), None)
            if (i is None and w.point is None) or w.may_be_struck(i):
                out.append((w, 0))
                continue
            before = w.violations
            for there in w.pass_server() if i is None else w.pass_client(i):
                there.violations = before + there.violations
                worlds.append(there)
        return out

    def at_point(self):
        return self.point is not None or any(c.point and c.pause is None for c in self.clients)

    def may_be_struck(self, i):
        """At the point of this client, or of the server."""
        left = {(f["kind"], f["target"]) for _, f in self.entries(None)}
        if i is not None:
            if self.clients[i].point[0] == "over":
                return ("pause", "clients") in left
            sends = self.clients[i].point[0] in ("send", "renew")
            return any(target == "clients" and (sends or kind not in ("delay", "half-open")) for kind, target in left)
        if self.point[0] == "sent":
            return ("restart", "servers") in left
        return any(target == "servers" or kind == "break-connection" for kind, target in left)

    def strikes_left(self):
        return any(self.left) and sum(f["most"] for f in self.plan.faults) - sum(self.left) < self.plan.max_faults

    # ---- passing points

    def pass_client(self, i):
        c = self.clients[i]
        kind = c.point[0]
        if kind in ("send", "renew"):
            k = self.conns[c.conn[c.point[1]]]
            either = (False, True) if c.point[1] == SERVER and c.idle_since_start and not k.server_open \
                and self.plan.connects_late else (False,)
            if len(either) > 1 and self.plan.polled:
                either = (True,)  # it starts when it asks
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
        if kind == "renewed":
            w.renewed(i, reply)
        elif kind == "reply":
            w.answered(i, reply)
        elif kind in ("enter", "over"):
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
            if self.left[n] and target in (fault["target"], None):
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
            elif point[0] == "over":
                continue  # who stands still with the work done, and has not left
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
                    for who in self.cuts_of(self.link_of(i), [(i, SERVER), (i, RESOURCE)]):
                        w = self.spent(n)
                        w.cut(who, time)
                        yield w
            elif kind == "break-connection":
                for host in (SERVER, RESOURCE):
                    w = self.spent(n)
                    w.break_at_client(i, host)
                    yield w
                if point[0] in ("send", "renew"):
                    for later in self.while_a_call_waits():
                        w = self.spent(n)
                        w.breaks += ((w.now + later, i, point[1]),)
                        yield w
            elif point[0] in ("send", "renew"):
                yield from self.strike_message(n, i, fault)

    def strike_message(self, n, i, fault):
        where, host, payload, extra, late = self.clients[i].point
        if fault["kind"] == "delay":
            for by in fault["values"]:
                for request in fault["ways"]:
                    w = self.spent(n)
                    more = (by, 0) if request == "request" else (0, by)
                    w.clients[i].point = (where, host, payload, extra + more[0], late + more[1])
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
                    for who in self.cuts_of([(self.conns[number].client, SERVER)] if number in self.conns else [],
                                            [(i, SERVER) for i in range(len(self.clients))]):
                        w = self.spent(n)
                        w.cut(who, time)
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

    def while_a_call_waits(self):
        """How long after its command has left a connection breaks: at once, and later where it matters."""
        least, most = self.plan.latency
        return range(1, 2 * most) if most > least else (1,)

    def link_of(self, i):
        """Between whom the message goes at whose event the client stands."""
        c = self.clients[i]
        if c.point[0] in ("send", "renew"):
            return [(i, c.point[1])]
        if c.point[0] == "renewed":
            return [(i, SERVER)]
        return [(i, c.call[2])] if c.point[0] == "reply" else []

    def cuts_of(self, one, all_of_them):
        """Which (client, host) do not reach each other: those of the event's message, or the host and everybody."""
        return [(link,) for link in one] + ([tuple(all_of_them)] if self.plan.cuts_off_wholly else [])

    def crash(self, i):
        c = self.clients[i]
        self.settle_attempt(i, False)
        c.state = "dead"
        c.point = c.call = c.token = c.time = c.deadline = c.until = c.base = c.grant = c.pause = c.extra = None
        c.watchdog = c.memory = None
        c.inside = c.by_wall = False
        for host in (SERVER, RESOURCE):
            self.close(i, host)

    def break_at_client(self, i, host):
        """The client's end of its connection is over. A command that is about to leave goes over the next one."""
        c = self.clients[i]
        self.close(i, host)
        self.lose_calls(i, host)

    def cut(self, who, time):
        end = self.now + time
        self.cuts += ((who, self.now, end),)
        for k in self.conns.values():
            if (k.client, k.host) not in who:
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
