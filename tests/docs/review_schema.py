#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The JSON Schema of a review takes what lockproof takes, and refuses what it refuses.

Usage: review_schema.py PROGRAM ROOT
"""
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

from json_schema import JsonSchema

PROGRAM, SOURCE = sys.argv[1], Path(sys.argv[2])
SCHEMA = JsonSchema(SOURCE / "docs/reference/review.schema.json")
REFUSED = 64
GOOD = {"": 'locks = ["set-px-token"]', "service": 'name = "redis"', "job": 'servers = 2\nwork = "1s"', "trouble": ""}
# (table, what is added to it, or replaces it, whether that is right)
CASES = [
    ("", 'title = "a question"', True), ("", "locks = []", False), ("", "title = 3", False), ("", 'lock = "x"', False),
    ("", "[workload]", False), ("", 'own = ["mine.py"]', False),
    ("service", "masters = 3", True), ("service", "masters = 0", False), ("service", "masters = 16", False),
    ("service", 'replicas = 1\ndown_after = "5s"', True), ("service", "replicas = 16", False),
    ("service", 'persistence = "rdb"', True), ("service", 'persistence = "aof-everysec"', True),
    ("service", 'persistence = "aof-always"', True), ("service", 'persistence = "none"', True),
    ("service", 'persistence = "disk"', False), ("service", 'evicts = "yes"', True),
    ("service", "evicts = true", False),
    ("job", "servers = 1", False), ("job", "servers = 65", False), ("job", "servers = 64", True),
    ("job", 'work = ["1s", "4s"]', True), ("job", 'work = ["1s"]', False), ("job", "work = 1", False),
    ("job", 'lease = "?"', True), ("job", 'lease = "30s"', True), ("job", 'lease = "30"', False),
    ("job", 'period = "1h"\nstart = ["0s", "10s"]', True), ("job", "attempts = 0", False),
    ("job", "attempts = 1000", True), ("job", "attempts = 1001", False), ("job", "must_not = []", False),
    ("job", 'must_not = ["two at once", "stuck", "lost update"]', True), ("job", 'must_not = ["late"]', False),
    ("job", 'period = "1h"\nmust_not = ["twice per period"]', True),
    ("trouble", 'pause = "3s"\nnetwork = "1s"\noutage = "20s"\nclock_jump = "2s"', True),
    ("trouble", 'pause = "-3s"', False), ("trouble", 'clock_rate = "+0.1%"', True),
    ("trouble", 'clock_rate = "0.1"', False),
    ("trouble", 'crashes = "no"\nfailovers = "no"', True), ("trouble", 'crashes = "never"', False),
]


def text_of(table, change):
    """GOOD with a change: a key that is there already is said anew."""
    text = ""
    for name, lines in GOOD.items():
        keys = {line.split(" = ")[0] for line in change.splitlines()} if name == table else set()
        kept = [line for line in lines.splitlines() if line.split(" = ")[0] not in keys]
        body = kept + (change.splitlines() if name == table else [])
        text += (f"[{name}]\n" if name else "") + "".join(line + "\n" for line in body)
    return text


def refused(text):
    with tempfile.NamedTemporaryFile("w", suffix=".toml") as file:
        file.write(text)
        file.flush()
        done = subprocess.run([PROGRAM, "review", file.name, "--time", "1ms"], capture_output=True, check=False)
        assert done.returncode in (0, 1, 2, REFUSED), (text, done)
        return done.returncode == REFUSED


def schema_and_program_agree():
    for table, change, right in CASES:
        text = text_of(table, change)
        said = SCHEMA.wrong(tomllib.loads(text))
        assert (said is None) == right, (text, said)
        assert refused(text) != right, text
    for name in SCHEMA.root["properties"]["service"]["properties"]["name"]["enum"]:
        assert not refused(f'[service]\nname = "{name}"\n' + text_of("service", "").partition("[service]")[2]
                           .replace('name = "redis"\n', "")), name
    assert not refused('[job]\nservers = 2\nwork = "1s"\n') and refused("[job]\nservers = 2\n")


def every_example_is_taken():
    files = sorted((SOURCE / "docs/guide/examples/reviews").glob("*.toml"))
    assert files
    for file in files:
        assert SCHEMA.wrong(tomllib.loads(file.read_text())) is None, file


def every_key_is_in_the_reference():
    reference = (SOURCE / "docs/reference/review.md").read_text()
    for table, schema in SCHEMA.root["properties"].items():
        for key in schema.get("properties", {table: None}):
            assert f"`{key}`" in reference, f"{table}.{key} is not in the reference"


schema_and_program_agree()
every_example_is_taken()
every_key_is_in_the_reference()
print("the schema fits")
