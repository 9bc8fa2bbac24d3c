# SPDX-License-Identifier: Apache-2.0
# redis-py's own Lock. Debian: apt-get install python3-redis
import json, os, sys, redis
host, port = os.environ["LOCKPROOF_SERVERS"].split(",")[0].split(":")
lease = int(os.environ["LOCKPROOF_LEASE_MS"]) / 1000
expires = None if os.environ.get("NO_TIMEOUT") else lease  # its default is no time-out
lock = redis.Redis(host, int(port)).lock(os.environ["LOCKPROOF_LOCK"], timeout=expires, sleep=lease / 6)

def say(word, **more): print(json.dumps({"say": word, **more}), flush=True)

say("ready", protocol=1, name="redis-py " + redis.__version__)
for line in sys.stdin:
    do = json.loads(line)["do"]
    try:
        if do == "acquire": say("acquired" if lock.acquire() else "busy")
        elif do == "touch": say("touch")
        elif do == "extend": lock.reacquire(); say("extended")
        elif do == "release": lock.release(); say("released")
        elif do == "quit": break
    except Exception as e: say("failed", error=f"{type(e).__name__}: {e}"[:200])
