# SPDX-License-Identifier: Apache-2.0
"""A sweep tells each finding as it comes, and one that is stopped keeps what it had found."""

import json
import pathlib
import signal
import subprocess
import sys
import tempfile

from best_time import best_time

PROGRAM = sys.argv[1]
# It takes the lock whoever has it.
LOCK = r"""
import json, os, socket, sys, time
host, port = os.environ["LOCKPROOF_SERVERS"].split(",")[0].split(":")
wire = socket.create_connection((host, int(port))); replies = wire.makefile("rb")
def ask(*words):
    words = [word.encode() for word in words]
    wire.sendall(b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%s\r\n" % (len(w), w) for w in words))
    line = replies.readline()
    if not line.startswith(b"$") or line == b"$-1\r\n": return line.strip()
    return replies.read(int(line[1:]) + 2)[:-2]
def say(word, **more): print(json.dumps({"say": word, **more}), flush=True)
say("ready", protocol=1, name="test")
for line in sys.stdin:
    do = json.loads(line)["do"]
    if do == "acquire": ask("SET", "lock", os.environ["LOCKPROOF_CLIENT"]); say("acquired")
    elif do == "touch": say("touch")
    elif do == "release": ask("DEL", "lock"); say("released")
    else: break
"""

with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    (folder / "lock.py").write_text(LOCK, encoding="utf-8")
    (folder / "lock.toml").write_text(
        '[algorithm]\ncommand = ["/usr/bin/python3", "lock.py"]\n[servers]\nredis = 1\n'
        '[workload]\nclients = 2\nlease = "300ms"\n', encoding="utf-8")
    sweep = subprocess.Popen([PROGRAM, "sweep", "lock.toml", "--out", "found", "--workers", "2"], cwd=folder,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    for line in sweep.stderr:
        if line.startswith("found: mutual-exclusion (double-grant), without a fault"):
            sweep.send_signal(signal.SIGTERM)
            break
    out, rest = sweep.communicate(timeout=100)
    assert sweep.returncode in (1, 3), (sweep.returncode, out, rest)
    swept = json.loads((folder / "found/sweep.json").read_text(encoding="utf-8"))
    ways = {(one["property"], one.get("kind", "")) for one in swept["violations"]}
    assert ("mutual-exclusion", "double-grant") in ways, ways
    assert list((folder / "found").glob("finding-*.toml")), "the scenario of what was found is written"
    for limit in (1, 6):  # in its first runs, and when it strikes
        words = [PROGRAM, "sweep", "lock.toml", "--time", f"{limit}s"]
        swept, took = best_time(
            lambda: subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=100, check=False),
            limit + 1.5)
        assert swept.returncode in (1, 2, 3), (swept.returncode, swept.stdout, swept.stderr)
        assert took < limit + 1.5, f"--time {limit}s: {took:.1f} s"
print("stopped, and nothing of it lost")
