# SPDX-License-Identifier: Apache-2.0
"""A lock of one command that does something odd before it asks, which its argument names."""
import json
import os
import signal
import socket
import sys


def say(**words):
    print(json.dumps(words), flush=True)


def command(server, *words):
    parts = [f"${len(word)}\r\n{word}\r\n" for word in words]
    server.sendall(f"*{len(words)}\r\n{''.join(parts)}".encode())
    return server.recv(4096)


host, port = os.environ["LOCKPROOF_SERVERS"].split(",")[0].split(":")
lock, name, lease = (os.environ[f"LOCKPROOF_{one}"] for one in ("LOCK", "CLIENT", "LEASE_MS"))
say(say="ready", protocol=1, name="an odd lock")
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
        else:
            os.kill(os.getppid(), signal.SIGSTOP)
        reply = command(server, "SET", lock, name, "NX", "PX", lease)
        say(say="acquired" if reply.startswith(b"+OK") else "busy")
    elif order == "release":
        command(server, "DEL", lock)
        say(say="released")
    elif order == "quit":
        break
    else:
        say(say=order)
