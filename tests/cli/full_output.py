#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What cannot be printed is said: nobody got the answer. full_output.py LOCKPROOF SOURCE."""
import subprocess
import sys

LOCKPROOF, SOURCE = sys.argv[1:3]
SCENARIO = "scenarios/documented/leases/lease-outlived.toml"
COMMANDS = (["list"], ["--help"], ["run", SCENARIO], ["run", SCENARIO, "--quiet"],
            ["explore", SCENARIO, "--format", "json"], ["check", SCENARIO])


def main():
    for words in COMMANDS:
        with open("/dev/full", "wb") as full:
            done = subprocess.run([LOCKPROOF, *words], cwd=SOURCE, stdout=full, stderr=subprocess.PIPE, text=True,
                                  timeout=60, check=False)
        wanted = "lockproof: cannot write to standard output: No space left on device\n"
        assert (done.returncode, done.stderr) == (69, wanted), (words, done.returncode, done.stderr)
    print(f"{len(COMMANDS)} commands say that they cannot print")


if __name__ == "__main__":
    main()
