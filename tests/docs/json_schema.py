# SPDX-License-Identifier: Apache-2.0
"""JSON Schema, as much of it as the schemas of docs/reference use."""
import json
import re

TYPES = {"object": dict, "array": list, "string": str, "integer": int}
KNOWN = {"$schema", "$defs", "$ref", "title", "description", "type", "properties", "additionalProperties", "required",
         "items", "minItems", "maxItems", "minimum", "maximum", "pattern", "enum", "const", "oneOf"}


class JsonSchema:
    """A schema in a file."""

    def __init__(self, file):
        self.root = json.loads(file.read_text(encoding="utf-8"))

    def wrong(self, value, schema=None, where=""):
        """What is wrong with a value; None: nothing."""
        schema = self.root if schema is None else schema
        assert set(schema) <= KNOWN, f"{where}: the schema has {set(schema) - KNOWN}, which this test does not know"
        if "$ref" in schema:
            return self.wrong(value, self.root["$defs"][schema["$ref"].rsplit("/", 1)[1]], where)
        kind = TYPES.get(schema.get("type"))
        if kind and (not isinstance(value, kind) or isinstance(value, bool)):
            return f"{where} is no {schema['type']}"
        if "oneOf" in schema:
            fitting = [one for one in schema["oneOf"] if self.wrong(value, one, where) is None]
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
            said = (self.wrong(one, items, f"{where}[{i}]") for i, one in enumerate(value))
            return next((one for one in said if one), None)
        return self._wrong_table(value, schema, where) if isinstance(value, dict) else None

    def _wrong_table(self, value, schema, where):
        for key in schema.get("required", ()):
            if key not in value:
                return f"{where} has no {key}"
        properties, others = schema.get("properties", {}), schema.get("additionalProperties", True)
        for key, one in value.items():
            if key not in properties and others is False:
                return f"{where} has {key}, which is no key"
            known = properties.get(key, others if isinstance(others, dict) else {})
            if said := self.wrong(one, known, f"{where}.{key}"):
                return said
        return None
