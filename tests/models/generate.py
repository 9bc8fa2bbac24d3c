# SPDX-License-Identifier: Apache-2.0
"""Small scenarios, drawn from a seed. Both sides search each of them whole."""
import random

import etcd
import memcached
import postgres
import redis
import zookeeper
from plan import Plan

LOCKS = {"redis": {n: redis.LOCKS[n] for n in ("set-px-token", "set-px-thread-id", "setnx-del", "getset-timestamp",
                                               "getset-timestamp-004")},  # the others' leases are whole seconds
         "postgres": postgres.LOCKS, "memcached": memcached.LOCKS,
         "zookeeper": zookeeper.LOCKS, "etcd": etcd.LOCKS}

FAULTS = {
    "redis": ("pause-client", "pause-server", "delay", "half-open", "crash", "partition-client", "partition-server",
              "jump-client", "jump-server", "break-connection", "restart", "evict", "flush"),
    "postgres": ("pause-client", "pause-server", "delay", "half-open", "crash", "partition-client", "partition-server",
                 "jump-client", "jump-server", "break-connection", "restart"),
    "memcached": ("pause-client", "pause-server", "delay", "half-open", "crash", "partition-client", "partition-server",
                  "break-connection", "restart", "evict", "flush"),
    "zookeeper": ("pause-client", "pause-server", "delay", "half-open", "crash", "partition-client", "partition-server",
                  "break-connection", "restart"),
    "etcd": ("pause-client", "pause-server", "delay", "half-open", "crash", "partition-client", "partition-server",
             "break-connection", "restart"),
}


def draw_fault(draw, sort, lease):
    """An entry of a budget. What it lists for values, the model takes in units."""
    kind, _, target = sort.partition("-")
    longest = lease + 3
    entry = dict(kind=sort, target="clients", most=1, values=(), ways=("request", "reply"))
    if kind in ("pause", "partition"):
        entry.update(kind=kind, target=target + "s", values=(draw.randint(1, longest),))
    elif kind == "jump":
        by = draw.randint(1, longest)
        entry.update(kind="clock-jump", target=target + "s", values=(by,) if draw.random() < 0.5 else (-by,))
    elif sort == "delay":
        entry.update(values=(draw.randint(1, longest),))
    elif sort in ("restart", "evict", "flush"):
        entry.update(target="servers", values=(draw.randint(1, 4),) if sort == "restart" else ())
    return entry


def generate_polled(draw, service):
    """Times are even numbers of units, but for those at which clients begin: so not all is a tie."""
    name = draw.choice(sorted(LOCKS[service]))
    lock, store = LOCKS[service][name]
    lease = 24
    hold = draw.choice((2, 4, 10, 16, 22, 30))
    budget = [draw_fault(draw, draw.choice(FAULTS[service]), lease) for _ in range(draw.choice((0, 1, 1, 1, 1, 1, 1)))]
    for fault in budget:
        if fault["values"]:
            fault["values"] = (2 * draw.randint(1, 24),)
    return Plan(name, lock, store, clients=2, unit=50_000 if service == "zookeeper" else 125_000, grid=4, lease=lease,
                starts=(0, draw.randint(0, 24)), retry=2 * draw.randint(1, 9), latency=(2, 2),
                work=draw.choice((["read", hold, "write"], [hold], [hold, "read", "write"])),
                timeout=2 * draw.choice((3, 5, 8, 11, 14)), attempts=draw.choice((2, 3, 4, 5)),
                obeys=draw.random() < 0.25,
                reconnects=draw.random() < 0.8, budget=budget)


def generate(service, seed):
    draw = random.Random(f"{service} {seed}")
    if service in ("zookeeper", "etcd"):
        return generate_polled(draw, service)
    name = draw.choice(sorted(LOCKS[service]))
    lock, store = LOCKS[service][name]
    numbers = dict(clients=2, obeys=draw.random() < 0.25, reconnects=draw.random() < 0.8)
    sorts = draw.sample(FAULTS[service], draw.choice((0,) + (1,) * 30 + (2,)))
    fine = "restart" in sorts or "break-connection" in sorts
    lease = 3 if fine else draw.choice((3, 3, 4))
    if service == "memcached":
        numbers.update(unit=1_000_000)
    hold = draw.randint(1, 1 if fine else lease)
    works = [hold], [hold], [hold], ["read", "write"], ["read", hold, "write"], [hold, "read", "write"]
    work = draw.choice(works[:4] if fine else works[2:])
    numbers.update(lease=lease, work=work, timeout=draw.randint(3, 3 if fine else lease + 1))
    if fine:
        numbers.update(grid=4)  # these may come between two commands, and clients ask before it, then, or later
    else:
        numbers.update(rounds=2 if draw.random() < 0.04 else 1, attempts=2 if draw.random() < 0.04 else 1,
                       latency=(1, 2) if draw.random() < 0.04 else (1, 1))
    if service == "redis" and draw.random() < 0.3:
        numbers.update(persistent=True)
    if draw.random() < 0.15 and name in ("getset-timestamp", "getset-timestamp-004", "postgres-row-client-time"):
        numbers.update(clocks=(0, draw.choice((-2, -1, 1, 2))))
    numbers.update(budget=[draw_fault(draw, s, lease) for s in sorts], max_faults=max(1, len(sorts)))
    return Plan(name, lock, store, **numbers)
