# SPDX-License-Identifier: Apache-2.0
"""Writing the TOML of a scenario that was changed."""

import json


def toml_text(table, path=()):
    """A table of texts, numbers, lists and tables, as TOML; reading it gives the table again."""
    lines = [f"{_key(name)} = {_value(value)}" for name, value in table.items() if not _is_table(value)]
    text = "".join(line + "\n" for line in lines)
    for name, value in table.items():
        if not _is_table(value):
            continue
        inner = (*path, name)
        head = ".".join(_key(part) for part in inner)
        if isinstance(value, dict):
            text += f"\n[{head}]\n{toml_text(value, inner)}"
        else:
            text += "".join(f"\n[[{head}]]\n{toml_text(one, inner)}" for one in value)
    return text


def _is_table(value):
    return isinstance(value, dict) or (isinstance(value, list) and value and all(isinstance(v, dict) for v in value))


def _key(name):
    return name if name.replace("-", "").replace("_", "").isalnum() and name.isascii() else _text(name)


def _value(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return "[" + ", ".join(_value(one) for one in value) + "]"
    return _text(value) if isinstance(value, str) else str(value)


def _text(value):
    return json.dumps(value, ensure_ascii=True).replace("\\u007f", "\\u007F")
