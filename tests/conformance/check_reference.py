#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares docs/reference/redis.md with what `lockproof conformance --reference` prints.

With UPDATE=1 it is rewritten.
"""
import os
import pathlib
import subprocess
import sys


def main():
    program, page = sys.argv[1], pathlib.Path(sys.argv[2])
    found = subprocess.run([program, "conformance", "--reference"], capture_output=True, text=True, check=True).stdout
    if os.environ.get("UPDATE"):
        page.write_text(found)
    elif not page.exists() or page.read_text() != found:
        sys.exit(f"{page.name} is out of date; make it again: "
                 "lockproof conformance --reference > docs/reference/redis.md")


if __name__ == "__main__":
    main()
