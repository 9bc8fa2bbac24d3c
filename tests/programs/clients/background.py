# SPDX-License-Identifier: Apache-2.0
"""A lock beside whose loop something goes on for ever, as in many runtimes: it `ticks`, and nobody sees it, or it
`renews`, even when it has released the lock."""
import sys
import threading
import time

import spoken

server, what = spoken.Server(), sys.argv[1]
turn = threading.Lock()  # one command at a time on the connection


def call(*words):
    with turn:
        return server.call(*words)


def goes_on():
    while True:
        time.sleep(1)
        if what == "renews":
            call("PEXPIRE", spoken.NAME, spoken.LEASE_MS)


def acquire():
    return call("SET", spoken.NAME, "x", "NX", "PX", spoken.LEASE_MS) == "OK"


def release():
    return call("DEL", spoken.NAME) == 1


threading.Thread(target=goes_on, daemon=True).start()
spoken.serve(acquire, release)
