#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What is wrong with a server, a scenario or a command line of lockproof real --redis is said in one message:
external_messages.py LOCKPROOF SOURCE servers|redis|input.
"""
import re
import time

from external_run import PART, SHORT, real, written
from some_redis import Connection, Server, free_port, somebody


def wrong(what, addresses, *words, scenario=None, code=69, **secret):
    begin = time.monotonic()
    _, err = real(scenario or written(SHORT), addresses, *words, code=code, **secret)
    text = " ".join(err.removeprefix("lockproof: ").split())
    assert re.fullmatch(what, text), f"{what}\n{text}"
    assert time.monotonic() - begin < 8


def about_servers():
    """Who only looks like one, and who is none."""
    wrong(r"redis-1 at 127.0.0.1:\d+: cannot connect: Connection refused; is the server up, and may this user reach "
          r"it\? Without --redis lockproof starts its own", f"127.0.0.1:{free_port()}")
    wrong(r"redis-1 at /no/such/socket: cannot connect: No such file or directory; .*", "/no/such/socket")
    wrong(r"redis-1 at no-such-host.invalid:1: the host 'no-such-host.invalid' is not known: .*",
          "no-such-host.invalid:1")
    answers = (
        (None, r"the connection is there, but PING has no answer within 2 s: the server is too slow, or stopped, or no "
               r"Redis server"),
        (b"", r"it ends the connection without an answer to PING; maybe it is no Redis server, or speaks TLS only, "
              r"which lockproof does not"),
        (b"HTTP/1.1 400 Bad Request\r\n\r\n", r"this is no Redis server: it answers PING with 'HTTP/1.1 400 Bad "
                                              r"Request'"),
        (b"-LOADING Redis is loading the dataset in memory\r\n", r"it is still loading its data; try again when it is "
                                                                 r"done"),
        (b"-MASTERDOWN Link with MASTER is down\r\n", r"this is a replica that has lost its master, and serves none"),
        (b"-DENIED Redis is running in protected mode because\r\n", r"it is in protected mode, and accepts no "
         r"connections over the network without a password"),
        (b"-ERR max number of clients reached\r\n", r"it refuses PING: ERR max number of clients reached"),
    )
    for answer, what in answers:
        with somebody(answer) as (address, _):
            wrong(rf"redis-1 at {address}: {what}", address)
    about_pretenders()


def pretender(info, auth="+OK"):
    """Answers PING, AUTH and INFO."""
    text = f"${len(info)}\r\n{info}\r\n"
    return lambda asked: (text if b"INFO" in asked else f"{auth}\r\n" if b"AUTH" in asked else "+PONG\r\n").encode()


def about_pretenders():
    """What cannot be had here: other versions, and a Sentinel, by what they say of themselves."""
    version = "redis_version:7.0.15\r\nrun_id:1\r\n"
    infos = (
        ("redis_version:2.6.11\r\n", r"this is Redis 2.6.11; SET with NX and PX came with 2.6.12"),
        ("memcached:1\r\n", r"this is no Redis server: its INFO names no redis_version"),
        (version + "redis_mode:sentinel\r\n",
         r"this is a Redis Sentinel, which stores nothing; give the address of the master that it watches"),
        (version + "loading:1\r\n", r"it is still loading its data; try again when it is done"),
        (version + "role:slave\r\nslave_read_only:0\r\nmaster_host:m\r\nmaster_port:7\r\n",
         r"this is a replica; give the address of its master, m:7"),
    )
    for info, what in infos:
        with somebody(pretender(info)) as (address, _):
            wrong(rf"redis-1 at {address}: {what}", address)
    answers = (
        ("-ERR Client sent AUTH, but no password is set", r"it asks for no password; unset LOCKPROOF_REDIS_PASSWORD"),
        ("-ERR invalid password", r"it refuses the password in LOCKPROOF_REDIS_PASSWORD for the user 'anna'"),
        ("-ERR wrong number of arguments for 'auth' command", r"it knows no users, which came with Redis 6.0; unset "
                                                              r"LOCKPROOF_REDIS_USERNAME"),
    )
    for answer, what in answers:
        with somebody(pretender(version, answer)) as (address, _):
            wrong(rf"redis-1 at {address}: {what}", address, password="secret-1", username="anna")


def slowly(server):
    """Passes on what is asked, later than the scenario waits."""
    to = Connection(server.path)

    def answer(asked):
        time.sleep(0.04)
        to.socket.sendall(asked)
        return to.socket.recv(100_000)
    return answer


def about_redis():
    with Server() as one, Server("--requirepass", "secret-1", password="secret-1") as locked:
        wrong(rf"redis-1 at {locked.address}: it asks for a password; set the environment variable "
              r"LOCKPROOF_REDIS_PASSWORD, and LOCKPROOF_REDIS_USERNAME where the server has users", locked.address)
        wrong(rf"redis-1 at {locked.address}: it refuses the password in LOCKPROOF_REDIS_PASSWORD", locked.address,
              password="secret-2")
        wrong(rf"redis-1 at {locked.address}: it refuses the password in LOCKPROOF_REDIS_PASSWORD for the user 'anna'",
              locked.address, password="secret-1", username="anna")
        wrong(rf"redis-1 at {one.address}: it asks for no password; unset LOCKPROOF_REDIS_PASSWORD", one.address,
              password="secret-1")
        three = written(SHORT.replace("set-px-token", "redlock") + "[servers]\nredis = 3\n", "three")
        with somebody(slowly(one)) as (address, _):
            wrong(rf"redis-1 at {address}: its quickest answer took 4\d ms, and the scenario's calls give up after 20 "
                  r"ms", address, scenario=written(SHORT + '[network]\ntimeout = "20ms"\n', "slow"))
        with Server() as two:
            wrong(rf"redis-2 at unix:{one.path}: this is the same server as redis-1, and a majority of servers must be "
                  rf"several redis-3 at {locked.address}: it asks for a password; .*",
                  f"{one.address},unix:{one.path},{locked.address}", scenario=three)
            wrong(rf"--redis: {three} needs 3 servers \(redis-1, redis-2, redis-3\), and 2 addresses are given; "
                  r"separate them by commas", f"{one.address},{two.address}", scenario=three, code=64)
            two.own.ask("REPLICAOF", "127.0.0.1", one.port)
            wrong(rf"redis-1 at {two.address}: this is a replica, which is read-only; give the address of its master, "
                  rf"{one.address}", two.address)
            one.own.ask("SET", "p:lock", "somebody's")
            wrong(rf"redis-1 at {one.address}: other users' keys exist already: p:lock; choose another --prefix",
                  one.address, "--prefix", "p:")
            assert one.own.ask("GET", "p:lock") == b"somebody's"
            one.own.ask("CONFIG", "SET", "min-replicas-to-write", 5)
            wrong(rf"--redis: this uses .* redis-1 at {one.address}: it refuses SET of \S+: NOREPLICAS .*",
                  one.address)
            one.own.ask("CONFIG", "SET", "min-replicas-to-write", 0, "maxclients", 4)
            wrong(rf"redis-1 at {one.address}: it has \d of at most 4 clients, and 5 more are needed", one.address)
        one.own.ask("ACL", "SETUSER", "default", "-eval")
        one.own.ask("CONFIG", "SET", "maxclients", 100)
        wrong(rf"--redis: this uses .* redis-1 at {one.address}: its user may not do what is needed, EVAL on "
              r"lockproof:\w+:lock: NOPERM .*", one.address)
        one.own.ask("ACL", "SETUSER", "default", "+eval")
        one.own.ask("CONFIG", "SET", "maxmemory", "100mb", "maxmemory-policy", "allkeys-lru")
        _, err = real(written(SHORT), one.address)
        assert "warning: redis-1 evicts keys when it is short of memory (allkeys-lru); it may take the lock away" in err
    slow = ("--enable-debug-command", "local", "--loading-process-events-interval-bytes", "1024", "--key-load-delay",
            "1000")
    with Server(*slow) as loading:
        loading.own.ask("DEBUG", "POPULATE", 400, "key", 5000)
        other = Connection(loading.path)
        other.socket.sendall(b"DEBUG RELOAD\r\n")
        while not loading.own.ask("PING").startswith("LOADING"):
            time.sleep(0.01)
        wrong(rf"redis-1 at {loading.address}: it is still loading its data; try again when it is done",
              loading.address)
        assert other.read() == "OK"
    with Server("--cluster-enabled", "yes", "--cluster-port", str(free_port())) as cluster:
        wrong(rf"redis-1 at {cluster.address}: this is a node of a Redis Cluster, which sends clients elsewhere; "
              r"lockproof does not follow", cluster.address)


def about_command_lines():
    for address, what in (("localhost", r"'localhost' is no address; write host:port, as in 127.0.0.1:6379, or .*"),
                          ("localhost:0", r"'localhost:0' has no port from 1 to 65535; write it as in 127.0.0.1:6379"),
                          ("::1:6379", r"'::1:6379' is ambiguous; write an IPv6 address in brackets, as in .*"),
                          ("redis://localhost:6379", r"'redis://localhost:6379' is a URL; write host:port, .*"),
                          ("me:secret-9@localhost:6379", r"an address has no password in it, which every user .*"),
                          ("unix:", r"'unix:' names no path; write it as in unix:/run/redis.sock"),
                          ("/" + 200 * "x", r"the path '/x+' is longer than the 107 bytes that a socket may have")):
        wrong(rf"--redis: {what}", address, code=64)
    wrong(r"--prefix: letters, digits and signs, .*", "localhost:1", "--prefix", "a b", code=64)
    wrong(r"LOCKPROOF_REDIS_USERNAME: a user needs a password; set LOCKPROOF_REDIS_PASSWORD as well", "localhost:1",
          code=64, username="anna")


HARMS = {
    'kind = "pause"\nfor = "1s"': "pause of redis-1, would stop the server for all its users",
    'kind = "restart"\nfor = "1s"': "restart of redis-1, would end the server",
    'kind = "power-cut"\nfor = "1s"': "power-cut of redis-1, would end the server",
    'kind = "clock-jump"\nby = "1s"': "clock-jump of redis-1, would change the server's clock",
    'kind = "clock-rate"\nrate = "50%"': "clock-rate of redis-1, would change the server's clock",
    'kind = "evict"': "evict of redis-1, would make the server short of memory",
    'kind = "flush"': "flush of redis-1, would delete all keys of the server",
}
SETTINGS = {
    '[servers]\nredis = 2\n[[server]]\nname = "redis-2"\nreplica_of = "redis-1"\n':
        "redis-2 is a replica of redis-1, and with --redis lockproof links no servers",
    '[[server]]\nname = "redis-1"\nclock = "1s"\n':
        "redis-1 has a clock of its own, and with --redis no clock is set",
    '[[server]]\nname = "redis-1"\nmin_replicas_to_write = 1\n':
        r"redis-1 counts its replicas \(min_replicas_to_write\), and with --redis nothing is set up",
}


def about_scenarios():
    """Nobody is even asked."""
    with somebody(None) as (address, seen):
        for fault, what in HARMS.items():
            text = SHORT + f'[[fault]]\n{fault}\ntarget = "redis-1"\nat = "10ms"\n'
            path = written(text, "harm")
            line = text[:text.index("[[fault]]")].count("\n") + 1
            wrong(rf"{path}:{line}: fault 1, {what}, and with --redis that is not lockproof's; leave out --redis, and "
                  r"lockproof starts servers of its own for it", address, scenario=path, code=64)
        for setting, what in SETTINGS.items():
            path = written(SHORT + setting, "set")
            wrong(rf"{path}: {what}; leave out --redis, and lockproof starts servers of its own for it", address,
                  scenario=path, code=64)
        sentinel = "scenarios/documented/replication/sentinel-lost-lock-twin.toml"
        wrong(rf"{sentinel}:?\d*: .*; leave out --redis, and lockproof starts servers of its own for it", address,
              scenario=sentinel, code=64)
        assert not seen


def about_input():
    about_command_lines()
    about_scenarios()


if __name__ == "__main__":
    {"servers": about_servers, "redis": about_redis, "input": about_input}[PART]()
