#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The samples for continuous integration: their commands are run on a team's scenarios, with a lock of its own. Only
the installation is not made here; tests/package installs the package."""
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

PROGRAM, SOURCE = Path(sys.argv[1]).resolve(), Path(sys.argv[2])


def commands_of(sample):
    text = sample.read_text()
    assert "debian:12" in text and "out/locks" in text, sample
    return re.findall(r"^ +- (?:run: )?((?:apt-get|lockproof) .*)$", text, re.MULTILINE)


def team(folder, expected):
    """A repository with a scenario that names a lock in Lua beside it."""
    locks = folder / "locks"
    locks.mkdir()
    shutil.copy(SOURCE / "scenarios/lua/set_px_token.lua", locks / "ours.lua")
    (locks / "ours.toml").write_text(
        '[algorithm]\nfile = "ours.lua"\n[workload]\nlease = "10s"\nwork = ["read", "hold 5s", "write"]\n[explore]\n'
        f'[expect]\nrun = "{expected}"\nexplore = "holds"\n')
    tools = folder / "tools"
    tools.mkdir()
    (tools / "lockproof").symlink_to(PROGRAM)
    apt = tools / "apt-get"
    apt.write_text('#!/bin/sh\necho "$@" >> installed\n')
    apt.chmod(0o755)
    return {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}"}


def run(sample, expected):
    """The exit codes of the commands, up to the first that fails, as a runner runs them."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        environment = team(folder, expected)
        codes = []
        for command in commands_of(sample):
            done = subprocess.run(["sh", "-ec", command], cwd=folder, env=environment, capture_output=True, check=False)
            codes.append(done.returncode)
            if done.returncode:
                break
        assert "install -y ./lockproof.deb" in (folder / "installed").read_text()
        assert (folder / "out/locks/junit.xml").exists() and (folder / "out/locks/results.json").exists()
        return codes


for name in ("github.yml", "gitlab.yml"):
    sample = SOURCE / "docs/ci" / name
    assert run(sample, "not-found") == [0, 0, 0], name
    assert run(sample, "violated") == [0, 1], name
print("both samples run")
