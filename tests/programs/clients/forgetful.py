# SPDX-License-Identifier: Apache-2.0
"""Its release looks at nothing, and what its processes do depends on how many of them have asked for the lock: a file
counts them, which virtual time does not undo."""
import os

import spoken

COUNT = os.path.join(os.environ["TMPDIR"], "count")
server, token = spoken.Server(), None


def acquire():
    global token
    with open(COUNT, "a") as file:
        file.write(".")
        count = file.tell()
    token = os.urandom(8).hex()
    if count > 4:
        server.call("GET", spoken.NAME)
    return server.call("SET", spoken.NAME, token, "NX", "PX", spoken.LEASE_MS) == "OK"


def release():
    return server.call("DEL", spoken.NAME) == 1


spoken.serve(acquire, release)
