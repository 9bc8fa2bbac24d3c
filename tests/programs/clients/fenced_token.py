# SPDX-License-Identifier: Apache-2.0
"""The twin of algorithms/redis/fenced_token.cpp: the same commands."""
import os

import spoken

ACQUIRE = """if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then
  return redis.call('INCR', KEYS[2])
end
return nil
"""
RELEASE = "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) else return 0 end"
server, token = spoken.Server(), None


def acquire():
    global token
    token = os.urandom(8).hex()
    return server.call("EVAL", ACQUIRE, 2, spoken.NAME, spoken.NAME + ":fence", token, spoken.LEASE_MS)


def release():
    return server.call("EVAL", RELEASE, 1, spoken.NAME, token) == 1


spoken.serve(acquire, release)
