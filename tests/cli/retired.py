#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A retired key, option, command or choice is refused with its new name, and one that files of the version before have
is read, with one hint: retired.py LOCKPROOF SOURCE."""

import subprocess
import sys
import tempfile
from pathlib import Path

LOCKPROOF, SOURCE = str(Path(sys.argv[1]).resolve()), sys.argv[2]
HEAD = '[algorithm]\nname = "set-px-token"\n'
TWO_SERVERS = '[servers]\nredis = 2\n[[server]]\nname = "redis-2"\nreplica_of = "redis-1"\n'
SCENARIO = "scenarios/documented/leases/lease-outlived.toml"

KEYS = {
    "[workload]\npatience = \"60s\"\n": ("patience", "acquire_timeout"),
    "[[client]]\nname = \"client-1\"\npatience = \"60s\"\n": ("patience", "acquire_timeout"),
    "[workload]\nrest = \"1s\"\n": ("rest", "think_time"),
    "[workload]\nobeys = \"deadline\"\n": ("obeys", "stop_on"),
    "[real]\nscale = 8\n": ("scale", "speedup"),
    TWO_SERVERS + "[[sentinel]]\nmaster = \"redis-1\"\npromotes = \"redis-2\"\ntold = [\"client-1\"]\n":
        ("told", "notified"),
    TWO_SERVERS + "[[fault]]\nkind = \"failover\"\ntarget = \"redis-1\"\nto = \"redis-2\"\nat = \"1s\"\n"
    "told = [\"client-1\"]\n": ("told", "notified"),
    "[[fault]]\nkind = \"partition\"\ntarget = \"client-1\"\nat = \"1s\"\nfor = \"1s\"\nway = \"both\"\n":
        ("way", "direction"),
    "[[fault]]\nkind = \"drop\"\ntarget = \"client-1\"\nwhen = \"client-1 before SET\"\n": ("drop", "half-open"),
    "[explore]\n[[explore.fault]]\nkind = \"drop\"\n": ("drop", "half-open"),
    "[expect]\nprogress = \"holds\"\n": ("progress", "liveness"),
    "[expect.run]\nnot-vacuous = \"violated\"\n": ("not-vacuous", "exercised"),
}

WORDS = {
    ("explore", SCENARIO, "--progress"): ("--progress", "--liveness"),
    ("explore", SCENARIO, "--engine", "interned"): ("interned", "stateful"),
    ("explore", SCENARIO, "--engine", "replay"): ("replay", "reexecution"),
    ("new", "a", "--algorithm", "set-px-token", "--fault", "drop"): ("drop", "half-open"),
}

READ = {("not-found", "no-violation")}


def read_with_one_hint(command, file, old, now):
    """The old word does what the new one does; --baseline is of what `check` wrote."""
    done = subprocess.run([LOCKPROOF, *command], cwd=SOURCE, capture_output=True, text=True, timeout=60, check=False)
    hint = f"lockproof: {file}: '{old}' is now called '{now}'; this version still reads the old word"
    if done.returncode != 0 or done.stderr.count(hint) != 1 or done.stderr.count("\n") != 1 or old in done.stdout:
        sys.exit(f"retired: {command} ends with {done.returncode}: {done.stdout}{done.stderr}")
    return done.stdout


def refused(command, old, now):
    done = subprocess.run([LOCKPROOF, *command], cwd=SOURCE, capture_output=True, text=True, timeout=60, check=False)
    if done.returncode != 64 or f"'{old}' is now called '{now}'" not in done.stderr:
        sys.exit(f"retired: {command} ends with {done.returncode}: {done.stderr}")


with tempfile.TemporaryDirectory() as folder:
    file = Path(folder) / "old.toml"
    for old, now in READ:
        for name in ("a.toml", "b.toml"):
            (Path(folder) / name).write_text(f'{HEAD}[expect]\nrun = "{old}"\n', encoding="utf-8")
        one, then = str(Path(folder) / "a.toml"), Path(folder) / "then.json"
        read_with_one_hint(["run", one], one, old, now)
        results = read_with_one_hint(["check", folder, "--format", "json"], f"{one} and 1 more", old, now)
        then.write_text(results.replace(f'"{now}"', f'"{old}"').replace('"schema_version": 2', '"schema_version": 1'),
                        encoding="utf-8")
        for name in ("a.toml", "b.toml"):
            (Path(folder) / name).write_text(f'{HEAD}[expect]\nrun = "{now}"\n', encoding="utf-8")
        compared = read_with_one_hint(["check", folder, "--baseline", str(then)], then, old, now)
        if "nothing changed" not in compared:
            sys.exit(f"retired: {compared}")
    for text, words in KEYS.items():
        file.write_text(HEAD + text, encoding="utf-8")
        refused(["run", str(file)], *words)
for words, names in WORDS.items():
    refused(words, *names)
table = (Path(SOURCE) / "harness/scenario/retired.cpp").read_text(encoding="utf-8")
for old, now in [*KEYS.values(), *WORDS.values()]:
    if f'RetiredWord{{"{old}", "{now}"}}' not in table:
        sys.exit(f"retired: {old} is not in the table")
TRIED = {old for old, _ in [*KEYS.values(), *WORDS.values(), *READ]}
if missing := [row for row in table.split("RetiredWord{\"")[1:]
               if row.split("\"")[0] not in TRIED and "as_command" not in row]:
    sys.exit(f"retired: nobody tries {missing}")
print(f"{len(KEYS) + len(WORDS)} old words are refused with the new ones")
