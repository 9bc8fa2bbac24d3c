# SPDX-License-Identifier: Apache-2.0
# OpenStack's tooz over Redis. Debian: apt-get install python3-tooz python3-redis
import json, os, sys
from importlib.metadata import version
from tooz import coordination
lease = -(-int(os.environ["LOCKPROOF_LEASE_MS"]) // 1000)  # it knows whole seconds only
address = os.environ["LOCKPROOF_SERVERS"].split(",")[0] + f"?lock_timeout={lease}&timeout={lease}"
coordinator = lock = None

def say(word, **more): print(json.dumps({"say": word, **more}), flush=True)

say("ready", protocol=1, name="tooz " + version("tooz"))
for line in sys.stdin:
    do = json.loads(line)["do"]
    try:
        if do == "acquire":
            if not coordinator:
                starting = coordination.get_coordinator("redis://" + address, os.environ["LOCKPROOF_CLIENT"].encode())
                starting.start()
                coordinator = starting
            lock = coordinator.get_lock(os.environ["LOCKPROOF_LOCK"].encode())
            say("acquired" if lock.acquire() else "busy")
        elif do == "touch": say("touch")
        elif do == "extend": say("extended" if lock.heartbeat() else "lost")
        elif do == "release": say("released", ours=lock.release())
        elif do == "quit": break
    except Exception as e: say("failed", error=f"{type(e).__name__}: {e}"[:200])
os._exit(0)  # its threads would go on
