# SPDX-License-Identifier: Apache-2.0
"""The twin of set_px_token.py in RESP3. It dies of an answer that is not written in the protocol that it asked for."""
import os

import spoken

SCRIPT = "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) else return 0 end"
server, token, greeted = spoken.Server(), None, False


def expect(answer, *words):
    server.send(*words)
    line = server.replies.readline()
    if line != answer:
        os._exit(1)


def greet():
    expect(b"%7\r\n", "HELLO", 3, "SETNAME", "twin")
    while server.replies.readline() != b"*0\r\n":  # its last value
        pass
    expect(b"_\r\n", "GET", "nothing")
    expect(b"%0\r\n", "HGETALL", "nothing")
    expect(b"+RESET\r\n", "RESET")
    expect(b"$-1\r\n", "GET", "nothing")
    expect(b"%7\r\n", "HELLO", 3)
    while server.replies.readline() != b"*0\r\n":
        pass


def acquire():
    global token, greeted
    if not greeted:
        greet()
        greeted = True
    token = os.urandom(8).hex()
    server.send("SET", spoken.NAME, token, "NX", "PX", spoken.LEASE_MS)
    return server.replies.readline() == b"+OK\r\n"


def release():
    return server.call("EVAL", SCRIPT, 1, spoken.NAME, token) == 1


spoken.serve(acquire, release)
