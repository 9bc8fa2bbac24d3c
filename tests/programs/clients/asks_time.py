# SPDX-License-Identifier: Apache-2.0
"""Dies if the time of its server, which is an hour ahead of its own, is another one."""
import os
import time

import spoken

server, token = spoken.Server(), None


def acquire():
    global token
    before = time.time()
    seconds, microseconds = (int(part) for part in server.call("TIME"))
    server.call("MULTI")
    server.call("TIME")
    again = server.call("EXEC")[0]
    ahead = seconds + microseconds / 1e6 - 3600
    if not before - 0.001 <= ahead <= time.time() or not seconds <= int(again[0]) <= seconds + 1 or len(again) != 2:
        os._exit(1)
    token = os.urandom(8).hex()
    return server.call("SET", spoken.NAME, token, "NX", "PX", spoken.LEASE_MS) == "OK"


def release():
    return server.call("GET", spoken.NAME) == token and server.call("DEL", spoken.NAME) == 1


spoken.serve(acquire, release)
