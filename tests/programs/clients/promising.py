# SPDX-License-Identifier: Apache-2.0
"""A lock that says for how long it is good, counted from when it was asked for."""
import time

import spoken

server = spoken.Server()


def acquire():
    asked = time.monotonic()
    if server.call("SET", spoken.NAME, "x", "NX", "PX", spoken.LEASE_MS) != "OK":
        return False
    return {"valid_ms": int(spoken.LEASE_MS) - int((time.monotonic() - asked) * 1000)}


def release():
    return server.call("DEL", spoken.NAME) == 1


spoken.serve(acquire, release)
