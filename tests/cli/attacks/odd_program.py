# SPDX-License-Identifier: Apache-2.0
"""A lock of one command that does something odd before it asks, which its argument names."""
import json
import os
import signal
import socket
import sys
import threading
import time


def say(**words):
    print(json.dumps(words), flush=True)


def command(server, *words):
    parts = [f"${len(word)}\r\n{word}\r\n" for word in words]
    server.sendall(f"*{len(words)}\r\n{''.join(parts)}".encode())
    return server.recv(4096)


def catches_its_own(server):
    caught = []
    signal.signal(signal.SIGUSR1, lambda *_: caught.append(1))
    signal.raise_signal(signal.SIGUSR1)
    os.kill(os.getpid(), signal.SIGUSR1)
    assert caught == [1, 1]


def says_more(bytes_of_each, lines):
    for _ in range(lines):
        say(say="lost", round=0, more="x" * bytes_of_each)


def has_threads(server):
    for _ in range(80):
        threading.Thread(target=time.sleep, args=(1,), daemon=True).start()


def gets_much(server):
    command(server, "SET", "much", "x" * 80_000)
    command(server, "GET", "much")


ODD = {
    "sends-much": lambda server: command(server, "SET", "much", "x" * 2_000_000),
    "gets-much": gets_much,
    "runs-another": lambda server: os.execv("/bin/true", ["true"]),
    "listens": lambda server: socket.socket().listen(),
    "sets-timer": lambda server: signal.setitimer(signal.ITIMER_REAL, 1),
    "sends-datagram": lambda server: socket.socket(type=socket.SOCK_DGRAM).sendto(b"x", ("127.0.0.1", 9)),
    "signals-parent": lambda server: os.kill(os.getppid(), signal.SIGTERM),
    "stops-itself": lambda server: os.kill(os.getpid(), signal.SIGSTOP),
    "has-threads": has_threads,
    "signals-itself": catches_its_own,
    "ends-itself": lambda server: os.kill(os.getpid(), signal.SIGKILL),
    "long-line": lambda server: says_more(5000, 1),
    "many-lines": lambda server: says_more(0, 10_001),
    "asks-what-is-missing": lambda server: command(server, "CLIENT", "NO-EVICT", "on"),
}
host, port = os.environ["LOCKPROOF_SERVERS"].split(",")[0].split(":")
lock, name, lease = (os.environ[f"LOCKPROOF_{one}"] for one in ("LOCK", "CLIENT", "LEASE_MS"))
say(say="ready", protocol=2 if sys.argv[1] == "other-protocol" else 1, name="an odd lock")
server = socket.create_connection((host, int(port)))
for line in sys.stdin:
    order = json.loads(line)["do"]
    if order == "acquire":
        if sys.argv[1] == "is-loud":
            for _ in range(10):
                os.write(2, b"x" * 1_000_000)
        elif sys.argv[1] == "grows":
            more = bytearray(os.urandom(1_000_000) * 8)
        elif sys.argv[1] == "spins":
            while True:
                pass
        elif sys.argv[1] == "stops-parent":
            os.kill(os.getppid(), signal.SIGSTOP)
        elif sys.argv[1] in ODD:
            ODD[sys.argv[1]](server)
        reply = command(server, "SET", lock, name, "NX", "PX", lease)
        say(say="acquired" if reply.startswith(b"+OK") else "busy")
    elif order == "release":
        if sys.argv[1] == "sleeps-in-release":
            time.sleep(1_000_000)
        command(server, "DEL", lock)
        say(say="released")
    elif order == "quit":
        break
    else:
        say(say=order)
