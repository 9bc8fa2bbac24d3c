#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""lockproof real --redis against a server that answers without end, or with more than there is memory for: one clear
message within the time for one call, and memory stays flat. endless_servers.py LOCKPROOF SOURCE PART

The server here passes everything on to a real one until a request has the trigger word in it; that one it answers in
its own way.
"""
import contextlib
import os
import select
import socket
import subprocess
import threading
import time

from external_run import LOCKPROOF, SHORT, SOURCE, written
from some_redis import Server

PATIENCE = 2.0  # seconds, of each call
MEGABYTES = 60 if "LOCKPROOF_SANITIZED" not in os.environ else 2000  # what is freed stays, for a while
TOO_MUCH = "it sends more than 1024 kB for one answer"
TOO_MANY = "an array with too many items"
TOO_LATE = "it has not answered, or not to the end, within 2 s"


def send_for_ever(begin, again):
    def answer(connection):
        connection.sendall(begin)
        while True:
            connection.sendall(again)
    return answer


def drip(connection):
    """Each byte comes soon enough for a time-out that begins anew with each."""
    connection.sendall(b"$5000000\r\n")
    while True:
        connection.sendall(b"a")
        time.sleep(0.05)


ANSWERS = {
    "an endless line": (send_for_ever(b"+", b"a" * 65536), TOO_MUCH),
    "a text of 500 MB": (send_for_ever(b"$500000000\r\n", b"a" * 65536), TOO_MUCH),
    "an endless array": (send_for_ever(b"*1000000000\r\n", b":1\r\n" * 10000), TOO_MANY),
    "arrays in arrays": (send_for_ever(b"", b"*1\r\n" * 10000), "it answers what is no reply of Redis's protocol"),
    "a byte now and then": (drip, TOO_LATE),
    "more than there is": (lambda connection: connection.sendall(b"$9223372036854775807\r\nabc"), ""),
}


class Between:
    """Passes on until the trigger word comes."""

    def __init__(self, real, trigger, answer):
        self.real, self.trigger, self.answer = real, trigger, answer
        self.listener = socket.socket()
        self.listener.bind(("127.0.0.1", 0))
        self.listener.listen(64)
        self.address = "127.0.0.1:%d" % self.listener.getsockname()[1]
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        with contextlib.suppress(OSError):
            while True:
                threading.Thread(target=self.pass_on, args=(self.listener.accept()[0],), daemon=True).start()

    def pass_on(self, client):
        host, port = self.real.rsplit(":", 1)
        with contextlib.suppress(OSError), client, socket.create_connection((host, int(port))) as server:
            while True:
                for ready in select.select([client, server], [], [])[0]:
                    data = ready.recv(65536)
                    if not data:
                        return
                    if ready is client and self.trigger in data.upper():
                        self.answer(client)
                    (server if ready is client else client).sendall(data)


def real(address):
    begin = time.monotonic()
    process = subprocess.Popen([LOCKPROOF, "real", written(SHORT), "--redis", address], cwd=SOURCE,
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, start_new_session=True)
    err = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, " ".join(err.split()), time.monotonic() - begin, usage.ru_maxrss / 1024


def main():
    with Server() as server:
        for name, (answer, what) in ANSWERS.items():
            code, err, took, most = real(Between(server.address, b"EXISTS", answer).address)
            print(f"{name}: {code} after {took:.1f} s with {most:.0f} MB: {err}")
            assert code == 69 and what in err and err.count("redis-1 at") == 1, f"{name}: {code} {err}"
            assert took < PATIENCE + 1, f"{name} takes {took:.1f} s"
            assert most < MEGABYTES, f"{name} takes {most:.0f} MB"
        for name in ("an endless line", "an endless array"):  # to the clients, whose SET has the scenario's lease
            answer, _ = ANSWERS[name]
            code, err, took, most = real(Between(server.address, b"$4\r\n1000\r\n", answer).address)
            print(f"{name}, to a client: {code} after {took:.1f} s with {most:.0f} MB: {err}")
            assert code in (0, 1, 2), f"{name}: {code} {err}"
            assert took < 40 and most < MEGABYTES, f"{name}, to a client: {took:.1f} s, {most:.0f} MB"


if __name__ == "__main__":
    main()
