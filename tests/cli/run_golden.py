#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs each golden command line and compares its exit code and output.

A case is a file NAME.golden: a first line "$ PROGRAM …", a second "exit N", then the expected standard output, or,
after a line "stderr:", standard error. With UPDATE=1 the files are rewritten, to be read in the diff.
"""
import os
import pathlib
import shlex
import subprocess
import sys
import tempfile


def run(program, line, source):
    words = shlex.split(line.removeprefix(f"$ {pathlib.Path(program).name}"))
    with tempfile.TemporaryDirectory() as scratch:
        words = [word.replace("@TMP@", scratch) for word in words]
        env = {"PATH": os.environ.get("PATH", ""), "NO_COLOR": "1"}
        done = subprocess.run([program, *words], cwd=source, env=env, capture_output=True, text=True, timeout=60)
        return f"{line}\nexit {done.returncode}\n{done.stdout}" + (
            f"stderr:\n{done.stderr}" if done.stderr else "").replace(scratch, "@TMP@")


def main():
    program, folder, source = sys.argv[1:4]
    cases = sorted(pathlib.Path(folder).rglob("*.golden"))
    if not cases:
        sys.exit("no golden files found")
    failed = 0
    for case in cases:
        expected = case.read_text()
        found = run(program, expected.splitlines()[0], source)
        if os.environ.get("UPDATE"):
            case.write_text(found)
        elif found != expected:
            failed += 1
            print(f"--- {case}: expected\n{expected}\n--- found\n{found}")
    print(f"{len(cases) - failed} of {len(cases)} golden command lines as expected")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
