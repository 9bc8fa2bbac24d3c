# SPDX-License-Identifier: Apache-2.0
"""Asks two servers at once, and believes the one that answers first: what it does hinges on the order of replies."""
import os
import select

import spoken

SCRIPT = "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) else return 0 end"
servers, token = [spoken.Server(0), spoken.Server(1)], None


def acquire():
    global token
    token, answers = os.urandom(8).hex(), []
    for server in servers:
        server.send("SET", spoken.NAME, token, "NX", "PX", spoken.LEASE_MS)
    waits = {server.connection: server for server in servers}
    while waits:
        for ready in select.select(list(waits), [], [])[0]:
            answers.append(waits.pop(ready).read_reply() == "OK")
    return answers[0]


def release():
    return [server.call("EVAL", SCRIPT, 1, spoken.NAME, token) for server in servers] != [0, 0]


spoken.serve(acquire, release)
