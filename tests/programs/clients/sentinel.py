# SPDX-License-Identifier: Apache-2.0
"""Asks a sentinel for the master before each attempt, `listens`: it also waits
for the news of another master before it asks again."""
import os
import sys

import spoken

how = sys.argv[1] if len(sys.argv) > 1 else ""
sentinel, news = spoken.Server(of="LOCKPROOF_SENTINELS"), spoken.Server(of="LOCKPROOF_SENTINELS")
server, token = spoken.Server(), None
listening = False


def listen():
    global listening
    if sentinel.call("PING") != "PONG" or sentinel.call("ROLE") != ["sentinel", ["redis-1"]]:
        os._exit(1)
    if how == "unknown":
        sentinel.call("SENTINEL", "ckquorum", "redis-1")
    if how == "listens" and news.call("SUBSCRIBE", "+switch-master") != ["subscribe", "+switch-master", 1]:
        os._exit(1)
    listening = True


def fields(reply):
    return dict(zip(reply[::2], reply[1::2]))


def look_for_master():
    host, port = sentinel.call("SENTINEL", "get-master-addr-by-name", "redis-1")
    master = fields(sentinel.call("SENTINEL", "masters")[0])
    replicas = [fields(one) for one in sentinel.call("SENTINEL", "replicas", "redis-1")]
    if master["port"] != port or len(replicas) != 1 or replicas[0]["port"] == port:
        os._exit(1)
    if len(sentinel.call("SENTINEL", "sentinels", "redis-1")) != int(master["num-other-sentinels"]):
        os._exit(1)
    return host, int(port)


def acquire():
    global token
    if not listening:
        listen()
    address = look_for_master()
    if address != server.address:
        server.close()
        server.address = address
    token = os.urandom(8).hex()
    try:
        won = server.call("SET", spoken.NAME, token, "NX", "PX", spoken.LEASE_MS) == "OK"
    except ConnectionError:
        if how == "listens":
            if news.read_reply() != ["message", "+switch-master", "redis-1 127.0.0.1 6379 127.0.0.1 6380"]:
                os._exit(1)
        raise
    if won and server.call("INFO", "replication").find("role:master") < 0:
        os._exit(1)
    return address[1] if won else False


def release():
    return server.call("GET", spoken.NAME) == token and server.call("DEL", spoken.NAME) == 1


spoken.serve(acquire, release)
