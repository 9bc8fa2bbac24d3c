# SPDX-License-Identifier: Apache-2.0
"""Two mistakes, one for each word: it `dies` of a broken connection, or `believes` that any answer is the lock."""
import os
import sys

import spoken

server, mistake = spoken.Server(), sys.argv[1]


def acquire():
    try:
        answer = server.call("SET", spoken.NAME, "x", "NX", "PX", spoken.LEASE_MS)
    except ConnectionError:
        if mistake == "dies":
            os._exit(1)
        raise
    return answer == "OK" or mistake == "believes"


def release():
    return server.call("DEL", spoken.NAME) == 1


spoken.serve(acquire, release)
