#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""No line that lockproof prints is wider than the terminal: width.py PROGRAM ROOT [all].

A word that is wider by itself, such as a path, stands alone on its line. With `all` more commands run, which takes
minutes.
"""
import os
import re
import subprocess
import sys
import tempfile
import unicodedata
from pathlib import Path

LEASE = "scenarios/documented/leases/lease-outlived.toml"
MINE = "docs/guide/examples/my_lock.toml"
QUICK = [
    f"run {LEASE}",
    "explore scenarios/documented/leases/retry-starvation.toml --liveness",
    f"explain {LEASE} --boundary lease",
    "list",
    "list cases redis",
    # Wrong ones.
    "",
    f"run {LEASE} --sed 3",
    "run tests/cli/scenarios/bad.toml",
    "run tests/cli/scenarios/wrong-liveness.toml",
    f"minimize {LEASE} --property mutual-exclusoin",
    f"real {LEASE} --redis 127.0.0.1:1",
]
MORE = [
    f"run {LEASE} --runs 20 --strategy swarm",
    "run scenarios/documented/redlock/redlock-pause-after-grant.toml --quiet",
    "run scenarios/documented/replication/failover-lost-lock.toml",
    "run scenarios/notes/blind-del.toml",
    "run scenarios/lua/lua-lease-outlived.toml",
    "run scenarios/zookeeper/herd-own-node.toml",
    "run scenarios/postgres/row-outlived.toml",
    f"explore {MINE}",
    f"explore {MINE} --budget scenarios/budgets/one-server.toml --find causes",
    "explore scenarios/documented/leases/lease-outlived-twin.toml",
    "explore scenarios/documented/leases/lease-outlived-twin.toml --budget scenarios/budgets/one-server.toml --time 1s",
    f"explain {LEASE}",
    "minimize docs/guide/examples/too-much.toml",
    "minimize scenarios/notes/blind-del.toml",
    "check docs/guide/examples/outlived-1.toml tests/cli/scenarios",
    "check scenarios",
    "frontier set-px-token",
    "frontier scenarios/documented/replication/failover-lost-lock.toml",
    "review tests/cli/reviews/drift.toml",
    "list cases",
    "list claims",
    "list scenarios",
    "new @/mine.lua",
    "new @/mine.toml --algorithm redlock --fault pause",
    # Wrong ones.
    "rnu x",
    f"run {LEASE} --algorithm redison",
    "run scenarios/nowhere.toml",
    "run tests/cli/scenarios/for-ever.toml",
    f"run {LEASE} --runs 3 --shard 17/16",
    f"run {LEASE} --quiet --out /proc/nowhere",
    "explain scenarios/documented/leases/lease-outlived-twin.toml",
    f"explain {LEASE} --boundary leese",
    "minimize scenarios/documented/leases/lease-outlived-twin.toml --states 20",
    "frontier set-px-tokn",
    "review nowhere.toml",
    "list cases nothing-of-this-kind",
]
# What a file has is printed as it is.
FILES = re.compile(r"the scenario, which --out FILE.toml saves\n.*\n(?=reproduce:)|"
                   r"\A(?:--|#|title =).*\n(?=written:)", re.DOTALL)


def columns(text):
    """Those of a terminal: no escape sequence takes one, a combining character neither, a wide one takes two."""
    text = re.sub(r"\x1b\[[0-9;]*[A-Za-z]", "", text)
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def is_too_wide(line, width):
    """A long word may be followed by what ends it in a shell: a backslash."""
    words = line.removesuffix(" \\").split()
    return columns(line) > width and len(words) > 1


def call(program, root, scratch, words, width):
    environment = {**os.environ, "COLUMNS": str(width), "TERM": "dumb"}
    done = subprocess.run([program, *(word.replace("@", scratch) for word in words)], cwd=root, env=environment,
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300, check=False)
    return done.stdout + done.stderr


def verbs(program, root):
    text = call(program, root, "", ["--help"], 80)
    return re.findall(r"^  ([a-z]+) ", text.split("ommands:")[-1], re.MULTILINE)


def main():
    program, root, everything = str(Path(sys.argv[1]).resolve()), sys.argv[2], bool(sys.argv[3:])
    commands = [line.split() for line in QUICK + (MORE if everything else [])]
    found = verbs(program, root)
    assert {"run", "explore", "check", "list"} <= set(found), found
    pages = [["--help"], *([verb, "--help"] for verb in found)]
    wrong = lines = wider = 0
    for width, called in ((80, commands + pages), (120, commands + pages if everything else commands[:2])):
        for words in called:
            with tempfile.TemporaryDirectory() as scratch:
                text = call(program, root, scratch, words, width)
            assert text, f"lockproof {' '.join(words)} prints nothing"
            for line in FILES.sub("", text).splitlines():
                lines += 1
                wider += columns(line) > 80
                if is_too_wide(line, width):
                    wrong += 1
                    print(f"{columns(line)} columns of {width}: lockproof {' '.join(words)}:\n{line}")
    print(f"{lines} lines of {len(commands) + len(pages)} commands, {wrong} too wide")
    assert wider, "no line takes more than 80 columns where it may"
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
