#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The JSON Schema of a scenario: it takes every scenario of the tree, and refuses what lockproof refuses."""
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

from json_schema import JsonSchema

PROGRAM, SOURCE = sys.argv[1], Path(sys.argv[2])
SCHEMA = JsonSchema(SOURCE / "docs/reference/scenario.schema.json")


def scenarios():
    for folder in ("scenarios", "docs/guide/examples"):
        for file in sorted((SOURCE / folder).rglob("*.toml")):
            if not {"budgets", "reviews", "cases.toml"} & set(file.relative_to(SOURCE).parts):
                yield file


def every_scenario_is_taken():
    files = list(scenarios())
    assert len(files) > 90, len(files)
    for file in files:
        said = SCHEMA.wrong(tomllib.loads(file.read_text()))
        done = subprocess.run([PROGRAM, "run", file, "--quiet"], capture_output=True, check=False)
        refused = done.returncode == 64
        assert (said is None) or refused, f"{file}: {said}"


def what_lockproof_refuses_is_refused():
    good = '[algorithm]\nname = "set-px-token"\n[workload]\nlease = "10s"\n[[fault]]\nkind = "pause"\n' \
           'target = "client-1"\nfor = "11s"\nwhen = "client-1 enters"\n'
    assert SCHEMA.wrong(tomllib.loads(good)) is None
    for old, new in (('"10s"', "10"), ('"10s"', '"10"'), ("lease", "leese"), ('"pause"', '"pauze"'),
                     ("[workload]", "[workload]\nclients = 0"), ("[workload]", "[worklaod]"),
                     ('name = "set-px-token"', ""), ("for =", "for_ ="), ('target = "client-1"\n', ""),
                     ("[workload]", '[workload]\nwork = ["hold"]'), ("[workload]", '[workload]\nstop_on = "never"')):
        bad = good.replace(old, new)
        assert bad != good and SCHEMA.wrong(tomllib.loads(bad)), bad
        with tempfile.NamedTemporaryFile("w", suffix=".toml") as file:
            file.write(bad)
            file.flush()
            done = subprocess.run([PROGRAM, "run", file.name], capture_output=True, check=False)
            assert done.returncode == 64, (bad, done)


def every_key_is_in_the_reference():
    reference = (SOURCE / "docs/reference/scenario.md").read_text()
    for table, schema in SCHEMA.root["properties"].items():
        keys = schema.get("properties") or schema.get("items", {}).get("properties", {})
        for key in keys:
            named = (f"`{key}`", f"`{key}:", f"[[{table}.{key}]]")
            assert any(name in reference for name in named), f"[{table}] {key} is not in the reference"


every_scenario_is_taken()
what_lockproof_refuses_is_refused()
every_key_is_in_the_reference()
print("the schema fits")
