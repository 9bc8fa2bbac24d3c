# SPDX-License-Identifier: Apache-2.0
"""Its release sends a message, for which waiters listen on a second connection. `late`: they subscribe when they have
been refused, and so miss a message that came meanwhile. `early`: before they ask. `closes`: early, and the second
connection is closed with each grant. `resp3`: early, in that protocol. `channels`: early, to one more channel.
`three`: early, with one more connection."""
import os
import sys

import spoken

SCRIPT = ("if redis.call('get', KEYS[1]) ~= ARGV[1] then return 0 end redis.call('del', KEYS[1]) "
          "redis.call('publish', KEYS[2], 'free') return 1")
how, channel = sys.argv[1], "released:" + spoken.NAME
server, news, more = spoken.Server(), spoken.Server(), spoken.Server()
token, subscribed = None, False


def subscribe():
    global subscribed
    if subscribed:
        return
    if how == "resp3":
        news.send("HELLO", 3)
        while news.replies.readline() != b"*0\r\n":  # the last line of its answer
            pass
    channels = [channel, "another"] if how == "channels" else [channel]
    news.send("SUBSCRIBE", *channels)
    for number, name in enumerate(channels, 1):
        if news.read_reply() != ["subscribe", name, number]:
            os._exit(1)
    subscribed = True


def acquire():
    global token, subscribed
    try:
        if how == "three":
            more.call("GET", "nothing")
        if how != "late":
            subscribe()
        token = os.urandom(8).hex()
        while server.call("SET", spoken.NAME, token, "NX", "PX", spoken.LEASE_MS) != "OK":
            subscribe()
            if news.read_reply() != ["message", channel, "free"]:
                os._exit(1)
    except ConnectionError:
        subscribed = subscribed and news.replies is not None
        raise
    if how == "closes":
        news.close()
        subscribed = False
    return True


def release():
    return server.call("EVAL", SCRIPT, 2, spoken.NAME, channel, token) == 1


spoken.serve(acquire, release)
