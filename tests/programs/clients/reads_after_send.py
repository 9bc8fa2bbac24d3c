# SPDX-License-Identifier: Apache-2.0
"""A lock that reads its clock when its command has left, and tells as its number how many ms the reply took."""
import os
import time

import spoken

server, token = spoken.Server(), None


def acquire():
    global token
    token = os.urandom(8).hex()
    server.send("SET", spoken.NAME, token, "NX", "PX", spoken.LEASE_MS)
    sent = time.monotonic()
    return server.read_reply() == "OK" and 1 + int((time.monotonic() - sent) * 1000)


def release():
    return server.call("DEL", spoken.NAME) == 1


spoken.serve(acquire, release)
