#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""judge tells locks apart, and calls nothing certain of lines that may be of several: judge_several.py LOCKPROOF
SOURCE.

Runs with locks of several names are written as logs: lines, tables and spans that name their lock, in full or only
where a worker got it, and lines that name none beside a server's log. Each lock is judged by itself, and all together.
"""
import json
import pathlib
import random
import subprocess
import tempfile

import judge as incidents
from judge import PROGRAM, SOURCE, check, judge, mutual_exclusion

FORMS = ("named", "entries", "csv", "spans")


class NamedLogs(incidents.Logs):
    """Its lines are words and, behind an @, the name of a lock."""

    def __init__(self, form):
        super().__init__()
        self.form = form

    def write(self, folder, form="lines"):
        if self.form in ("csv", "spans"):
            return super().write(folder, self.form)
        kept = self.workers
        self.workers = {worker: [(us, self.words(text)) for us, text in lines] for worker, lines in kept.items()}
        files = super().write(folder)
        self.workers = kept
        return files

    def words(self, text):
        words, lock = text.split("@")
        if self.form == "nameless" or (self.form == "entries" and words != "got lock"):
            return words
        return f"{words} {lock}" if words == "got lock" else f"{words} with lock {lock}"

    def table(self):
        rows = sorted((us, worker, *text.split("@")) for worker, lines in self.workers.items() for us, text in lines)
        return "time,worker,event,lock\n" + "".join(
            f"{incidents.stamp(us + incidents.BEGIN_US)},{worker},{words},{lock}\n" for us, worker, words, lock in rows)

    def spans(self):
        """An acquire that says so, and a release with what came of it, each with the name of its lock."""
        resources = []
        for worker, lines in self.workers.items():
            spans = []
            for us, text in sorted(lines):
                words, lock = text.split("@")
                name = {"got lock": "lock.acquire", "done": "lock.release"}.get(words)
                ended = next((at for at, one in sorted(lines) if at >= us and one == f"released@{lock}"), us)
                begin, end = (us - 900, us) if words == "got lock" else (us, ended)
                spans += [(name, lock, begin, end)] if name else []
            resources.append({
                "resource": {"attributes": [{"key": "host.name", "value": {"stringValue": worker}}]},
                "scopeSpans": [{"spans": [
                    {"name": name, "startTimeUnixNano": str((begin + incidents.BEGIN_US) * 1000),
                     "endTimeUnixNano": str((end + incidents.BEGIN_US) * 1000),
                     "attributes": [{"key": "lock.name", "value": {"stringValue": lock}},
                                    {"key": "lock.acquired", "value": {"boolValue": True}}]}
                    for name, lock, begin, end in spans]}]})
        return {"resourceSpans": resources}


def drawn(dice):
    """Clients that take one of two locks, and some of them the other one meanwhile."""
    clients = dice.randrange(2, 4)
    text = (f'[algorithm]\nname = "set-px-token"\n[workload]\nclients = {clients}\nrounds = {dice.randrange(1, 4)}\n'
            f'lease = "2s"\nacquire_timeout = "3s"\nthink_time = "{dice.randrange(20, 900)}ms"\n'
            'work = ["hold 100ms"]\n')
    for client in range(1, clients + 1):
        own, other = dice.sample(["a", "b"], 2)
        hold = [f'"hold {dice.randrange(100, 1900)}ms"' for _ in range(3)]
        work = hold[:1]
        if dice.random() < 0.5:
            work += [f'"acquire {other}"', hold[1], f'"release {other}"', hold[2]]
        text += (f'[[client]]\nname = "client-{client}"\nlock = "{own}"\nstart = "{dice.randrange(1, 1500)}ms"\n'
                 f'work = [{", ".join(work)}]\n')
    for _ in range(dice.randrange(0, 3)):
        text += (f'[[fault]]\nkind = "pause"\ntarget = "client-{dice.randrange(1, clients + 1)}"\n'
                 f'at = "{dice.randrange(100, 6000)}ms"\nfor = "{dice.randrange(500, 5000)}ms"\n')
    return text


def scenarios(folder, dice):
    for path in sorted((SOURCE / "scenarios/documented").glob("*/*.toml")):
        if "\nlock = " in path.read_text(encoding="utf-8"):
            yield path
    for number in range(60):
        path = folder / f"several-{number}.toml"
        path.write_text(drawn(dice), encoding="utf-8")
        yield path


def lock_of(event):
    return event.get("lock", "lock")


def crowded_locks(history):
    """Those in which two were inside at once."""
    inside, crowded = {}, set()
    for event in history[1:]:
        stays = inside.setdefault(lock_of(event), set())
        if event["what"] == "enter":
            stays.add(event["host"])
            crowded |= {lock_of(event)} if len(stays) > 1 else set()
        elif event["what"] == "exit":
            stays.discard(event["host"])
    return crowded


def history_of(path, out):
    subprocess.run([PROGRAM, "run", path, "--out", out, "--quiet"], capture_output=True, timeout=60, check=False)
    if not (out / "history.jsonl").exists():
        return None
    history = [json.loads(line) for line in (out / "history.jsonl").read_text(encoding="utf-8").splitlines()]
    servers = [host["name"] for host in history[0]["hosts"] if host["kind"] == "server"]
    return history if servers == ["redis-1"] else None


def test_round_trips(folder):
    dice, count = random.Random(7), dict.fromkeys(("logs", "crowded", "certain", "possible", "beside", "sure"), 0)
    for path in scenarios(folder, dice):
        history = history_of(path, folder / "run" / path.stem)
        if history is None:
            continue
        crowded, locks = crowded_locks(history), sorted({lock_of(e) for e in history if e.get("what") == "enter"})
        shift = {host["name"]: dice.randrange(-50_000, 50_000) for host in history[0]["hosts"]}
        clocks = f"{incidents.farthest_clock(history, shift)}ms"
        for form in (*FORMS, "nameless"):
            said = lambda event, words: f"{words}@{lock_of(event)}"
            logs = incidents.logs_of(history, shift, random.Random(1), NamedLogs(form), said)
            if logs is None or len(logs.workers) < 2:
                continue
            files = logs.write(folder / "logs" / path.stem / form)
            for lock in locks:
                both = judge(*files, "--key", lock, "--clocks", clocks, codes=(0, 1, 2, 64))
                if not isinstance(both, str):
                    sure = mutual_exclusion(both)["violated"] == "certain"
                    check(not sure or lock in crowded, f"{path}, {form}, {lock}: {both} is certain, and was not so")
                    count["beside"] += lock in crowded
                    count["sure"] += sure
                if form == "nameless":
                    continue
                one = judge(*files[1:], "--key", lock, "--clocks", clocks, codes=(1, 2, 64))
                sure = not isinstance(one, str) and mutual_exclusion(one)["violated"] == "certain"
                check(not sure or lock in crowded, f"{path}, {form}, {lock}: {one} is certain, and was not so")
            if form == "nameless":
                continue
            report = judge(*files[1:], "--clocks", clocks, codes=(1, 2))
            verdict = mutual_exclusion(report)["violated"]
            check(verdict != "certain" or crowded, f"{path}, {form}: {report} is certain, and was not so")
            count["logs"] += 1
            count["crowded"] += bool(crowded)
            count["certain"] += bool(crowded) and verdict == "certain"
            count["possible"] += bool(crowded) and verdict == "possible"
    print(f"{count['logs']} logs of workers; of {count['crowded']} with two inside one lock at once {count['certain']} "
          f"were told for certain, {count['possible']} as possible; beside the server {count['sure']} of "
          f"{count['beside']} for certain")
    check(count["logs"] >= 150 and count["crowded"] >= 40, "too few runs")
    check(count["certain"] * 10 >= count["crowded"] * 5 and count["sure"] > 0, "too little is told")


def main():
    with tempfile.TemporaryDirectory() as name:
        test_round_trips(pathlib.Path(name))


if __name__ == "__main__":
    main()
