# SPDX-License-Identifier: Apache-2.0
"""A lock whose key has no lease, as some libraries make it unless they are told otherwise."""
import spoken

server = spoken.Server()


def acquire():
    return server.call("SET", spoken.NAME, "x", "NX") == "OK"


def release():
    return server.call("DEL", spoken.NAME) == 1


spoken.serve(acquire, release)
