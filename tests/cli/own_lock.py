#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A lock in Lua, under every command that takes one: own_lock.py PROGRAM ROOT simulated|real."""

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

PROGRAM, ROOT, PART = str(Path(sys.argv[1]).resolve()), Path(sys.argv[2]).resolve(), sys.argv[3]
WRONG = "function acquire(name, lease)\n  return nothing.here\nend\nfunction release(grant) return true end\n"


def call(folder, *words, code=0):
    """Standard output and errors, from this folder."""
    done = subprocess.run([PROGRAM, *words], cwd=folder, capture_output=True, text=True, timeout=120, check=False)
    text = done.stdout + done.stderr
    assert done.returncode == code, f"{words} ended with {done.returncode}, not {code}:\n{text[-3000:]}"
    return text


def has(text, *parts):
    for part in parts:
        assert part in text, f"'{part}' is missing in\n{text[-3000:]}"


def lock_beside(folder):
    """A copy of my_lock and its scenario, in a folder in which nothing else is."""
    for name in ("my_lock.lua", "my_lock.toml"):
        (folder / name).write_text((ROOT / "docs/guide/examples" / name).read_text(encoding="utf-8"), encoding="utf-8")
    (folder / "wrong.lua").write_text(WRONG, encoding="utf-8")
    return folder


def searched(folder, lock):
    found = json.loads(call(folder, "explore", "my_lock.toml", "--algorithm", lock, "--format", "json", code=1))
    broken = [(p["property"], p.get("kind")) for p in found["properties"] if p["verdict"] == "violated"]
    return found["states"], found["transitions"], broken


def check_searches(folder):
    has(call(folder, "explore", "my_lock.toml", "--out", "found/deep", code=1), "violated (double-grant)")
    file = folder / "found/deep/my_lock-mutual-exclusion-double-grant.toml"
    has(file.read_text(encoding="utf-8"), 'file = "../../my_lock.lua"')
    has(call(folder / "found", "run", "deep/" + file.name), "violated (double-grant)", "every expectation met")
    has(call(folder, "minimize", str(file.relative_to(folder)), "--out", "small.toml"), "the smallest cause")
    has((folder / "small.toml").read_text(encoding="utf-8"), 'file = "my_lock.lua"')
    has(call(folder, "run", "small.toml"), "every expectation met")
    out = call(folder, "run", "my_lock.toml", "--runs", "400", "--budget",
               str(ROOT / "scenarios/budgets/one-server.toml"), "--out", "drawn", code=1)
    has(out, "violated")
    for found in (folder / "drawn").glob("*.toml"):
        has(found.read_text(encoding="utf-8"), 'file = "../my_lock.lua"')
        call(folder, "run", f"drawn/{found.name}")
    assert searched(folder, "my_lock.lua")[2], "nothing was found"
    for lock, twin in (("set_px_token", "set-px-token"), ("get_then_del", "set-ex-get-del")):
        assert searched(folder, str(ROOT / f"scenarios/lua/{lock}.lua")) == searched(folder, twin), twin


def check_other_verbs(folder):
    has(call(folder, "frontier", "my_lock.lua", "--max-faults", "0"), "my_lock.lua on 1 server")
    has(call(folder, "frontier", "my_lock.toml"), "by any one of          pause")
    has(call(folder, "bench", "my_lock.lua", "--clients", "2", "--runs", "1", "--out", "speed"), "my_lock.lua ")
    call(folder, "run", "speed/scenarios/my_lock.lua-simulated-2-load.toml", "--quiet", code=2)
    has(call(folder, "new", "begun.lua"), "lockproof new begun --algorithm begun.lua --fault pause")
    has(call(folder, "new", "begun", "--algorithm", "begun.lua", "--fault", "pause"), 'file = "begun.lua"')
    has(call(folder, "run", "begun.toml"), "violated (outlived)", "every expectation met")
    assert searched(folder, "begun.lua") == searched(folder, "set-px-token")
    has(call(folder, "new", "begun.lua", code=64), "is there already")
    has(call(folder, "new", "other.lua", "--algorithm", "redlock", code=64), "is to be a lock")
    has(call(folder, "new", "nothing", code=64), "--algorithm: is needed for a scenario")
    has(call(folder, "new", "sub", "--algorithm", "my_lock.lua", "--fault", "pause"), 'file = "my_lock.lua"')
    has(call(folder, "run", "sub.toml"), "every expectation met")
    beside = map(str, sorted((ROOT / "scenarios/lua").glob("*.toml")))
    has(call(folder, "check", "sub.toml", *beside, "--explore"), "15 of 15 runs")
    has(call(folder, "explore", "my_lock.toml", "--liveness", "--max-faults", "0"), "liveness            holds")


def check_mistakes(folder):
    said = "lockproof: wrong.lua:2: attempt to index global 'nothing' (a nil value)"
    for words in (["run", "my_lock.toml", "--algorithm", "wrong.lua"], ["bench", "wrong.lua"],
                  ["explore", "my_lock.toml", "--algorithm", "wrong.lua", "--workers", "2"],
                  ["run", "my_lock.toml", "--algorithm", "wrong.lua", "--runs", "20"],
                  ["explore", "my_lock.toml", "--algorithm", "wrong.lua", "--engine", "reexecution"]):
        has(call(folder, *words, code=64), said)
    has(call(folder, "run", "my_lock.toml", "--algorithm", "nowhere.lua", code=64), "nowhere.lua: there is no such")
    text = (folder / "my_lock.toml").read_text(encoding="utf-8")
    for old, new, what in (("my_lock.lua", "nowhere.lua", "'file' is 'nowhere.lua', and there is no nowhere.lua"),
                           ("my_lock.lua", "my_lock", "'file' is 'my_lock'; a lock's file ends in .lua"),
                           ('file = "my_lock.lua"', 'name = "my_lock.lua"', 'write file = "my_lock.lua" for a lock of'),
                           ('file = "my_lock.lua"', 'file = "my_lock.lua"\nname = "redlock"', "are two locks")):
        (folder / "other.toml").write_text(text.replace(old, new), encoding="utf-8")
        has(call(folder, "run", "other.toml", code=64), "other.toml:", what)
    (folder / "other.toml").write_text(text.replace("my_lock.lua", "wrong.lua"), encoding="utf-8")
    out = call(folder, "check", "other.toml", str(ROOT / "scenarios/lua/lua-get-then-del.toml"), "--junit", "j.xml",
               code=64)
    has(out, "ERROR", said.removeprefix("lockproof: "), "1 of 1 runs", "1 unreadable")
    has((folder / "j.xml").read_text(encoding="utf-8"), 'errors="1"', "wrong.lua:2")


def check_checkpoint(folder):
    """A search does not go on with a lock that was edited."""
    budget = str(ROOT / "scenarios/budgets/one-server.toml")
    out = call(folder, "explore", "my_lock.toml", "--budget", budget, "--time", "2s", "--checkpoint", "stopped",
               code=1)  # what is broken by then is broken
    has(out, "the time limit")
    lua = folder / "my_lock.lua"
    lua.write_text(lua.read_text(encoding="utf-8").replace("busy()", "busy(1000)"), encoding="utf-8")
    out = call(folder, "explore", "my_lock.toml", "--budget", budget, "--resume", "stopped", code=64)
    has(out, "the checkpoint is of another lock")


def check_real(folder):
    has(call(folder, "real", str(ROOT / "scenarios/lua/lua-get-then-del.toml")), "every expectation met")
    trace = call(folder, "replay", str(ROOT / "scenarios/lua/lua-lease-outlived.toml"))
    has(trace, "confirmed on redis-server", "all equal")
    has(call(folder, "real", "my_lock.toml", "--algorithm", "wrong.lua", code=64), "wrong.lua:2: attempt to index")
    has(call(folder, "replay", "my_lock.toml", "--algorithm", "wrong.lua", code=64), "wrong.lua:2: attempt")
    soak = [PROGRAM, "soak", str(ROOT / "scenarios/lua/lua-get-then-del.toml"), "--time", "3s", "--budget",
            str(ROOT / "scenarios/budgets/one-server.toml"), "--out", "soak"]
    done = subprocess.run(soak, cwd=folder, capture_output=True, text=True, timeout=120, check=False)
    runs = re.search(r"(\d+) runs on real servers", done.stdout)
    # What is violated while the machine is late does not count, and then a soak has found nothing.
    assert done.returncode in (0, 1) and runs and int(runs[1]) > 0, done.stdout + done.stderr


def main():
    with tempfile.TemporaryDirectory() as scratch:
        folder = lock_beside(Path(scratch))
        for check in (check_real,) if PART == "real" else (check_searches, check_other_verbs, check_mistakes,
                                                           check_checkpoint):
            check(folder)
    print("a lock in Lua is as good as another")


if __name__ == "__main__":
    main()
