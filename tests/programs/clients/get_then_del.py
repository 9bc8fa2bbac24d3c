# SPDX-License-Identifier: Apache-2.0
"""The twin of algorithms/redis/set_ex_get_del.cpp: the same commands."""
import os

import spoken

server, token = spoken.Server(), None


def acquire():
    global token
    token = os.urandom(8).hex()
    return server.call("SET", spoken.NAME, token, "NX", "EX", int(spoken.LEASE_MS) // 1000) == "OK"


def release():
    return server.call("GET", spoken.NAME) == token and server.call("DEL", spoken.NAME) == 1


spoken.serve(acquire, release)
