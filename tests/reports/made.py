# SPDX-License-Identifier: Apache-2.0
"""Histories made by hand for the tests of the pictures: a token lock on one server, and what can befall it.

Run as a program it writes them all: made.py FOLDER.
"""

import functools
import json
import os
import subprocess
import sys
from pathlib import Path

MS = 1000
SECOND = 1000 * MS
LATENCY = 1 * MS
TTL = 10 * SECOND


@functools.cache
def known_faults():
    """The words of all faults, as LOCKPROOF lists them."""
    command = [os.environ["LOCKPROOF"], "list", "faults", "--format", "json"]
    return json.loads(subprocess.run(command, capture_output=True, check=True).stdout)


def effect(change, key="lock", **more):
    """What became of a key. Pictures are not to read the service's own word for it, so it is no real one."""
    return {"change": change, "event": "its-own-word", "key": key, **more}


TAKEN = [effect("acquired"), effect("renewed", ttl_ms=TTL // MS)]


class Story:
    """Writes a history in the order in which its parts are called; `text` sorts it by time."""

    def __init__(self, scenario, clients=2, world="simulated"):
        self.header = {
            "lockproof_history": 2, "world": world, "scenario": scenario,
            "scenario_file": f"scenarios/documented/{scenario}.toml",
            "scenario_text": f'title = "{scenario}, made by hand"\nalgorithm = "set-px-token"\n',
            "seed": 1, "speedup": 1, "node_stamps": "world time",
            "hosts": [{"name": f"client-{i}", "kind": "client"} for i in range(1, clients + 1)]
            + [{"name": "redis-1", "kind": "server"}, {"name": "resource", "kind": "resource"}],
        }
        self.events = []
        self.numbers = {}
        self.version = 0
        self.jumps = []  # (host, at, by)

    def add(self, what, host, at, **fields):
        wall = at + sum(by for who, when, by in self.jumps if who == host and when <= at)
        clocks = {"wall": wall // 1000, "mono": at, "boot": at}
        self.events.append({"what": what, "host": host, "at": at, **clocks, **fields})

    def call(self, client, server, at, command, reply, effects=(), seen_at=None):
        """One command and its reply; returns when the reply is seen."""
        number = self.numbers[client, server] = self.numbers.get((client, server), 0) + 1
        who = {"peer": server, "message": number}
        self.add("send", client, at, command=command, **who)
        self.add("execute", server, at + LATENCY, peer=client, message=number, command=command, reply=reply,
                 **({"effects": list(effects)} if effects else {}))
        received = max(at + 2 * LATENCY, seen_at or 0)
        self.add("receive", client, received, reply=reply, **who)
        return received

    def attempt(self, client, at, count=1):
        self.add("attempt", client, at, round=1, attempt=count)
        command = ["SET", "lock", {"token": f"{client[0]}{client[-1]}.1"}, "NX", "PX", "10000"]
        return command

    def busy(self, client, at, count=1):
        seen = self.call(client, "redis-1", at, self.attempt(client, at, count), {"nil": True})
        self.add("busy", client, seen, round=1)
        return seen

    def acquire(self, client, at, count=1):
        command = self.attempt(client, at, count)
        seen = self.call(client, "redis-1", at, command, {"status": "OK"}, TAKEN)
        self.add("granted", client, seen, round=1, token=command[2], left={"us": TTL - 2 * LATENCY, "clock": "mono"})
        self.add("enter", client, seen, round=1)
        return seen

    def read(self, client, at):
        return self.call(client, "resource", at, ["READ"], self.version)

    def write(self, client, at, base):
        self.version += 1
        return self.call(client, "resource", at, ["WRITE", str(base)], self.version)

    def leave(self, client, at, ours=True):
        self.add("exit", client, at, round=1, word="finished")
        self.add("release", client, at, round=1)
        command = ["EVAL", {"script": "compare-and-delete"}, "1", "lock", {"token": f"{client[0]}{client[-1]}.1"}]
        effects = [effect("released")] if ours else []
        seen = self.call(client, "redis-1", at, command, int(ours), effects)
        self.add("released", client, seen, round=1, word="yes" if ours else "not-ours")
        self.add("finished", client, seen)
        return seen

    def text(self):
        words = {event["word"] for event in self.events if event["what"] == "strike"}
        known = {word: known_faults()[word] for word in sorted(words) if word in known_faults()}
        self.header["faults"] = {**known, **self.header.get("faults", {})}
        end = max(event["at"] for event in self.events)
        self.events.sort(key=lambda event: event["at"])
        last = {"what": "end", "at": end, "word": "finished"}
        return "\n".join(json.dumps(line) for line in [self.header, *self.events, last]) + "\n"


def polling(story, client, start, until, every):
    at, count = start, 0
    while at < until:
        count += 1
        at = story.busy(client, at, count) + every
    return at, count


def lease_outlived(every=2 * SECOND):
    """Client 1 is paused longer than its lease; client 2 gets in; client 1 wakes inside and overwrites its update."""
    story = Story("lease-outlived")
    story.add("start", "client-1", 0, round=1)
    entered = story.acquire("client-1", 0)
    seen = story.read("client-1", entered)
    story.add("strike", "client-1", seen + SECOND, fault=1, word="pause", value=12 * SECOND)
    story.add("start", "client-2", 500 * MS, round=1)
    at, count = polling(story, "client-2", 500 * MS, 10 * SECOND, every)
    entered = story.acquire("client-2", max(at, TTL + 20 * MS), count + 1)
    story.write("client-2", story.read("client-2", entered), 0)
    woken = seen + 13 * SECOND
    story.add("heal", "client-1", woken, fault=1, word="pause")
    wrote = story.write("client-1", woken + SECOND // 5, 0)
    story.leave("client-1", wrote, ours=False)
    story.leave("client-2", 15 * SECOND)
    return story


def polling_hard():
    """The same with a retry each 50 ms: some 200 attempts that find the lock taken."""
    return lease_outlived(50 * MS)


def crash():
    """The holder crashes inside; its lease frees the lock for the next client."""
    story = Story("holder-crash")
    seen = story.read("client-1", story.acquire("client-1", 0))
    story.add("strike", "client-1", seen + 2 * SECOND, fault=1, word="crash")
    at, count = polling(story, "client-2", 300 * MS, 10 * SECOND, 500 * MS)
    entered = story.acquire("client-2", at, count + 1)
    story.leave("client-2", story.write("client-2", story.read("client-2", entered) + 3 * SECOND, 0))
    return story


def server_clock():
    """The server's clock jumps forward: the key is gone while its holder is still entitled."""
    story = Story("server-clock-forward")
    seen = story.read("client-1", story.acquire("client-1", 0))
    story.busy("client-2", 1 * SECOND, 1)
    story.jumps.append(("redis-1", 2 * SECOND, 60 * SECOND))
    story.add("strike", "redis-1", 2 * SECOND, fault=1, word="clock-jump", value=60 * SECOND)
    entered = story.acquire("client-2", 3 * SECOND, 2)
    base = story.read("client-2", entered)
    wrote = story.write("client-1", seen + 5 * SECOND, 0)
    story.leave("client-1", wrote, ours=False)
    story.leave("client-2", story.write("client-2", base + 4 * SECOND, 0))
    return story


def lost_reply():
    """The reply to a SET is lost: the client does not know that it holds the lock until it ends by itself."""
    story = Story("lost-reply")
    command = story.attempt("client-1", 0)
    story.numbers["client-1", "redis-1"] = 1
    who = {"message": 1}
    story.add("send", "client-1", 0, peer="redis-1", command=command, **who)
    story.add("execute", "redis-1", LATENCY, peer="client-1", command=command, reply={"status": "OK"},
              effects=TAKEN, **who)
    story.add("drop", "redis-1", LATENCY, peer="client-1", word="reply", **who)
    story.add("time-out", "client-1", 2 * SECOND, peer="redis-1", **who)
    story.add("failed", "client-1", 2 * SECOND, error="no-reply")
    at, count = polling(story, "client-1", 2 * SECOND + 50 * MS, TTL, 250 * MS)
    story.leave("client-1", story.acquire("client-1", at, count + 2) + SECOND)
    return story


def renewals(count):
    """A watchdog renews each second, and the work reads meanwhile."""
    story = Story("renewals")
    story.acquire("client-1", 0)
    for i in range(1, count + 1):
        story.add("renew", "client-1", i * SECOND, round=1)
        command = ["EVAL", {"script": "compare-and-expire"}, "1", "lock", {"token": "c1.1"}, "10000"]
        effects = [effect("renewed", ttl_ms=TTL // MS)]
        seen = story.call("client-1", "redis-1", i * SECOND, command, 1, effects)
        story.add("renewed", "client-1", seen, round=1, left={"us": TTL - 2 * LATENCY, "clock": "mono"})
    story.read("client-1", 2 * SECOND + 500 * MS)
    story.leave("client-1", (count + 1) * SECOND)
    return story


def power_cut():
    """The server loses power and the lock with it, and is down for three seconds."""
    story = Story("power-cut")
    story.read("client-1", story.acquire("client-1", 0))
    story.add("strike", "redis-1", 2 * SECOND, fault=1, word="power-cut", value=3 * SECOND,
              effects=[effect("evicted")])
    story.add("heal", "redis-1", 5 * SECOND, fault=1, word="power-cut")
    story.acquire("client-2", 6 * SECOND)
    story.leave("client-2", 9 * SECOND)
    story.add("exit", "client-1", 8 * SECOND, round=1, word="finished")
    return story


STORIES = {"sample": lease_outlived, "polling": polling_hard, "crash": crash, "clock": server_clock,
           "lost-reply": lost_reply, "renewals": lambda: renewals(57), "power-cut": power_cut}


def main():
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, make in STORIES.items():
        (folder / f"{name}.jsonl").write_text(make().text(), encoding="utf-8")


if __name__ == "__main__":
    main()
