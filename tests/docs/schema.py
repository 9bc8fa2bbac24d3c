#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The JSON Schema of a scenario: it takes every scenario of the tree, and refuses what lockproof refuses."""
import json
import re
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

PROGRAM, SOURCE = sys.argv[1], Path(sys.argv[2])
SCHEMA = json.loads((SOURCE / "docs/reference/scenario.schema.json").read_text())
TYPES = {"object": dict, "array": list, "string": str, "integer": int}
KNOWN = {"$schema", "$defs", "$ref", "title", "description", "type", "properties", "additionalProperties", "required",
         "items", "minItems", "maxItems", "minimum", "maximum", "pattern", "enum", "const", "oneOf"}


def wrong(value, schema, where=""):
    """What is wrong with a value, by the part of JSON Schema that the file uses; None: nothing."""
    assert set(schema) <= KNOWN, f"{where}: the schema has {set(schema) - KNOWN}, which this test does not know"
    if "$ref" in schema:
        return wrong(value, SCHEMA["$defs"][schema["$ref"].rsplit("/", 1)[1]], where)
    kind = TYPES.get(schema.get("type"))
    if kind and (not isinstance(value, kind) or isinstance(value, bool)):
        return f"{where} is no {schema['type']}"
    if "oneOf" in schema:
        fitting = [one for one in schema["oneOf"] if wrong(value, one, where) is None]
        if len(fitting) != 1:
            return f"{where} fits {len(fitting)} of {len(schema['oneOf'])} forms"
    if "enum" in schema and value not in schema["enum"] or "const" in schema and value != schema["const"]:
        return f"{where} is {value!r}, which is no choice"
    if isinstance(value, str) and "pattern" in schema and not re.search(schema["pattern"], value):
        return f"{where} is {value!r}"
    if isinstance(value, int) and not schema.get("minimum", value) <= value <= schema.get("maximum", value):
        return f"{where} is {value}"
    if isinstance(value, list):
        if not schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value)):
            return f"{where} has {len(value)} items"
        items = schema.get("items", {})
        return next((said for i, one in enumerate(value) if (said := wrong(one, items, f"{where}[{i}]"))), None)
    return wrong_table(value, schema, where) if isinstance(value, dict) else None


def wrong_table(value, schema, where):
    for key in schema.get("required", ()):
        if key not in value:
            return f"{where} has no {key}"
    properties, others = schema.get("properties", {}), schema.get("additionalProperties", True)
    for key, one in value.items():
        if key not in properties and others is False:
            return f"{where} has {key}, which is no key"
        known = properties.get(key, others if isinstance(others, dict) else {})
        if said := wrong(one, known, f"{where}.{key}"):
            return said
    return None


def scenarios():
    for folder in ("scenarios", "docs/guide/examples"):
        for file in sorted((SOURCE / folder).rglob("*.toml")):
            if not {"budgets", "reviews", "cases.toml"} & set(file.relative_to(SOURCE).parts):
                yield file


def every_scenario_is_taken():
    files = list(scenarios())
    assert len(files) > 90, len(files)
    for file in files:
        said = wrong(tomllib.loads(file.read_text()), SCHEMA)
        done = subprocess.run([PROGRAM, "run", file, "--quiet"], capture_output=True, check=False)
        refused = done.returncode == 64
        assert (said is None) or refused, f"{file}: {said}"


def what_lockproof_refuses_is_refused():
    good = '[algorithm]\nname = "set-px-token"\n[workload]\nlease = "10s"\n[[fault]]\nkind = "pause"\n' \
           'target = "client-1"\nfor = "11s"\nwhen = "client-1 enters"\n'
    assert wrong(tomllib.loads(good), SCHEMA) is None
    for old, new in (('"10s"', "10"), ('"10s"', '"10"'), ("lease", "leese"), ('"pause"', '"pauze"'),
                     ("[workload]", "[workload]\nclients = 0"), ("[workload]", "[worklaod]"),
                     ('name = "set-px-token"', ""), ("for =", "for_ ="), ('target = "client-1"\n', ""),
                     ("[workload]", '[workload]\nwork = ["hold"]'), ("[workload]", '[workload]\nstop_on = "never"')):
        bad = good.replace(old, new)
        assert bad != good and wrong(tomllib.loads(bad), SCHEMA), bad
        with tempfile.NamedTemporaryFile("w", suffix=".toml") as file:
            file.write(bad)
            file.flush()
            done = subprocess.run([PROGRAM, "run", file.name], capture_output=True, check=False)
            assert done.returncode == 64, (bad, done)


def every_key_is_in_the_reference():
    reference = (SOURCE / "docs/reference/scenario.md").read_text()
    for table, schema in SCHEMA["properties"].items():
        keys = schema.get("properties") or schema.get("items", {}).get("properties", {})
        for key in keys:
            named = (f"`{key}`", f"`{key}:", f"[[{table}.{key}]]")
            assert any(name in reference for name in named), f"[{table}] {key} is not in the reference"


every_scenario_is_taken()
what_lockproof_refuses_is_refused()
every_key_is_in_the_reference()
print("the schema fits")
