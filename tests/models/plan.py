# SPDX-License-Identifier: Apache-2.0
"""A small scenario, as numbers for the model and as TOML for lockproof. Times are units of `unit` microseconds."""

UNITS = {"ms": 1000}


class Plan:
    """What both sides are given. Times of the model are steps of its grid, `grid` of them in a unit."""

    def __init__(self, name, lock, service, **numbers):
        self.name, self.lock, self.service = name, lock, service
        self.clients = numbers.get("clients", 2)
        self.unit = numbers.get("unit", 1000)
        self.grid = numbers.get("grid", self.clients)
        self.rounds = numbers.get("rounds", 1)
        self.attempts = numbers.get("attempts", 1)
        self.lease = numbers["lease"]
        self.in_units = dict(latency=numbers.get("latency", (1, 1)), timeout=numbers["timeout"], work=numbers["work"])
        self.latency = tuple(t * self.grid for t in self.in_units["latency"])
        self.timeout = numbers["timeout"] * self.grid
        self.work = [step if isinstance(step, str) else step * self.grid for step in numbers["work"]]
        self.obeys = numbers.get("obeys", False)
        self.reconnects = numbers.get("reconnects", True)
        self.persistent = numbers.get("persistent", False)
        self.clocks = numbers.get("clocks", (0,) * self.clients)
        self.alike = len(set(self.clocks)) == 1
        self.starts = numbers.get("starts")  # of clients that ask as it is written
        self.polled = self.starts is not None
        self.retry = numbers.get("retry")
        self.connects_late = True  # or a client is connected from its start
        self.waits_to_ask = True  # the first ask may come when nothing is due: a known gap of the search
        self.any_order = not service.one_thread  # in which a server that goes on reads its connections
        self.cuts_off_wholly = True  # a partition is from all other hosts, or from one of them
        self.max_faults = numbers.get("max_faults", 1)
        self.budget = numbers.get("budget", [])
        self.faults = [dict(f, values=[v if f["kind"] == "clock-jump" else v * self.grid for v in f.get("values", ())])
                       for f in self.budget]
        self.phases = numbers.get("phases", 1) * self.grid
        jumps = [abs(v) for f in self.budget if f["kind"] == "clock-jump" for v in f["values"]]
        self.past = 2 + max(jumps, default=0) * self.max_faults + max(map(abs, self.clocks))

    def time(self, units):
        return f'"{units * self.unit}us"'

    def toml(self):
        steps = [f'"hold {s * self.unit}us"' if not isinstance(s, str) else f'"{s}"' for s in self.in_units["work"]]
        latency = ", ".join(self.time(t) for t in self.in_units["latency"])
        lines = ["[algorithm]", f'name = "{self.name}"', "[workload]", f"clients = {self.clients}",
                 f"rounds = {self.rounds}", f"lease = {self.time(self.lease)}", f"work = [{', '.join(steps)}]",
                 f'stop_on = "{"deadline" if self.obeys else "nothing"}"']
        if self.polled:
            lines.append(f"retry = {self.time(self.retry)}")
        for i, offset in enumerate(self.clocks):
            if offset or self.polled:
                lines += ["[[client]]", f'name = "client-{i + 1}"']
            if offset:
                lines.append(f'clock = "{offset * self.unit // 1000:+d}ms"')
            if self.polled:
                lines.append(f"start = {self.time(self.starts[i])}")
        if self.persistent:
            lines += ["[[server]]", 'name = "redis-1"', 'persistence = "aof-always"']
        lines += ["[network]", f"latency = [{latency}]", f"timeout = {self.time(self.in_units['timeout'])}",
                  f'on_timeout = "{"reconnect" if self.reconnects else "discard"}"', "[run]", 'horizon = "1000s"',
                  f"grid = {self.time(1)}", "[explore]", f"attempts = {self.attempts}",
                  f"max_faults = {self.max_faults}"]
        if self.polled:
            lines.append('contention = "as-written"')
        for f in self.budget:
            lines += ["[[explore.fault]]", f'kind = "{f["kind"]}"', f"most = {f['most']}"]
            if f["kind"] not in ("evict", "flush", "crash", "half-open", "delay", "restart", "break-connection"):
                lines.append(f'target = "{f["target"]}"')
            key = "by" if f["kind"] in ("delay", "clock-jump") else "for"
            if f.get("values"):
                sign = "+d" if f["kind"] == "clock-jump" else "d"
                values = ", ".join(f'"{format(v * self.unit, sign)}us"' for v in f["values"])
                lines.append(f"{key} = [{values}]")
        return "\n".join(lines) + "\n"
