#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Clients of docs/guide/examples in virtual time: virtual_programs.py PROGRAM ROOT quick|determinism|java.

`quick`: a schedule that was found runs again in new processes, byte for byte, nothing is left of a search that is
killed, and a verdict names its limits. `determinism`: each client does the same a hundred times, while the machine is
busy with something else. `java`: a lock in Java is searched whole, and breaks as its twin in Python does.
"""

import json
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import uuid
from pathlib import Path

PROGRAM, ROOT, PART = str(Path(sys.argv[1]).resolve()), Path(sys.argv[2]).resolve(), sys.argv[3]
CLIENTS = ROOT / "docs/guide/examples/clients"
AGAIN, REPEATS, BUSY = 20, 100, 4
NEEDS = {"python3": ["-c", "import redis"], "ruby": ["-e", "require 'redis'"], "node": ["-e", "require('ioredis')"]}
NAMES = ("redis_py", "naive", "ruby", "redlock4", "redlock5", "redlock5_using", "semaphore")


def call(words, folder):
    return subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=600, check=False)


def found_again(folder):
    """The counterexample of a search, as `run` shows it: the same history, each time by processes of its own."""
    shutil.copy(ROOT / "docs/guide/examples/virtual_naive.toml", folder)
    done = call([PROGRAM, "explore", "virtual_naive.toml", "--quiet", "--out", "found"], folder)
    assert done.returncode == 0, done.stdout + done.stderr
    shown = "found/virtual_naive-owner-release.toml"
    first = None
    for i in range(AGAIN):
        done = call([PROGRAM, "run", shown, "--quiet", "--out", "again"], folder)
        assert done.returncode == 0 and "owner-release       violated" in done.stdout, done.stdout + done.stderr
        history = (folder / "again/history.jsonl").read_bytes()
        first = first or history
        assert history == first, f"run {i + 1} of the same schedule is another one"


def processes_with(mark):
    found = []
    for environment in Path("/proc").glob("[0-9]*/environ"):
        try:
            if mark.encode() in environment.read_bytes():
                found.append(environment.parent.name)
        except OSError:  # it is gone, or somebody else's
            pass
    return found


def nothing_is_left(folder):
    """Of a search that is killed while its programs are under way."""
    mark = f"of-this-test-{uuid.uuid4()}"
    (folder / "long.toml").write_text(
        f'[algorithm]\ncommand = ["python3", "clients/redis_py.py"]\nenvironment = {{ MARK = "{mark}" }}\n'
        '[workload]\nclients = 3\nrounds = 3\nlease = "10s"\nwork = ["hold 6s"]\n[explore]\nmax_faults = 2\n'
        '[[explore.fault]]\nkind = "pause"\nfor = "12s"\n', encoding="utf-8")
    with subprocess.Popen([PROGRAM, "explore", "long.toml"], cwd=folder, stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL) as search:
        until = time.monotonic() + 60
        while len(processes_with(mark)) < 4 and time.monotonic() < until:  # copies are under way
            time.sleep(0.05)
        assert search.poll() is None and len(processes_with(mark)) >= 4, "the search has no programs under way"
        search.send_signal(signal.SIGKILL)
    time.sleep(1)
    assert not processes_with(mark), f"left: {processes_with(mark)}"


def its_limits_are_named(folder):
    """What a verdict hinges on, and its reader would not think of, stands in it."""
    (folder / "limited.toml").write_text(
        f'[algorithm]\ncommand = ["/usr/bin/python3", "{ROOT}/tests/programs/clients/first_reply.py"]\n'
        'environment = { PREFIX = "my-" }\nrounds = "fresh"\n'
        '[servers]\nredis = 2\n[workload]\nlease = "2s"\nwork = ["hold 1s"]\n'
        '[explore]\nties = "together"\nmax_faults = 0\n',
        encoding="utf-8")
    text = call([PROGRAM, "explore", "limited.toml", "--quiet"], folder).stdout
    for part in ('only the order of the servers was searched (ties = "together")',
                 "the lock is the key 'my-lock': in a run without faults another client asked for it",
                 "until nobody has seen it do anything for 16s", "each round is done by a fresh copy of it"):
        assert part in text, (part, text)
    told = json.loads(call([PROGRAM, "explore", "limited.toml", "--format", "json"], folder).stdout)
    assert "replies-together" in told["reductions"], told["reductions"]
    named = {key: told["programs"][key] for key in ("key", "fresh_rounds", "followed_unseen_for")}
    assert named == {"key": "my-lock", "fresh_rounds": True, "followed_unseen_for": "16s"}, named
    words = [PROGRAM, "explore", "limited.toml", "--no-reduction", "--format", "json"]
    everything = json.loads(call(words, folder).stdout)
    assert not everything["reductions"] and everything["states"] > told["states"], "nothing is left out then"


def runtime_is_there(name):
    command = (CLIENTS / f"{name}.toml").read_text(encoding="utf-8").split('command = ["')[1].split('"')[0]
    return shutil.which(command, path="/usr/local/bin:/usr/bin:/bin")  # where lockproof looks


def is_the_same(folder, file):
    histories = set()
    for _ in range(REPEATS):
        done = call([PROGRAM, "run", file, "--quiet", "--out", "again"], folder)
        assert done.returncode in (0, 1, 2, 3), done.stderr
        histories.add((folder / "again/history.jsonl").read_bytes())
    print(f"{file}: {REPEATS} runs, {len(histories)} histories", flush=True)
    assert len(histories) == 1, f"{file} did {len(histories)} different things"


def in_java(folder):
    """The words that run the twin there."""
    call(["javac", "-d", ".", str(ROOT / "tests/programs/clients/SetPxToken.java")], folder)
    return ["java", "-cp", str(folder), "SetPxToken"]


def always_the_same(folder):
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(BUSY)]
    try:
        if shutil.which("npm"):
            call(["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"], folder / "clients/node")
        for name in NAMES:
            runtime = runtime_is_there(name)
            libraries = folder / "clients" / ("node" if runtime and runtime.endswith("node") else ".")
            if not runtime or call([runtime, *NEEDS[Path(runtime).name]], libraries).returncode != 0:
                print(f"skipped: {name}, whose runtime or libraries cannot be had here")
                continue
            is_the_same(folder, f"clients/{name}.toml")
        if shutil.which("javac"):
            (folder / "java.toml").write_text(OF_A_TWIN.format(command=json.dumps(in_java(folder))), encoding="utf-8")
            is_the_same(folder, "java.toml")
    finally:
        for one in busy:
            one.kill()
            one.wait()


OF_A_TWIN = """[algorithm]
command = {command}
[workload]
lease = "2s"
work = ["hold 900ms"]
[explore]
rounds = 1
attempts = 3
max_faults = 1
[[explore.fault]]
kind = "pause"
for = "2500ms"
"""


def searched_in_java(folder):
    found = []
    for command in (in_java(folder), ["python3", str(ROOT / "tests/programs/clients/set_px_token.py")]):
        (folder / "twin.toml").write_text(OF_A_TWIN.format(command=json.dumps(command)), encoding="utf-8")
        done = call([PROGRAM, "explore", "twin.toml", "--format", "json"], folder)
        result = json.loads(done.stdout)
        assert result["complete"], done.stdout
        found.append({p["property"]: (p["verdict"], p.get("kind")) for p in result["properties"]})
        print(command[0], result["states"], "states", result["programs"])
    assert found[0] == found[1] and found[0]["mutual-exclusion"] == ("violated", "outlived"), found


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        shutil.copytree(CLIENTS, folder / "clients", ignore=shutil.ignore_patterns("node_modules"))
        if PART == "determinism":
            always_the_same(folder)
        elif PART == "java":
            searched_in_java(folder)
        else:
            found_again(folder)
            nothing_is_left(folder)
            its_limits_are_named(folder)


if __name__ == "__main__":
    main()
