# SPDX-License-Identifier: Apache-2.0
# An advisory lock of PostgreSQL over psycopg2, which a connection has. Debian: apt-get install python3-psycopg2
import json, os, sys, time, psycopg2
lock, pause = os.environ["LOCKPROOF_LOCK"], int(os.environ["LOCKPROOF_LEASE_MS"]) / 6000
session = None

def ask(statement):
    global session
    if not session or session.closed:
        session = psycopg2.connect("")  # PGHOST, PGPORT, PGUSER and PGDATABASE say where
        session.autocommit = True
    with session.cursor() as cursor:
        cursor.execute(statement, [lock])
        return cursor.fetchone()[0]

def say(word, **more): print(json.dumps({"say": word, **more}), flush=True)

say("ready", protocol=1, name="psycopg2 " + psycopg2.__version__.split()[0])
for line in sys.stdin:
    do = json.loads(line)["do"]
    try:
        if do == "acquire":
            while not ask("select pg_try_advisory_lock(hashtext(%s))"): time.sleep(pause)
            say("acquired")
        elif do == "touch": say("touch")
        elif do == "release": say("released", ours=ask("select pg_advisory_unlock(hashtext(%s))"))
        elif do == "quit": break
    except Exception as e: say("failed", error=f"{type(e).__name__}: {e}"[:200])
