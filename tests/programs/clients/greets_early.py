# SPDX-License-Identifier: Apache-2.0
"""A lock that sends a first command before it says that it is ready, as many libraries do, and waits for no reply."""
import spoken

server = spoken.Server()


def acquire():
    if server.late:
        server.read_reply()
        server.late = False
    return server.call("SET", spoken.NAME, "x", "NX", "PX", spoken.LEASE_MS) == "OK"


def release():
    return server.call("DEL", spoken.NAME) == 1


server.send("PING")
server.late = True
spoken.serve(acquire, release)
