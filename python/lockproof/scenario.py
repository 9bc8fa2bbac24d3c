# SPDX-License-Identifier: Apache-2.0
"""Scenarios as text: what a test says in keywords, in TOML. The program alone knows what is right in it."""
from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import List, Mapping, Optional, Sequence, Union

Client = Union[str, "os.PathLike[str]", Sequence[str]]
Fault = Union[str, Mapping[str, object]]


def _line(key: str, value: object) -> str:
    # A string, a list or a number is the same in JSON and in TOML.
    return f"{key} = {json.dumps(value, ensure_ascii=False)}\n"


def _algorithm(client: Client, folder: Path) -> str:
    """A list is a command, a path a program of its own, in Python, or a lock in Lua."""
    if not isinstance(client, (str, os.PathLike)):
        return _line("command", list(client))
    path = str(folder / client)
    if path.endswith(".lua"):
        return _line("file", path)
    return _line("command", [sys.executable, path] if path.endswith(".py") else [path])


def faults_text(faults: Sequence[Fault], table: str) -> str:
    """Each fault is the name of its kind, or its keys."""
    text = ""
    for fault in faults:
        keys: Mapping[str, object] = {"kind": fault} if isinstance(fault, str) else fault
        text += f"\n[[{table}]]\n" + "".join(_line(key, value) for key, value in keys.items())
    return text


def scenario_text(
    title: str,
    client: Client,
    folder: Path,
    *,
    lease: Optional[str] = None,
    hold: Optional[str] = None,
    clients: Optional[int] = None,
    tables: str = "",
) -> str:
    """`folder`: what the client's path is relative to. `tables`: more of the scenario, in TOML."""
    workload: List[str] = []
    if clients is not None:
        workload.append(_line("clients", clients))
    if lease is not None:
        workload.append(_line("lease", lease))
    if hold is not None:
        workload.append(_line("work", [f"hold {hold}"]))
    text = _line("title", title) + "\n[algorithm]\n" + _algorithm(client, folder)
    if workload:
        text += "\n[workload]\n" + "".join(workload)
    return text + (f"\n{tables.strip()}\n" if tables else "")
