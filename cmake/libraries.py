#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Copies the shared libraries that a program needs, and those that they need, without the C library's own:
libraries.py PROGRAM INTO FOLDER…. It reads the files and runs nothing, so that the program may be another machine's.
"""

import re
import shutil
import subprocess
import sys
from pathlib import Path

OF_THE_C_LIBRARY = re.compile(r"ld-linux|lib(c|m|dl|rt|pthread|resolv)\.so")


def needed(binary):
    said = subprocess.run(["readelf", "-dW", binary], capture_output=True, text=True, check=True).stdout
    return [name for name in re.findall(r"\(NEEDED\).*\[(.*)\]", said) if not OF_THE_C_LIBRARY.match(name)]


def found(name, folders):
    for folder in folders:
        if (folder / name).exists():
            return folder / name
    return sys.exit(f"{name} is in none of {', '.join(map(str, folders))}")


def main():
    program, into, *folders = map(Path, sys.argv[1:])
    into.mkdir(parents=True, exist_ok=True)
    copied, to_read = set(), [program]
    while to_read:
        for name in needed(to_read.pop()):
            if name in copied:
                continue
            copied.add(name)
            shutil.copy(found(name, folders), into / name)
            to_read.append(into / name)


if __name__ == "__main__":
    main()
