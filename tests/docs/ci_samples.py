#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The samples for continuous integration: ci_samples.py PROGRAM ROOT simulated|real.

Their commands are run on a team's scenarios, as a runner runs them: up to the first that fails, and then those that
always run. `simulated` has a lock in Lua, `real` a lock that is a program as well. Only the installation is not made
here; tests/package installs the package.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

PROGRAM, SOURCE, PART = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve(), sys.argv[3]
SAMPLES = ("github.yml", "gitlab.yml")
CHANGED = 5


def commands_of(sample):
    """(command, whether it always runs)"""
    text = sample.read_text()
    assert "debian:12" in text and "out/locks" in text, sample
    script, _, after = text.partition("after_script:")
    found = []
    for part, late in ((script, False), (after, True)):
        for item in re.split(r"^ +- ", part, flags=re.MULTILINE)[1:]:
            command = re.search(r"^ *(?:run: )?((?:apt-get|lockproof|cat) .*)$", item, re.MULTILINE)
            if command:
                found.append((command[1], late or "if: always()" in item))
    return found


def team(folder, expected):
    """A repository with a scenario that names a lock in Lua beside it, and perhaps one that is a program."""
    locks = folder / "locks"
    locks.mkdir()
    shutil.copy(SOURCE / "scenarios/lua/set_px_token.lua", locks / "ours.lua")
    (locks / "ours.toml").write_text(
        '[algorithm]\nfile = "ours.lua"\n[workload]\nlease = "10s"\nwork = ["read", "hold 5s", "write"]\n[explore]\n'
        f'[expect]\nrun = "{expected}"\nexplore = "holds"\n')
    if PART == "real":
        shutil.copy(SOURCE / "docs/guide/examples/clients/redis_py.py", locks / "theirs.py")
        (locks / "theirs.toml").write_text(
            '[algorithm]\ncommand = ["/usr/bin/python3", "theirs.py"]\n[workload]\nlease = "2s"\n')
    tools = folder / "tools"
    tools.mkdir()
    (tools / "lockproof").symlink_to(PROGRAM)
    apt = tools / "apt-get"
    apt.write_text('#!/bin/sh\necho "$@" >> installed\n')
    apt.chmod(0o755)
    environment = {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}", "NO_COLOR": "1",
                   "GITHUB_STEP_SUMMARY": str(folder / "step-summary.md")}
    words = [PROGRAM, "check", "locks", "--allow-clients", "--out", "out/base"]
    subprocess.run(words, cwd=folder, env=environment, capture_output=True, check=False)
    shutil.copy(folder / "out/base/results.json", locks / "baseline.json")
    return environment


def run(sample, expected, edit=None):
    """The exit codes of the commands, what they printed, and the summary of the job."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        environment = team(folder, expected)
        if edit:
            edit(folder / "locks")
        codes, said, failed = [], "", False
        for command, always in commands_of(sample):
            if failed and not always:
                continue
            done = subprocess.run(["bash", "-ec", command], cwd=folder, env=environment, capture_output=True, text=True,
                                  check=False)
            said += done.stdout + done.stderr
            codes.append(done.returncode)
            failed = failed or done.returncode != 0
        assert "install -y ./lockproof.deb" in (folder / "installed").read_text()
        results = json.loads((folder / "out/locks/results.json").read_text())
        assert (folder / "out/locks/junit.xml").exists() and len(results["runs"]) == (2 if PART == "real" else 1)
        assert (folder / "out/locks/pages/index.html").exists(), said
        pages = {page.name for page in (folder / "out/locks/pages").iterdir()}
        assert {"ours.html"} <= pages and ("theirs.html" in pages) == (PART == "real"), pages
        summary = folder / "step-summary.md"
        return codes, said, summary.read_text() if summary.exists() else ""


def other_verdict(locks):
    """As if the lock had been broken when it was merged."""
    file = locks / "baseline.json"
    results = json.loads(file.read_text())
    for one in results["runs"][0]["properties"]:
        if one["property"] == "mutual-exclusion":
            one["verdict"], one["kind"] = "violated", "outlived"
    file.write_text(json.dumps(results))


def each_sample_runs():
    for name in SAMPLES:
        codes, said, summary = run(SOURCE / "docs/ci" / name, "no-violation")
        assert not any(codes), (name, codes, said)
        assert ("runs as expected" in summary) == (name == "github.yml"), summary


def a_missed_expectation_fails_at_its_line():
    for name in SAMPLES:
        codes, said, summary = run(SOURCE / "docs/ci" / name, "violated")
        assert 1 in codes, (name, codes, said)
        if name == "github.yml":
            assert "::error file=locks/ours.toml,line=8,title=lockproof%3A ours%2C simulated::" in said, said
            assert "mutual-exclusion no violation, expected violated" in summary.replace("\\", ""), summary


def a_changed_verdict_is_told():
    for name in SAMPLES:
        codes, said, summary = run(SOURCE / "docs/ci" / name, "no-violation", other_verdict)
        assert CHANGED in codes, (name, codes, said)
        told = said if name == "gitlab.yml" else summary.replace("\\", "")
        assert "1 verdict changed" in told and "violated (outlived)" in told, told


each_sample_runs()
if PART == "simulated":
    a_missed_expectation_fails_at_its_line()
    a_changed_verdict_is_told()
print(f"the samples run ({PART})")
