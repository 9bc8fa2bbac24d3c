# SPDX-License-Identifier: Apache-2.0
"""Mistakes, one for each word: it `dies` of a broken connection, `believes` that any answer is the lock, or `remembers`
that it has had the lock."""
import os
import sys

import spoken

server, mistake, had = spoken.Server(), sys.argv[1], False


def acquire():
    global had
    if mistake == "remembers" and had:
        return True
    try:
        answer = server.call("SET", spoken.NAME, "x", "NX", "PX", spoken.LEASE_MS)
    except ConnectionError:
        if mistake == "dies":
            os._exit(1)
        raise
    had = answer == "OK"
    return had or mistake == "believes"


def release():
    return server.call("DEL", spoken.NAME) == 1


spoken.serve(acquire, release)
