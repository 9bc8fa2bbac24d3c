# SPDX-License-Identifier: Apache-2.0
"""GET, then DEL, which is wrong, with other keys beside the lock's: lock.py beat|twice|file|never|caught|mget."""
import fcntl
import os
import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "programs" / "clients"))
import spoken  # noqa: E402

WAY, ME = sys.argv[1], os.environ["LOCKPROOF_CLIENT"]
server, lease, lock_file = spoken.Server(), int(spoken.LEASE_MS), None


def set_if_free(key):
    return server.call("SET", key, ME, "NX", "PX", lease) == "OK"


def acquire():
    global lock_file
    if WAY == "beat":  # registers itself first, as many libraries do
        server.call("SET", "beat:" + ME, "alive", "PX", 10 * lease)
    if WAY == "never":
        return server.call("EVAL", "return redis.call('ZADD', 'queue', 1, 'me')", 0) == ME
    if WAY == "caught":  # and goes on with the lock, as libraries do that log their errors
        try:
            server.call("EVAL", "return redis.call('ZADD', 'queue', 1, 'me')", 0)
        except RuntimeError:
            pass
    if WAY == "mget":
        server.call("MGET", "a", "b")
    if WAY == "file":
        server.call("INCR", "attempts")
        lock_file = open(os.environ["LOCK_FILE"], "w")
        try:
            fcntl.flock(lock_file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        return True
    if WAY == "twice":  # two keys, of which each would do
        won = [key for key in ("app:guard", "app:other") if set_if_free(key)]
        if len(won) == 1:
            server.call("DEL", won[0])
        return len(won) == 2
    return set_if_free("app:" + spoken.NAME)


def release():
    if WAY == "file":
        lock_file.close()
        return True
    key = "app:guard" if WAY == "twice" else "app:" + spoken.NAME
    ours = server.call("GET", key) == ME and server.call("DEL", key) == 1
    if WAY == "twice":
        server.call("DEL", "app:other")
    return ours


spoken.serve(acquire, release)
