# SPDX-License-Identifier: Apache-2.0
"""The program lockproof: where it is, and its answers in JSON."""
from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any, Dict, Optional, Sequence

Answer = Dict[str, Any]


class ProgramError(Exception):
    """The program gave no answer: its own message."""


class Refusal(ProgramError):
    """Virtual time cannot run the client, as the program says."""


def packed_program() -> Optional[Path]:
    """The program that the wheel carries; None where the package came without one."""
    packed = Path(__file__).with_name("installed") / "bin" / "lockproof"
    return packed if packed.exists() else None


def program_path() -> str:
    """The wheel's own program, else the one on the PATH."""
    packed = packed_program()
    if packed is not None:
        return str(packed)
    found = shutil.which("lockproof")
    if found is None:
        raise ProgramError("there is no lockproof on the PATH; install its wheel, its Debian package or its archive")
    return found


def execute(words: Sequence[str], folder: Path) -> subprocess.CompletedProcess[str]:
    """One command, in this folder, whatever comes of it."""
    environment = {**os.environ, "COLUMNS": "1000"}  # its messages are shown by pytest, in lines of its own
    return subprocess.run([program_path(), *words], cwd=folder, env=environment, capture_output=True, text=True,
                          check=False)


def ask(words: Sequence[str], folder: Path) -> Answer:
    """The answer to a command. Raises Refusal, or ProgramError where there is none."""
    done = execute([*words, "--format", "json"], folder)
    try:
        answer: Answer = json.loads(done.stdout)
    except ValueError:
        message = done.stderr.strip() or f"lockproof ended with {done.returncode} and said nothing"
        raise ProgramError(message) from None
    if "refused" in answer:
        raise Refusal(answer["why"])
    return answer
