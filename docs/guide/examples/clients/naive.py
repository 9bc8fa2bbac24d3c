# SPDX-License-Identifier: Apache-2.0
# Broken on purpose: GET, then DEL, with room between them. Debian: apt-get install python3-redis
import json, os, sys, time, redis
host, port = os.environ["LOCKPROOF_SERVERS"].split(",")[0].split(":")
lease, name = int(os.environ["LOCKPROOF_LEASE_MS"]), os.environ["LOCKPROOF_LOCK"]
server, me = redis.Redis(host, int(port)), os.environ["LOCKPROOF_CLIENT"]

def say(word, **more): print(json.dumps({"say": word, **more}), flush=True)

say("ready", protocol=1, name="naive")
for line in sys.stdin:
    do = json.loads(line)["do"]
    if do == "acquire":
        while not server.set(name, me, nx=True, px=lease): time.sleep(lease / 6000)
        say("acquired")
    elif do == "touch": say("touch")
    elif do == "release":
        if server.get(name) == me.encode(): server.delete(name)
        say("released")
    elif do == "quit": break
