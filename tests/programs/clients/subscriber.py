# SPDX-License-Identifier: Apache-2.0
"""Its release sends a message, for which waiters listen on a second connection. `late`: they subscribe when they have
been refused, and so miss a message that came meanwhile. `early`: before they ask. `closes`: early, and the second
connection is closed with each grant. `resp3`: early, in that protocol. `channels`: early, to one more channel.
`many`: early, with nine more connections, which its commands use in turns. `idle`: early, with three more that do
nothing. `hundred`: early, with a hundred more."""
import itertools
import os
import sys

import spoken

SCRIPT = ("if redis.call('get', KEYS[1]) ~= ARGV[1] then return 0 end redis.call('del', KEYS[1]) "
          "redis.call('publish', KEYS[2], 'free') return 1")
how, channel = sys.argv[1], "released:" + spoken.NAME
more = [spoken.Server() for _ in range({"many": 9, "idle": 3, "hundred": 100}.get(how, 0))]
server, news = spoken.Server(), spoken.Server()
turns = itertools.cycle(more if how == "many" else [server])
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
        if how == "hundred" or how == "idle":
            for one in more:
                if not one.replies:
                    one.open()
        if how != "late":
            subscribe()
        token = os.urandom(8).hex()
        while next(turns).call("SET", spoken.NAME, token, "NX", "PX", spoken.LEASE_MS) != "OK":
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
    return next(turns).call("EVAL", SCRIPT, 2, spoken.NAME, channel, token) == 1


spoken.serve(acquire, release)
