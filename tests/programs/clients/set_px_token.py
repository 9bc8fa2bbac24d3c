# SPDX-License-Identifier: Apache-2.0
"""The twin of algorithms/redis/set_px_token.cpp: the same commands."""
import os

import spoken

SCRIPT = "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) else return 0 end"
server, token = spoken.Server(), None


def acquire():
    global token
    token = os.urandom(8).hex()
    return server.call("SET", spoken.NAME, token, "NX", "PX", spoken.LEASE_MS) == "OK"


def release():
    return server.call("EVAL", SCRIPT, 1, spoken.NAME, token) == 1


spoken.serve(acquire, release)
