#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One file and one program mean the same in virtual time and on real servers: its clients do the same, at about the
same times, and the same is found. What cannot be obeyed is refused alike.
program_worlds.py LOCKPROOF SOURCE quick|servers"""

import json
import pathlib
import subprocess
import sys
import tempfile

LOCKPROOF, SOURCE, PART = sys.argv[1:]
FOLDER = pathlib.Path(SOURCE, "tests", "cli", "program_worlds")
LIFE = ("start", "failed", "granted", "enter", "touch-failed", "exit", "released", "finished", "gave-up")
LATE_S = 0.45
TRIES = 3  # real runs, on a machine that may be late


def ran(world, file):
    """The events of the clients' lives, by client, the decided verdicts, with kinds of violations, and all events."""
    with tempfile.TemporaryDirectory() as out:
        command = [LOCKPROOF, world, file, "--format", "json", "--out", out]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode in (0, 1, 2), (command, done.returncode, done.stdout[-2000:], done.stderr)
        answer = json.loads(done.stdout)
        lines = pathlib.Path(out, "history.jsonl").read_text(encoding="utf-8").splitlines()
    events = [json.loads(line) for line in lines]
    lives = {}
    for event in events:
        if event.get("what") in LIFE and str(event.get("host", "")).startswith("client"):
            lives.setdefault(event["host"], []).append(event)
    decided = [p for p in answer["properties"] if p["verdict"] != "unknown"]  # a machine may be late
    verdicts = {p["property"]: (p["verdict"], p.get("kind", "")) for p in decided}
    return lives, verdicts, events


def differing_verdicts(found, found_really):
    both = found.keys() & found_really.keys()
    return {p: (found[p], found_really[p]) for p in both if found[p] != found_really[p]}


def told(event):
    word = event.get("word", "") if event["what"] in ("exit", "released") and "error" not in event else ""
    return event["what"], event.get("round"), word, event.get("error", "")


def difference(file):
    """In words; empty: none."""
    simulated, found, _ = ran("run", file)
    real, found_really, _ = ran("real", file)
    if differing_verdicts(found, found_really):
        return f"verdicts of run and real: {differing_verdicts(found, found_really)}"
    if len(simulated) != len(real):
        return f"{list(simulated)} in a run, {list(real)} really"
    by_deeds = lambda life: [told(e) for e in life]  # which of two clients wins may differ
    for life, really in zip(sorted(simulated.values(), key=by_deeds), sorted(real.values(), key=by_deeds)):
        if by_deeds(life) != by_deeds(really):
            return f"\n  run  {by_deeds(life)}\n  real {by_deeds(really)}"
        for one, other in zip(life, really):
            if abs(one["at"] - other["at"]) > LATE_S * 1e6:
                return f"{told(one)}: at {one['at']} us in a run, at {other['at']} us really"
    return ""


def agrees(name):
    for _ in range(TRIES):
        wrong = difference(str(FOLDER / name))
        if not wrong:
            return
    sys.exit(f"{name}: {wrong}")


def refused(text, why):
    """By run, real and explore, in the same words."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, "s.toml")
        file.write_text(f'[algorithm]\ncommand = ["true"]\n{text}\n', encoding="utf-8")
        for verb in ("run", "real", "explore"):
            done = subprocess.run([LOCKPROOF, verb, str(file)], capture_output=True, text=True, check=False)
            assert done.returncode == 64 and why in done.stderr, (verb, text, done)


def first(lives, client, what):
    return next(event for event in lives[client] if event["what"] == what)


def quick():
    for file in sorted(FOLDER.glob("*.toml")):
        if file.stem != "sentinel":  # it takes servers and sentinels
            agrees(file.name)
    # What they agree on is what the files say.
    lives, _, _ = ran("run", str(FOLDER / "release-tries.toml"))
    assert [told(e)[3] for e in lives["client-1"] if e["what"] == "released"] == ["no-reply", ""], lives
    lives, _, _ = ran("run", str(FOLDER / "give-up.toml"))
    assert [e["what"] for e in lives["client-1"]] == ["start", "failed", "gave-up"], lives
    for world in ("run", "real"):
        lives, _, _ = ran(world, str(FOLDER / "clock.toml"))
        promised = [first(lives, client, "granted")["left"]["us"] for client in ("client-1", "client-2")]
        assert abs(promised[1] - promised[0] - 300e6) < 2e6, (world, promised)
    lives, _, _ = ran("run", str(FOLDER / "period.toml"))
    assert [e["at"] for e in lives["client-1"] if e["what"] == "start"] == [1_000_000, 2_000_000], lives
    lives, _, _ = ran("run", str(FOLDER / "written.toml"))
    assert [first(lives, client, "start")["at"] for client in lives] == [0, 0], lives
    winner = next(client for client in lives if any(e["what"] == "enter" for e in lives[client]))
    assert first(lives, winner, "exit")["at"] - first(lives, winner, "enter")["at"] == 1_000_000, lives
    lives, _, _ = ran("run", str(FOLDER / "deadline.toml"))
    assert first(lives, "client-1", "exit")["word"] == "deadline", lives
    _, _, events = ran("run", str(FOLDER / "touches.toml"))
    assert any(e.get("what") == "strike" for e in events), "no fault strikes before a touch"
    for world in ("run", "real"):
        lives, found, _ = ran(world, str(FOLDER / "touch-fails.toml"))
        assert [e["word"] for e in lives["client-1"] if e["what"] == "touch-failed"] == ["no resource"], (world, lives)
        assert found["answers"][0] != "violated", (world, found)  # it has answered
        lives, found, _ = ran(world, str(FOLDER / "fresh.toml"))
        assert [e["round"] for e in lives["client-1"] if e["what"] == "enter"] == [1, 2], (world, lives)
        assert found["survives"][0] != "violated", (world, found)
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, "many.toml")
        text = '[algorithm]\ncommand = ["true"]\nrounds = "fresh"\n[workload]\nrounds = 40\n'
        file.write_text(text, encoding="utf-8")
        done = subprocess.run([LOCKPROOF, "real", str(file)], capture_output=True, text=True, check=False)
        assert done.returncode == 2 and "starts 32 at most" in " ".join(done.stdout.split()), done
    refused('on_error = "give-up"', "belongs under [workload]")
    refused('[workload]\non_error = "release"', "cleans up by itself")


def servers():
    verdicts = []
    for world in ("run", "real"):
        lives, found, events = ran(world, str(FOLDER / "sentinel.toml"))
        verdicts.append(found)
        promoted = [e["at"] for e in events if e.get("what") == "strike" and e.get("word") == "failover"]
        assert promoted and first(lives, "client-2", "enter")["at"] > promoted[0], (world, promoted, lives)
    assert not differing_verdicts(*verdicts), verdicts
    with tempfile.TemporaryDirectory() as folder:
        text = (FOLDER / "sentinel.toml").read_text(encoding="utf-8")
        asks = pathlib.Path(SOURCE, "tests", "programs", "clients", "sentinel.py").resolve()
        file = pathlib.Path(folder, "asks.toml")
        file.write_text(text.replace("lock.py", str(asks)), encoding="utf-8")
        done = subprocess.run([LOCKPROOF, "real", str(file)], capture_output=True, text=True, check=False)
        assert done.returncode == 2 and "asks a sentinel (LOCKPROOF_SENTINELS)" in " ".join(done.stdout.split()), done


{"quick": quick, "servers": servers}[PART]()
