#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every JSON document says which form it has and which lockproof wrote it: each command with --format json, and each
file that --out writes.

Usage: json_heads.py PROGRAM ROOT simulated|real
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

SCENARIO = "scenarios/documented/leases/lease-outlived.toml"
BROKEN = "scenarios/notes/setnx-expire-crash.toml"
VERSIONS = {"lockproof_history": 2, "schema_version": 2}
# command -> the files that it writes into --out
SIMULATED = {
    ("run", SCENARIO): ["verdict.json", "history.jsonl"],
    ("run", SCENARIO, "--runs", "20"): ["verdict.json"],
    ("join", "@plan@", "@answers@"): ["verdict.json"],
    ("explore", SCENARIO): ["verdict.json"],
    ("explore", "scenarios/documented/leases/retry-starvation.toml", "--liveness"): ["verdict.json"],
    ("check", SCENARIO): ["results.json"],
    ("check", SCENARIO, "--explore"): ["results.json"],
    ("minimize", BROKEN): ["minimize.json"],
    ("frontier", "tests/cli/scenarios/frontier-small.toml"): ["frontier.json"],
    ("explain", SCENARIO): [],
    ("compare", SCENARIO, "lease-outlived-fenced"): ["compared.json"],
    ("explore", SCENARIO, "--not-in", "lease-outlived-fenced"): ["not-in.json"],
    ("judge", *(f"docs/guide/examples/incident/{log}.log" for log in ("monitor", "invoicer-1", "invoicer-2"))):
        ["judged.json", "history.jsonl"],
    ("review", "docs/guide/examples/reviews/quick.toml"): [],
    ("list", "cases"): [],
    ("bench", "setnx-del", "--clients", "2", "--runs", "1"): ["bench.json"],
}
REAL = {
    ("real", SCENARIO): ["verdict.json", "history.jsonl"],
    ("replay", BROKEN): ["verdict.json", "history.jsonl"],
    ("check", SCENARIO, "--real"): ["results.json"],
    ("replay", BROKEN, SCENARIO): ["trace-replay.json"],
    ("sweep", "docs/guide/examples/clients/naive.toml", "--faults", "pause", "--repeat", "1", "--time", "15s"):
        ["sweep.json"],
    ("soak", BROKEN, "--time", "1s", "--budget", "scenarios/budgets/one-server.toml"): ["soak.json"],
}


def verbs_with_json(program):
    """From the program's own help, so that a new command cannot be forgotten."""
    def text(*words):
        return subprocess.run([program, *words, "--help"], capture_output=True, text=True, check=True).stdout
    verbs = re.findall(r"^  (\w+) {2,}", text().split("Subcommands:")[1], re.MULTILINE)
    return {verb for verb in verbs if re.search(r"--format .*json", text(verb), re.DOTALL)}


def main():
    program, root, world = sys.argv[1:4]
    commands = SIMULATED if world == "simulated" else REAL
    missing = verbs_with_json(program) - {words[0] for words in [*SIMULATED, *REAL]}
    if missing:
        sys.exit(f"these commands have --format json and no part in this test: {missing}")
    version = re.search(r'program_version = "([\d.]+)"', (pathlib.Path(root) / "harness/version.hpp").read_text())[1]
    said = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout.strip()
    if said != f"lockproof {version}":
        sys.exit(f"--version says {said}; harness/version.hpp says {version}")

    def check(what, text):
        document = json.loads(text)
        if not isinstance(document, dict):
            sys.exit(f"{what}: no object, so it cannot say what it is")
        form = "lockproof_history" if "lockproof_history" in document else "schema_version"
        if document.get(form) != VERSIONS[form] or document.get("lockproof") != version:
            sys.exit(f"{what}: {form} is {document.get(form)}, lockproof {document.get('lockproof')}")

    with tempfile.TemporaryDirectory() as scratch:
        files_of = {"@plan@": f"{scratch}/plan.jsonl", "@answers@": f"{scratch}/answers.jsonl"}
        plan = subprocess.run([program, "plan", "run", SCENARIO, "--runs", "20"], cwd=root, capture_output=True,
                              text=True, check=True).stdout
        answers = subprocess.run([program, "work"], cwd=root, capture_output=True, text=True, input=plan,
                                 check=True).stdout
        for name, text in (("@plan@", plan), ("@answers@", answers)):
            pathlib.Path(files_of[name]).write_text(text)
            for one in text.splitlines():
                check(name, one)
        for number, (words, files) in enumerate(commands.items()):
            words = [files_of.get(word, word) for word in words]
            line, out = " ".join(words), f"{scratch}/{number}"
            where = [] if words[0] in ("explain", "list") else ["--out", out]
            done = subprocess.run([program, *words, "--format", "json", *where], cwd=root, capture_output=True,
                                  text=True, timeout=100, check=False)
            if done.returncode not in (0, 1, 2):
                sys.exit(f"{line} ends with {done.returncode}: {done.stderr}")
            check(line, done.stdout)
            for file in files:
                text = (pathlib.Path(out) / file).read_text()
                check(f"{line}: {file}", text.splitlines()[0] if file.endswith("jsonl") else text)
    print(f"{len(commands)} commands say what their JSON is")


if __name__ == "__main__":
    main()
