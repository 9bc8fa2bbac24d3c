# SPDX-License-Identifier: Apache-2.0
"""Redis's protocol and the line protocol in a few lines, so that the twins of locks in C++ need no library."""
import json
import os
import socket
import sys

NAME, LEASE_MS = os.environ.get("PREFIX", "") + os.environ["LOCKPROOF_LOCK"], os.environ["LOCKPROOF_LEASE_MS"]


class Server:
    """One connection, made at the first command."""

    def __init__(self, number=0, of="LOCKPROOF_SERVERS"):
        host, port = os.environ[of].split(",")[number].split(":")
        self.address, self.replies = (host, int(port)), None

    def send(self, *words):
        text = b"".join(b"$%d\r\n%s\r\n" % (len(word), word) for word in (str(word).encode() for word in words))
        try:
            if not self.replies:
                self.open()
            self.connection.sendall(b"*%d\r\n" % len(words) + text)
        except OSError:
            self.replies = None
            raise ConnectionError("the connection is broken") from None

    def open(self):
        self.connection = socket.create_connection(self.address)
        self.replies = self.connection.makefile("rb")

    def close(self):
        if self.replies:
            self.replies.close()
            self.connection.close()
            self.replies = None

    def call(self, *words):
        self.send(*words)
        return self.read_reply()

    def read_reply(self):
        try:
            line = self.replies.readline()
        except OSError:
            line = b""
        if not line:
            self.replies = None
            raise ConnectionError("the connection is broken")
        kind, value = line[:1], line[1:-2]
        if kind == b"-":
            raise RuntimeError(value.decode())
        if kind == b":":
            return int(value)
        if kind == b"+":
            return value.decode()
        if kind in b"*>":
            return [self.read_reply() for _ in range(int(value))]
        return None if value == b"-1" else self.replies.read(int(value) + 2)[:-2].decode()


def say(word, **more):
    print(json.dumps({"say": word, **more}), flush=True)


def serve(acquire, release):
    """acquire: the fencing number if the lock was given, true if it has none, or the fields of its answer.
    release: true if it still was its own."""
    say("ready", protocol=1)
    for line in sys.stdin:
        do = json.loads(line)["do"]
        try:
            if do == "acquire":
                won = acquire()
                more = won if isinstance(won, dict) else {"fence": won} if won and won is not True else {}
                say("acquired" if won else "busy", **more)
            elif do == "touch":
                say("touch")
            elif do == "release":
                say("released", ours=release())
        except (ConnectionError, RuntimeError) as why:
            say("failed", error=str(why))
