# SPDX-License-Identifier: Apache-2.0
# SET NX PX and DEL, over a connection that is made again when it is gone. The first argument changes something:
# "fails": its first acquire and its first release fail; "clock": it promises its wall clock's seconds, modulo 10 000;
# "once": it ends when it is asked for the lock a second time; "touchless": each touch fails.
import json
import os
import socket
import sys
import time

HOST, PORT = os.environ["LOCKPROOF_SERVERS"].split(",")[0].split(":")
KEY, LEASE = os.environ["LOCKPROOF_LOCK"], os.environ["LOCKPROOF_LEASE_MS"]
MODE = sys.argv[1] if len(sys.argv) > 1 else ""
WIRE = None


def command(*words):
    global WIRE
    try:
        if WIRE is None:
            WIRE = socket.create_connection((HOST, int(PORT)), 1)
        text = "*%d\r\n" % len(words) + "".join("$%d\r\n%s\r\n" % (len(word), word) for word in words)
        WIRE.sendall(text.encode())
        answer = WIRE.recv(4096)
        if not answer or answer.startswith(b"-"):
            raise OSError("no answer")
        return answer
    except OSError:
        if WIRE:
            WIRE.close()
        WIRE = None
        raise


def say(word, **more):
    print(json.dumps({"say": word, **more}), flush=True)


def acquire():
    if b"OK" not in command("SET", KEY, "x", "NX", "PX", LEASE):
        return say("busy")
    return say("acquired", **({"valid_ms": int(time.time() % 10000) * 1000} if MODE == "clock" else {}))


def release():
    command("DEL", KEY)
    say("released")


fails = {"acquire", "release"} if MODE == "fails" else set()
say("ready", protocol=1, name="lock.py")
for line in sys.stdin:
    told = json.loads(line)["do"]
    if told == "quit":
        break
    if told == "acquire" and MODE == "once" and WIRE:
        sys.exit(3)
    if told == "touch" and MODE == "touchless":
        say("failed", error="no resource")
        continue
    if told in fails:
        fails.remove(told)
        say("failed", error="first " + told)
        continue
    try:
        {"acquire": acquire, "touch": lambda: say("touch"), "release": release}[told]()
    except OSError as error:
        say("failed", error=str(error))
