# SPDX-License-Identifier: Apache-2.0
"""The words of the page on libraries: what faults and violations are called there, and what trackers know."""

ORDER = ("naive", "redis_cli", "ruby", "redis_pm", "redis_lua", "redis_py", "redis_py_no_timeout", "redlock4",
         "redlock4_three", "redlock5", "redlock5_waits", "redlock5_three", "redlock5_using", "semaphore",
         "semaphore_command_timeout", "redis_lock", "laravel", "malkusch", "tooz", "psycopg2", "symfony_postgres")

FAULTS = {
    "": "none",
    "pause": "`pause`: the process stands still until another client has entered",
    "crash": "`crash`: the process is killed",
    "half-open": "`half-open`: a message is lost, and its connection is silent from then on",
    "break-connection": "`break-connection`: the connection is reset",
    "delay": "`delay`: a message arrives when another client has entered",
    "flush": "`flush`: FLUSHALL",
    "clock-jump": "`clock-jump`: the server's clock jumps past the lease",
    "restart": "`restart`: the server restarts, a Redis empty",
}

WAYS = {
    ("mutual-exclusion", "outlived"): "two clients were inside, one of them past its lease",
    ("mutual-exclusion", "double-grant"): "two clients were inside, each within the time that it was given",
    ("resource-safety", ""): "a client accessed the resource after another one had been given the lock",
    ("owner-release", ""): "a client's command removed or changed a key that another client had made",
    ("grant-is-valid", "expired"): "the lock was given, and what the library promised of it was over already",
    ("grant-is-valid", "not-held"): "the lock was given, and the key was not the client's on the server",
    ("answers", "acquire"): "the call to acquire did not come back",
    ("answers", "release"): "the call to release did not come back",
    ("answers", "touch"): "the program did not answer",
    ("answers", "extend"): "the call to extend did not come back",
    ("survives", "died"): "the process ended",
    ("survives", "protocol"): "the client said something that it was not asked",
    ("loss-notification", ""): "the holder was not told that it had lost the lock",
    ("loss-notification", "false-alarm"): "the holder was told of a loss, and had the lock on the server",
    ("deadlock-freedom", "orphaned"): "the key stayed, and nobody was left to remove it",
    ("deadlock-freedom", "livelock"): "nobody got the lock, though it was free and wanted",
    ("deadlock-freedom", ""): "nobody got the lock, though it was wanted",
    ("fault-tolerance", ""): "after the fault nobody got the lock, though it was wanted",
}

GITHUB = "https://github.com"
THREADS = {"#296": f"{GITHUB}/mike-marcacci/node-redlock/issues/296",
           "#299": f"{GITHUB}/mike-marcacci/node-redlock/issues/299",
           "#313": f"{GITHUB}/mike-marcacci/node-redlock/issues/313",
           "redis-py #2243": f"{GITHUB}/redis/redis-py/issues/2243",
           "redis-py #4258": f"{GITHUB}/redis/redis-py/pull/4258",
           "laravel #26213": f"{GITHUB}/laravel/framework/issues/26213",
           "redis-semaphore #199": f"{GITHUB}/swarthy/redis-semaphore/issues/199"}


def thread(name):
    return f"[{name}]({THREADS[name]})"


EXPIRED = f"{thread('#296')}, {thread('#299')}"

REMARKS = {
    "naive": "This one is broken on purpose, and shows what a race between `GET` and `DEL` looks like.",
    "redis_py":
        "Options: `timeout` is the lease, `blocking_timeout` is not set, and `socket_timeout` is not set, which is the "
        f"default ({thread('redis-py #2243')} asks for another). A caller that sets it gets an exception where this "
        "client waits.",
    "redis_py_no_timeout":
        "As above, and without `timeout`, which is the default of `redis.lock()`: the key then has no lease.",
    "redlock4":
        "Options: `retryCount: -1`. ioredis has no `commandTimeout` unless it is given one, and sends a command again "
        "on a new connection.",
    "redlock5": "Options: `retryCount: -1`, which counts for `release` as well as for `acquire`.",
    "redlock5_waits":
        f"{thread('#296')} and {thread('#299')} describe it: in the released version the validity is counted from the "
        "first attempt, and not from the one that succeeded; the repository has a correction that was not released.",
    "redlock5_using": "Options: `automaticExtensionThreshold` is a third of the lease, `retryCount: 60`.",
    "semaphore":
        "Options: `lockTimeout` is the lease, `onLockLost` is set. ioredis has no `commandTimeout` unless it is given "
        "one.",
    "psycopg2":
        "A lock of PostgreSQL's, which belongs to a connection and has no lease: it ends with the connection, of which "
        "its holder hears with its next statement, and that is the unlock. psycopg2 has no time-out for answers.",
    "redis_lock":
        "It releases by DEL, without a token: only its own clock keeps it from deleting another one's key. It asks for "
        "a client of the package redis 4, and refuses those of later versions.",
    "laravel":
        "The lease is in whole seconds. The key has a token, which the release compares: "
        f"{thread('laravel #26213')} asked for it.",
    "malkusch":
        "The lease is in whole seconds, a second longer than the time that a caller may stay inside. Whoever stays "
        "longer gets an exception, and its key is left to its lease. Its token is drawn anew in each attempt.",
    "tooz":
        "The lease is in whole seconds, and the lock is that of redis-py. Each client first writes a key of its own, "
        "its heartbeat, which is not the lock.",
    "symfony_postgres":
        "`acquire` waits in the server, by `pg_advisory_lock`. The store keeps its connection to the database for "
        "ever: once it is broken, each later attempt of this process fails.",
    "semaphore_command_timeout": "As above, with ioredis' `commandTimeout: 100`.",
}

# (client, faults, property, kind): the thread of a tracker. A name that ends with * stands for all that begin so.
KNOWN = (
    ("redis_py_no_timeout", {"break-connection", "half-open"}, "deadlock-freedom", "orphaned",
     f"{thread('redis-py #4258')}: release clears its token before the script has run"),
    ("redis_py*", {"half-open"}, "answers", None,
     f"{thread('redis-py #2243')}: no `socket_timeout` by default"),
    ("redlock5*", {""}, "grant-is-valid", "expired", EXPIRED),
    ("redlock5_using", {""}, "loss-notification", "false-alarm", EXPIRED),
    ("redlock5*", {"pause", "delay", "flush", "clock-jump", "restart"}, "answers", "release",
     f"{thread('#313')}: release is tried for ever"),
    ("semaphore_command_timeout", {"half-open", "delay", "pause"}, "survives", "died",
     f"{thread('redis-semaphore #199')}: a refresh that times out is an unhandled rejection"),
)

# What a test makes again: client, fault, property, kind.
AGAIN = (
    ("redis_py_no_timeout", "crash", "deadlock-freedom", "orphaned"),
    ("naive", "pause", "owner-release", ""),
    ("semaphore", "half-open", "answers", "release"),
)


def remark_for(name, fault, prop, kind):
    """Where a tracker knows of it."""
    for client, faults, known_property, known_kind, where in KNOWN:
        same = name == client or (client.endswith("*") and name.startswith(client[:-1]))
        if same and fault in faults and prop == known_property and known_kind in (None, kind):
            return f"; see {where}"
    return ""
