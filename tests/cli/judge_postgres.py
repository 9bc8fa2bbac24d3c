#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""judge reads a PostgreSQL server's log, and calls nothing certain that did not happen: judge_postgres.py LOCKPROOF
SOURCE.

Simulated runs of advisory locks are written as the server would have logged their statements, and as their workers'
logs, with lines left out and clocks shifted, and judged again.
"""
import json
import pathlib
import random
import subprocess
import tempfile

import judge as incidents
from judge import PROGRAM, SOURCE, check, judge, mutual_exclusion, stamp

STATEMENTS = {path.stem: path.read_text(encoding="utf-8").strip()
              for path in (SOURCE / "algorithms/postgres/statements").glob("*.sql")}
LOCKS = ("postgres-advisory", "postgres-advisory-xact")


def drawn(dice):
    clients = dice.randrange(2, 4)
    text = (f'[algorithm]\nname = "{dice.choice(LOCKS)}"\n[workload]\nclients = {clients}\n'
            f'rounds = {dice.randrange(1, 4)}\nthink_time = "{dice.randrange(20, 900)}ms"\nwork = ["hold 1s"]\n')
    for client in range(1, clients + 1):
        text += (f'[[client]]\nname = "client-{client}"\nstart = "{dice.randrange(1, 1500)}ms"\n'
                 f'work = ["hold {dice.randrange(200, 2900)}ms"]\n')
    for _ in range(dice.randrange(0, 3)):
        client, at = dice.randrange(1, clients + 1), dice.randrange(100, 5000)
        text += dice.choice((
            f'[[fault]]\nkind = "break-connection"\ntarget = "client-{client}"\npeer = "postgres-1"\nat = "{at}ms"\n',
            f'[[fault]]\nkind = "pause"\ntarget = "client-{client}"\nat = "{at}ms"\n'
            f'for = "{dice.randrange(500, 5000)}ms"\n'))
    return text


def scenarios(folder, dice):
    yield from sorted((SOURCE / "scenarios/postgres").glob("*.toml"))
    for number in range(120):
        path = folder / f"postgres-{number}.toml"
        path.write_text(drawn(dice), encoding="utf-8")
        yield path


def server_lines(history):
    """As log_statement = 'all' and log_disconnections = on make them; nothing: it has statements that are not SQL."""
    lines, sessions, sent, latest = [], {}, {}, {}
    for event in history[1:]:
        host, peer = event.get("host", ""), event.get("peer", "")
        if event["what"] in ("time_out", "broken") and host.startswith("client"):
            sessions[host] = sessions.get(host, 0) + 1
        if event["what"] == "send":
            sent[host, event.get("message")] = sessions.get(host, 0)
        if event["what"] == "strike" and host == "postgres-1":
            us = event["wall"] * 1000 - incidents.BEGIN_US
            lines.append((us, 1, "LOG:  database system was interrupted"))
        if event["what"] != "execute" or host != "postgres-1" or not peer.startswith("client"):
            continue
        command = event["command"]
        session = 4000 + 10 * int(peer[7:]) + sent.get((peer, event.get("message")), sessions.get(peer, 0))
        session = latest.get(peer, session) if command == ["disconnect"] else session
        latest[peer] = session
        us = event["wall"] * 1000 - incidents.BEGIN_US
        if command == ["disconnect"]:
            lines.append((us, session, "LOG:  disconnection: session time: 0:00:01.000 user=app database=shop"))
            continue
        if command[0] != "SQL" or not isinstance(command[1], dict):
            return None
        name, values = command[1]["script"], command[3:]
        words = ", ".join(f"${i + 1} = '{value if isinstance(value, str) else value.get('token', '')}'"
                          for i, value in enumerate(values))
        lines.append((us, session, f"LOG:  execute <unnamed>: {STATEMENTS[name]}"))
        if values:
            lines.append((us, session, f"DETAIL:  parameters: {words}"))
        if name == "unlock-advisory" and event.get("reply") == [{"bulk": "f"}]:
            lines.append((us, session, "WARNING:  you don't own a lock of type ExclusiveLock"))
    others = range(lines[0][0] - 2_500_000, lines[-1][0] + 2_500_000, 500_000) if lines else ()
    lines += [(us, 3999, "LOG:  statement: select 1") for us in others]
    return sorted(lines, key=lambda line: line[0])


def write(folder, lines, logs, dice):
    folder.mkdir(parents=True, exist_ok=True)
    if dice.random() < 0.25:  # log_disconnections is off, as it is where nobody sets it
        lines = [line for line in lines if "disconnection" not in line[2]]
    if dice.random() < 0.2:
        lines = lines[dice.randrange(0, 12):]
    text = "".join(f"{stamp(us + incidents.BEGIN_US, '').replace('T', ' ')} UTC [{session}] app@shop {said}\n"
                   for us, session, said in lines)
    (folder / "postgresql.log").write_text(text.replace("\n  ", "\n\t"), encoding="utf-8")
    files = [folder / "postgresql.log"]
    for worker, entries in logs.workers.items():
        kept = [entry for entry in sorted(entries) if dice.random() > 0.08]
        files.append(folder / f"{worker}.log")
        files[-1].write_text("".join(f"{stamp(us + incidents.BEGIN_US)} INFO {words}\n" for us, words in kept) or
                             f"{stamp(incidents.BEGIN_US)} INFO begins\n", encoding="utf-8")
    return files


def worker_logs(history, shift, dice):
    logs = incidents.Logs()
    for event in history[1:]:
        host, us = event.get("host", ""), event.get("wall", 0) * 1000 - incidents.BEGIN_US
        us += shift.get(host, 0)
        if event["what"] == "enter":
            logs.line(us + dice.randrange(0, 3000), host, "got lock")
        elif event["what"] == "exit":
            logs.line(us, host, "done")
        elif event["what"] == "released" and event.get("word") in ("yes", "not-ours"):
            logs.line(us + 1000, host, "released")
    return logs


def history_of(path, out):
    subprocess.run([PROGRAM, "run", path, "--out", out, "--quiet"], capture_output=True, timeout=60, check=False)
    if not (out / "history.jsonl").exists():
        return None
    history = [json.loads(line) for line in (out / "history.jsonl").read_text(encoding="utf-8").splitlines()]
    servers = [host["name"] for host in history[0]["hosts"] if host["kind"] == "server"]
    advisory = '"try-advisory' in (out / "history.jsonl").read_text(encoding="utf-8")
    return history if servers == ["postgres-1"] and advisory else None


def main():
    dice = random.Random(11)
    runs = untold = violated = found = certain = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for path in scenarios(folder, dice):
            history = history_of(path, folder / "run" / path.stem)
            lines = history and server_lines(history)
            if not lines:
                continue
            shift = {host["name"]: dice.randrange(-300_000, 300_000) for host in history[0]["hosts"]}
            logs = worker_logs(history, shift, dice)
            report = judge(*write(folder / "logs" / path.stem, lines, logs, dice), codes=(0, 1, 2, 64))
            runs += 1
            untold += isinstance(report, str)
            verdicts = json.loads((folder / "run" / path.stem / "verdict.json").read_text(encoding="utf-8"))
            truth = {one["property"]: one["verdict"] for one in verdicts["properties"]}
            broken = truth["mutual-exclusion"] == "violated"
            violated += broken
            if isinstance(report, str):
                continue
            for one in report["properties"]:
                true = truth.get(one["property"]) == "violated"
                check(one["violated"] != "certain" or true, f"{path}: {one} is certain, and was not so", lines)
            found += broken and mutual_exclusion(report)["violated"] != "none"
            certain += broken and mutual_exclusion(report)["violated"] == "certain"
    print(f"{runs} runs, {untold} could not be judged; of {violated} with two inside at once {found} were found, "
          f"{certain} of them for certain")
    check(runs >= 80 and violated >= 10, "too few runs")
    check(found * 10 >= violated * 5 and certain > 0, "too little is found")


if __name__ == "__main__":
    main()
