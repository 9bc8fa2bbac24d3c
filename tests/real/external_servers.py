#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""lockproof real --redis, on servers that lockproof did not start: external_servers.py LOCKPROOF SOURCE PART.

works: runs over TCP and a Unix socket, with a password and with a user; what is there already stays as it is.
names: no lock of the catalogue names anything there but what was announced, or needs more rights than the page says.
ends: however a run ends, the server goes on and no key is left.
"""
import json
import os
import pathlib
import re
import signal
import subprocess
import time

from external_run import LOCKPROOF, PART, SCRATCH, SHORT, SOURCE, real, start, written
from some_redis import Server, Watched

FORBIDDEN = {"config", "flushall", "flushdb", "shutdown", "debug", "script", "monitor", "keys", "scan", "client",
             "replicaof", "slaveof", "save", "bgsave", "swapdb", "select", "acl", "psubscribe"}

OUTLIVED = """
[algorithm]
name = "set-px-token"
[workload]
clients = 2
lease = "100ms"
retry = "5ms"
work = ["read", "hold 10ms", "write"]
[[client]]
name = "client-2"
start = "10ms"
[[fault]]
kind = "pause"
target = "client-1"
when = "client-1 after READ"
for = "200ms"
[run]
horizon = "5s"
[expect.real]
mutual-exclusion = "outlived"
resource-safety = "violated"
"""

ALIKE = r"(?: +[\w-]+ +unknown +.*\n)*"  # more properties that have the same reason, which comes after the last


def works():
    with Server() as server:
        for key in ("lock", "lockproof:lock", "lockproof:another:lock", "somebody's"):
            server.own.ask("SET", key, "untouched", "PX", 100_000)
        server.own.ask("HSET", "hash", "a", 1)
        server.own.ask("CONFIG", "RESETSTAT")
        before = server.everything()
        out, err = real(written(OUTLIVED, "outlived"), server.address)
        assert "mutual-exclusion    violated (outlived)       as expected" in out, out
        assert re.search(r"owner-release +unknown +.*\n" + ALIKE + " +it is judged by what the servers did", out), out
        assert re.search(rf"reproduce: lockproof real \S+ --seed 1 --redis {server.address}\n", out), out
        name = re.search(r"touched there: the key (lockproof:[0-9a-f]{8}:lock)\n", err)[1]
        assert f"redis-1  {server.address}, database 0, which has 5 keys; Redis " in err, err
        assert f"left under {name.removesuffix('lock')} on redis-1" in err, err
        assert server.everything() == before
        touched = server.commands() - {"keys", "dump", "pexpiretime", "config|resetstat"}  # those are ours
        assert touched == {"ping", "info", "exists", "set", "get", "del", "eval"}, touched
        out, _ = real(written(SHORT), f"unix:{server.path}", "--prefix", "here:", "--out", SCRATCH.name)
        history = (pathlib.Path(SCRATCH.name) / "history.jsonl").read_text(encoding="utf-8").splitlines()
        assert json.loads(history[0])["sees_servers"] is False
        keys = {json.loads(line)["command"][1] for line in history[1:] if '"SET"' in line}
        assert keys == {"here:lock"}, keys
        assert server.everything() == before
    works_with_passwords()
    works_through_the_proxy()


RIGHTS = ["on", ">secret-2", "resetkeys", "~lockproof:*", "~released:lockproof:*",
          "~redisson_lock__channel:{lockproof:*", "resetchannels", "&released:lockproof:*",
          "&redisson_lock__channel:{lockproof:*", "-@all", "+ping", "+info", "+exists", "+set", "+setnx", "+get",
          "+getset", "+del", "+expire", "+pexpire", "+wait", "+eval", "+subscribe", "+publish", "+incr", "+hexists",
          "+hincrby", "+hset", "+hget", "+hdel", "+hlen", "+decrby", "+pttl"]


def works_with_passwords():
    """The page docs/reference/own-servers.md names the rights that a user needs."""
    page = (pathlib.Path(SOURCE) / "docs/reference/own-servers.md").read_text(encoding="utf-8")
    shown = re.search(r"^ACL SETUSER (.*)$", page, re.MULTILINE)[1].replace("'", "").split()
    assert shown == ["lockproof", *(">…" if right.startswith(">") else right for right in RIGHTS)], shown
    with Server("--requirepass", "secret-1", password="secret-1") as server:
        real(written(SHORT), server.address, password="secret-1")
        server.own.ask("ACL", "SETUSER", "lockproof", *RIGHTS)
        folder = f"{SCRATCH.name}/user"
        for lock in ("set-px-token", "redisson", "fenced-token", "getset-timestamp", "setnx-expire-del"):
            text = SHORT.replace("set-px-token", lock)
            text = text.replace('retry = "5ms"\n', "") if lock == "redisson" else text
            real(written(text), server.address, "--out", folder, password="secret-2", username="lockproof")
            history = pathlib.Path(f"{folder}/history.jsonl").read_text(encoding="utf-8")
            for word in ("NOPERM", "secret", "AUTH"):
                assert word not in history, [line for line in history.splitlines() if word in line][:3]
        for verb, lock in (("setnx", "setnx-del"), ("publish", "redisson")):
            server.own.ask("ACL", "SETUSER", "lockproof", f"-{verb}")
            text = SHORT.replace("set-px-token", lock).replace('"5s"', '"500ms"')
            out, _ = real(written(text.replace('retry = "5ms"\n', "")), server.address, code=2, password="secret-2",
                          username="lockproof")
            said = r"mutual-exclusion +unknown +.*\n" + ALIKE + r" +redis-1 refused \S+: .*; its user needs the rights"
            assert re.search(said, out), out
        assert server.everything() == {}


FAULTS = (  # of the network, which the proxy makes; and how often that is to be seen in the history
    ('kind = "half-open"\ntarget = "client-1"\nwhen = "client-1 before SET"\n', '"what":"drop"'),
    ('kind = "delay"\ntarget = "client-1"\nwhen = "client-1 before SET"\nby = "30ms"\n', '"word":"delay"'),
    ('kind = "resend"\ntarget = "client-1"\nwhen = "client-1 before SET"\nfor = "10ms"\n', '"what":"drop"'),
    ('kind = "break-connection"\ntarget = "client-1"\npeer = "redis-1"\nat = "3ms"\n', '"what":"broken"'),
    ('kind = "partition"\ntarget = "redis-1"\npeer = "client-1"\nat = "0s"\nfor = "50ms"\n', '"what":"heal"'),
    ('kind = "pause"\ntarget = "client-2"\nwhen = "redis-1 before SET of client-1"\nfor = "20ms"\n', '"word":"pause"'),
)


def instant_of_first(what, history):
    """Of client-1's first message to the server."""
    wanted = (what, "client-1", "redis-1", 1)
    for event in map(json.loads, history.splitlines()[1:]):
        if tuple(event.get(key) for key in ("what", "host", "peer", "message")) == wanted:
            return event["at"]
    raise AssertionError(f"no {what}")


def works_through_the_proxy():
    """Also with a password, which is a message of its own on each connection."""
    with Server("--requirepass", "secret-1", password="secret-1") as server:
        for fault, seen in FAULTS:
            text = SHORT + f'[network]\ntimeout = "100ms"\n[[fault]]\n{fault}'
            real(written(text), f"unix:{server.path}", "--out", SCRATCH.name, password="secret-1")
            history = (pathlib.Path(SCRATCH.name) / "history.jsonl").read_text(encoding="utf-8")
            assert seen in history.replace('": "', '":"'), fault
            if 'kind = "delay"' in fault:
                sent, came = (instant_of_first(what, history) for what in ("send", "receive"))
                assert came - sent >= 30_000, (sent, came)
        assert server.everything() == {}


def names():
    """Three servers for those that want several; everything that is said to them is looked at."""
    page = subprocess.run([LOCKPROOF, "list", "--format", "markdown"], capture_output=True, text=True, check=True)
    locks = re.findall(r"^### (\S+)$", page.stdout.split("## Properties")[0], re.MULTILINE)
    others = ("memcached", "postgres", "zookeeper", "etcd", "chubby")
    locks = [lock for lock in locks if not lock.startswith(others)]  # --redis is for those on Redis
    assert len(locks) > 15, locks
    with Server() as one, Server() as two, Server() as three:
        for server in (one, two, three):
            server.own.ask("ACL", "SETUSER", "lockproof", *RIGHTS)
        for lock in locks:
            several = lock.startswith("redlock")
            retry = "" if lock.startswith(("redisson", "token-pubsub")) else 'retry = "5ms"\n'
            text = SHORT.replace("set-px-token", lock).replace('retry = "5ms"\n', retry)
            text = text.replace('token-wait"\n', 'token-wait"\nwait = "5ms"\n')
            servers = (one, two, three) if several else (one,)
            text += f"[servers]\nredis = {len(servers)}\n"
            with Watched(one) as watched:
                _, err = real(written(text, lock), ",".join(server.address for server in servers), "--prefix",
                              "lockproof:t:", password="secret-2", username="lockproof",
                              code=None)  # whatever comes of it: some of them break, but all may do what they need
            announced = set(re.search(r"the keys? (.*)\n", err)[1].split(", "))
            channel = re.search(r"the channel (.*)\n", err)
            announced |= {channel[1]} if channel else set()
            named = set().union(*(names_in(words) for own, words in watched.lines if not own))
            assert named and named <= announced and announced - named <= ({channel[1]} if channel else set()), \
                (lock, named, announced)
            for server in servers:
                assert server.everything() == {}, lock
                others = server.commands() - {"keys", "monitor", "echo", "acl|setuser"}  # those are ours
                assert not {command.split("|")[0] for command in others} & FORBIDDEN, (lock, others)


def names_in(words):
    """What a command names on a server."""
    verb = words[0].upper()
    if verb in ("PING", "INFO", "WAIT", "AUTH"):
        return set()
    if verb == "EVAL":
        return set(words[3:3 + int(words[2])])
    if verb in ("EXISTS", "DEL"):
        return set(words[1:])
    assert verb in ("SET", "SETNX", "GET", "GETSET", "EXPIRE", "PEXPIRE", "SUBSCRIBE", "PUBLISH", "INCR", "HEXISTS",
                    "HINCRBY", "HSET", "HGET", "HDEL", "HLEN", "DECRBY", "PTTL"), words
    return {words[1]}


FOR_EVER = """
[algorithm]
name = "setnx-del"
[workload]
clients = 2
work = ["hold for ever"]
[run]
horizon = "60s"
"""


def ends():
    with Server() as server:
        crash = FOR_EVER + '[[fault]]\nkind = "crash"\ntarget = "client-1"\nwhen = "client-1 enters"\n'
        crash = crash.replace("60s", "300ms") + '[expect.real]\nexercised = "unknown"\n'
        process = start(written(crash, "crash"), "--redis", server.address)
        _, err = process.communicate(timeout=30)
        assert "1 key was left under" in err and "it is deleted" in err, err
        assert server.runs() and server.everything() == {}
        for name in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
            process = start(written(FOR_EVER), "--redis", server.address, "--prefix", "p:")
            give_up = time.monotonic() + 10
            while server.own.ask("GET", "p:lock") in (None, b"lockproof"):  # what is tried out before anything else
                assert time.monotonic() < give_up and process.poll() is None
                time.sleep(0.005)
            if name == signal.SIGINT:
                os.killpg(process.pid, name)  # as Ctrl-C does: to all of them
            else:
                process.send_signal(name)
            out, err = process.communicate(timeout=10)  # the small process that cleans up has the other end as well
            assert process.returncode == -name and "1 key was left under p: on redis-1" in err, (out, err)
            assert server.runs() and server.everything() == {}
        ends_without_the_server()
    struck()


HELD = """
[algorithm]
name = "set-px-token"
[workload]
clients = 2
lease = "10s"
retry = "5ms"
work = ["hold 200ms"]
[run]
horizon = "3s"
[expect.real]
exercised = "no-violation"
"""


def struck():
    """What somebody else does to the server is not the lock's fault."""
    with Server() as server:
        out, _ = real(written(HELD), server.address, "--prefix", "p:")
        assert "every expectation met" in out, out
        process = start(written(HELD), "--redis", server.address, "--prefix", "p:")
        give_up = time.monotonic() + 10
        while b"p:lock" not in server.everything():
            assert time.monotonic() < give_up
            time.sleep(0.005)
        time.sleep(0.02)  # the trial is over by now
        server.own.ask("FLUSHALL")
        out, err = process.communicate(timeout=10)
        struck = r" +client-.*; redis-1 was not left alone: a client ran FLUSHALL\n"
        said = r"mutual-exclusion +unknown +.*\n" + ALIKE + struck
        assert re.search(said, out) and process.returncode == 2, (out, err)


def ends_without_the_server():
    """A server that goes away meanwhile: what may be left is said."""
    with Server() as server:
        process = start(written(FOR_EVER.replace("60s", "600ms")), "--redis", server.address, "--prefix", "p:")
        give_up = time.monotonic() + 10
        while b"p:lock" not in server.everything():
            assert time.monotonic() < give_up
            time.sleep(0.005)
        time.sleep(0.1)  # the trial is over by now
        server.process.kill()
        _, err = process.communicate(timeout=30)
        said = r"could not delete what may be left under p: on redis-1 .*: Connection refused; .*\n +DEL p:lock "
        assert re.search(said, err), err


if __name__ == "__main__":
    {"works": works, "names": names, "ends": ends}[PART]()
