# SPDX-License-Identifier: Apache-2.0
"""client-1 is told of the others' releases on a second connection. A message that comes while nothing is asked of it
makes it say a word that nobody has asked for."""
import json
import os
import select
import sys

import spoken

server, news, listens = spoken.Server(), spoken.Server(), os.environ["LOCKPROOF_CLIENT"] == "client-1"


def acquire():
    if listens and not news.replies:
        news.send("SUBSCRIBE", "released")
        news.read_reply()
    return server.call("SET", spoken.NAME, "1", "NX", "PX", spoken.LEASE_MS) == "OK"


def release():
    if not listens:
        server.call("PUBLISH", "released", "free")
    return server.call("DEL", spoken.NAME) == 1


spoken.say("ready", protocol=1)
while True:
    ready = select.select([0, *([news.connection] if news.replies else [])], [], [])[0]
    if 0 not in ready:
        news.connection.recv(4096)
        spoken.say("touch")
        continue
    line = os.read(0, 4096)
    if not line:
        sys.exit()
    do = json.loads(line)["do"]
    if do == "acquire":
        spoken.say("acquired" if acquire() else "busy")
    elif do == "release":
        spoken.say("released", ours=release())
    elif do == "touch":
        spoken.say("touch")
