# SPDX-License-Identifier: Apache-2.0
"""As a library may do it: the release of a lock that is another's by now is tried again and again, without an end."""
import os
import sys
import time

import spoken

RELEASE = ("if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) else return 0 end")
server, token = spoken.Server(), None


def acquire():
    global token
    token = os.urandom(8).hex()
    return server.call("SET", spoken.NAME, token, "NX", "PX", spoken.LEASE_MS) == "OK"


def release():
    while server.call("EVAL", RELEASE, 1, spoken.NAME, token) != 1:
        time.sleep(float(sys.argv[1]))
    return True


spoken.serve(acquire, release)
