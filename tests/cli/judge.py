#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""judge tells from logs what happened, and calls nothing certain that did not happen: an incident in our own words and
its twin without the pause, and logs that nobody can judge.

judge.py LOCKPROOF SOURCE
"""
import json
import pathlib
import subprocess
import sys
import tempfile

PROGRAM, SOURCE = sys.argv[1], pathlib.Path(sys.argv[2])
BEGIN_US = 1_700_000_000_000_000
SCRIPT = "if redis.call('get',KEYS[1])==ARGV[1] then return redis.call('del',KEYS[1]) end return 0"


def check(holds, what, text=""):
    if not holds:
        sys.exit(f"judge: {what}\n{text}")


def judge(*words, codes=(0, 1, 2)):
    done = subprocess.run([PROGRAM, "judge", *map(str, words), "--format", "json"], capture_output=True, text=True,
                          timeout=60, check=False)
    check(done.returncode in codes, f"judge ends with {done.returncode}", done.stderr)
    return json.loads(done.stdout) if done.returncode < 64 else " ".join(done.stderr.split())


def quoted(words):
    return " ".join('"' + str(word).replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'
                    for word in words)


def stamp(us, zone="Z"):
    seconds, rest = divmod(us // 1000, 1000)
    day, of_day = divmod(seconds - 1_700_000_000 + 80_000, 86_400)  # 1700000000 is 22:13:20 of the 14th
    return f"2023-11-{14 + day:02}T{of_day // 3600:02}:{of_day // 60 % 60:02}:{of_day % 60:02}.{rest:03}{zone}"


class Logs:
    """What MONITOR and the workers write, in the order of their times."""

    def __init__(self):
        self.monitor, self.workers = [], {}

    def command(self, us, port, *words, calls=()):
        self.monitor.append((us, [f"[0 10.0.0.7:{port}] {quoted(words)}"] + [f"[0 lua] {quoted(c)}" for c in calls]))

    def line(self, us, worker, text):
        self.workers.setdefault(worker, []).append((us, text))

    def write(self, folder, form="lines"):
        """The workers' logs have this form: a file of lines for each, or csv or spans of all."""
        folder = pathlib.Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        lines = ["OK"]
        for us, entry in sorted(self.monitor, key=lambda one: one[0]):
            us += BEGIN_US
            lines += [f"{us // 1_000_000}.{us % 1_000_000:06} {text}" for text in entry]
        (folder / "monitor.log").write_text("\n".join(lines) + "\n", encoding="utf-8")
        files = [folder / "monitor.log"]
        if form == "csv":
            (folder / "workers.csv").write_text(self.table(), encoding="utf-8")
            return [*files, folder / "workers.csv"]
        if form == "spans":
            (folder / "spans.json").write_text(json.dumps(self.spans()), encoding="utf-8")
            return [*files, folder / "spans.json"]
        for worker, entries in self.workers.items():
            text = "".join(f"{stamp(us + BEGIN_US)} INFO {words}\n" for us, words in sorted(entries))
            files.append(folder / f"{worker}.log")
            files[-1].write_text(text, encoding="utf-8")
        return files


    def table(self):
        rows = sorted((us, worker, words) for worker, entries in self.workers.items() for us, words in entries)
        return 'time,level,worker,event\n' + "".join(
            f'{stamp(us + BEGIN_US)},INFO,{worker},"{words}, it says"\n' for us, worker, words in rows)

    def spans(self):
        """As OTLP JSON: what was acquired, and the release, which fails where nothing says that it ended."""
        resources = []
        for worker, entries in self.workers.items():
            spans, entries = [], sorted(entries)
            for (us, words), (after, then) in zip(entries, [*entries[1:], (0, "")]):
                if "got" in words or "acquired" in words:
                    spans.append(("lock.acquire", us - 900, us, 0))
                elif "done" in words or "finished" in words:
                    ended = then.startswith("released")
                    spans.append(("lock.release", us, after if ended else us, 0 if ended else 2))
            resources.append({
                "resource": {"attributes": [{"key": "service.instance.id", "value": {"stringValue": worker}}]},
                "scopeSpans": [{"spans": [
                    {"name": name, "startTimeUnixNano": str((begin + BEGIN_US) * 1000),
                     "endTimeUnixNano": str((end + BEGIN_US) * 1000), "status": {"code": code} if code else {},
                     "attributes": [{"key": "lock.acquired", "value": {"boolValue": True}}]}
                    for name, begin, end, code in spans]}]})
        return {"resourceSpans": resources}


def incident(pause_ms):
    """Two workers of a nightly job with a lease of 2 s; the first is stopped in its first round."""
    logs, lock = Logs(), "billing:close-month"

    def round_of(worker, port, token, asked, got, work, release=True):
        for at in asked:
            logs.command(at * 1000, port, "SET", lock, token, "NX", "PX", "2000")
        logs.command(got * 1000, port, "SET", lock, token, "NX", "PX", "2000")
        logs.line(got * 1000 + 2100, worker, "acquired the lock billing:close-month")
        calls = [("get", lock)] + ([("del", lock)] if release else [])
        logs.line((got + work) * 1000 - 900, worker, "month closed, finished")
        logs.command((got + work) * 1000, port, "EVAL", SCRIPT, "1", lock, token, calls=calls)
        logs.line((got + work) * 1000 + 1000, worker, "released" if release else "release failed: not the owner")

    first = pause_ms + 600
    round_of("invoicer-1", 40001, "2f9d7c10a1", [], 10, first, release=first < 2000)
    free = 2011 if first >= 2000 else 10 + first + 40
    round_of("invoicer-2", 40002, "77e01b5c3d", [200, 400], free, 500)
    round_of("invoicer-1", 40001, "9a4410cc57", [], 5000, 620)
    round_of("invoicer-2", 40002, "b1b0ffee02", [5200], 5800, 480)
    return logs


def mutual_exclusion(report):
    return next(one for one in report["properties"] if one["property"] == "mutual-exclusion")


def test_incident(folder):
    out = folder / "out"
    files = incident(3400).write(folder / "paused")
    report = judge(*files, "--out", out, codes=(1,))
    check(mutual_exclusion(report)["violated"] == "certain", "two were inside at once", report)
    check("client-2 at " in mutual_exclusion(report)["what"], "who came in", report)
    gap = report["gaps"][0]
    check(gap["client"] == "client-1" and gap["silent"], "the gap is named", report)
    check(3_900_000 < gap["to_us"] - gap["from_us"] < 4_000_000, "the gap is as long as it was", report)
    check("set-px-token" in report["nearest"] and report["reproduction"]["shows_it"], "it is reproduced", report)
    verdicts = json.loads((out / "verdict.json").read_text(encoding="utf-8"))["properties"]
    check(any(one["verdict"] == "violated" for one in verdicts), "the page has its verdict", verdicts)
    for name in ("incident.toml", "history.jsonl", "judged.json", "verdict.json", "incident.html"):
        text = (out / name).read_text(encoding="utf-8")
        for secret in ("billing", "invoicer", "10.0.0.7", "2f9d7c10a1", ":4000"):
            check(secret not in text, f"{name} has the name {secret}")
    done = subprocess.run([PROGRAM, "check", out / "incident.toml"], capture_output=True, text=True, check=False)
    check(done.returncode == 0, "the scenario and its twin do as they say", done.stdout)
    twin = judge(*incident(0).write(folder / "twin"), codes=(0,))
    check(twin["violated"] == "none" and not twin["gaps"], "without the pause nothing is found", twin)


def test_doubt(folder):
    files = incident(3400).write(folder / "doubt")
    alone = judge(files[0], codes=(2,))
    check(alone["violated"] == "possible", "without the workers' logs nothing is certain", alone)
    late = incident(3400)
    for line in late.workers.values():
        line[:] = [(us + 400_000, text) for us, text in line]
    report = judge(*late.write(folder / "late"), codes=(1,))
    check(396_000 < report["clients"][0]["clock_ahead_us"][0] < 404_000, "a clock that is ahead is measured", report)
    report = judge(*late.write(folder / "late"), "--clocks", "300ms", codes=(2,))
    check(report["violated"] == "possible" and report["has_doubts"], "and refused where it cannot be", report)
    renamed = judge(*files, "--enters", "acquired the", "--leaves", "month closed", codes=(1,))
    check(renamed["violated"] == "certain", "the words can be named", renamed)
    never = judge(*files, "--enters", "no such words", codes=(2,))
    check(len(never["not_told"]) >= 2, "workers that say nothing are told of", never)


def test_forms(folder):
    for form in ("csv", "spans"):
        files = incident(3400).write(folder / form, form)
        report = judge(*files, codes=(1,))
        check(mutual_exclusion(report)["violated"] == "certain", f"{form} tells", report)
        twin = judge(*incident(0).write(folder / f"{form}-twin", form), codes=(0,))
        check(twin["violated"] == "none", f"{form} of a run without a pause", twin)
        alone = judge(files[1], "--clocks", "200ms", codes=(1,))
        check(mutual_exclusion(alone)["violated"] == "certain", f"{form} without MONITOR", alone)
        check(judge(files[1], codes=(2,))["violated"] == "possible", "clocks of a second may explain it", form)
        nothing = judge(folder / f"{form}-twin" / files[1].name, "--clocks", "10ms", codes=(2,))
        check(nothing["violated"] == "none" and nothing["has_doubts"], "a worker may be missing", nothing)
        out = folder / f"{form}-out"
        judge(files[1], "--clocks", "200ms", "--out", out, codes=(1,))
        check("invoicer" not in (out / "judged.json").read_text(encoding="utf-8"), "names are left out")
    refused = incident(3400).spans()
    for resource in refused["resourceSpans"]:
        for span in resource["scopeSpans"][0]["spans"]:
            span["attributes"] = []
    (folder / "unsaid.json").write_text(json.dumps(refused), encoding="utf-8")
    unsaid = judge(folder / "unsaid.json", codes=(2,))
    check(unsaid["violated"] == "none", "an acquire that does not say that it got the lock tells nothing", unsaid)
    named = judge(folder / "unsaid.json", "--enters", "lock.acquire ends", "--clocks", "200ms", codes=(1,))
    check(named["violated"] == "certain", "unless its reader knows", named)
    (folder / "bad.csv").write_text("time,worker,event\nyesterday,a,got lock\n", encoding="utf-8")
    check("bad.csv:2: its time" in judge(folder / "bad.csv", codes=(64,)), "a time that is none is named")
    (folder / "bad.json").write_text('{"spans": []}', encoding="utf-8")
    check("resourceSpans" in judge(folder / "bad.json", codes=(64,)), "JSON without spans is named")


def test_held(folder):
    """One file of all workers, in words of its own."""
    rows = [("00", "pod-a", "ENTER"), ("02", "pod-b", "ENTER"), ("04", "pod-a", "EXIT"), ("06", "pod-b", "EXIT")]
    held = r"\[(?<time>[^\]]+)\] (?<worker>\S+) holder of (?<lock>\w+): (?<event>\w+)"
    for locks, violated in (("ab", "none"), ("aa", "certain")):
        of = {"pod-a": locks[0], "pod-b": locks[1]}
        log = folder / f"held-{locks}.log"
        log.write_text("".join(f"[2026-01-01 10:00:{at}.000] {who} holder of {of[who]}: {event}\n"
                               for at, who, event in rows), encoding="utf-8")
        report = judge(log, "--held", held, "--clocks", "10ms", codes=(1, 2))
        check(mutual_exclusion(report)["violated"] == violated, f"--held, locks {locks}", report)
        check(report["locks"] == len(set(locks)), "how many locks there are", report)
    check("no line of it fits" in judge(log, "--held", "nobody", codes=(64,)), "a pattern that fits nothing")


def test_refusals(folder):
    files = incident(0).write(folder / "refused")
    strange = folder / "notes.txt"
    strange.write_text("the lock broke last night\n", encoding="utf-8")
    check("notes.txt:1: judge reads" in judge(files[0], strange, codes=(64,)), "what is no log is named")
    check("one and what the server logged" in judge(files[1], codes=(64,)), "one worker alone tells nothing")
    broken = folder / "broken.log"
    broken.write_text(files[0].read_text(encoding="utf-8") + "garbage\nmore\n", encoding="utf-8")
    check("broken.log:" in judge(broken, codes=(64,)), "a line of MONITOR that is none is named")
    calm = folder / "calm.log"
    calm.write_text('1700000000.000001 [0 127.0.0.1:1] "GET" "x"\n', encoding="utf-8")
    check("nobody takes a lock" in judge(calm, codes=(64,)), "a log without a lock")


def calls_of(effects):
    """The calls by which a script had these effects; nothing: this test does not know them."""
    calls = []
    for one in effects:
        change, event, key = one["change"], one["event"], one["key"]
        if change == "expired":
            continue
        if change == "renewed" and "ttl_ms" in one:
            calls.append(("pexpire", key, one["ttl_ms"]))
        elif event in ("del", "set", "hset", "hincrby", "incrby"):
            calls.append({"del": ("del", key), "set": ("set", key, "v"), "hset": ("hset", key, "f", "1"),
                          "hincrby": ("hincrby", key, "f", "1"), "incrby": ("incr", key)}[event])
        else:
            return None
    return calls


def word_of(word, ending):
    """As it is sent; a token with an ending is as long as libraries make them."""
    return word if isinstance(word, str) else word.get("stamp", word.get("token", "") + ending)


def logs_of(history, shift, dice, logs=None, said=lambda event, words: words):
    """A simulated run as its server and its workers would have logged it. Who opens another connection has another
    port. `said`: what a worker writes at an event, in other words."""
    logs, ports, sent = logs or Logs(), {}, {}
    ending = dice.choice(("", "-5f0c77aa"))
    for event in history[1:]:
        what, host = event["what"], event.get("host")
        if what in ("time_out", "broken") and host.startswith("client"):
            ports[host] = ports.get(host, 0) + 1
        if what == "send":
            sent[host, event["peer"], event["message"]] = ports.get(host, 0)
        if what == "execute" and host == "redis-1" and event.get("peer", "").startswith("client"):
            port = 40000 + 100 * int(event["peer"][7:]) + sent.get((event["peer"], host, event["message"]), 0)
            words, calls = event["command"], []
            if any(isinstance(word, dict) and "script" in word for word in words):
                name = words[1]["script"]
                words = ["EVAL", f"-- {name}", *words[2:]]
                calls = calls_of(event.get("effects", []))
                if calls is None:
                    return None
            us = event["wall"] * 1000 + event["at"] % 1000 - BEGIN_US
            logs.command(us, port, *(word_of(word, ending) for word in words), calls=calls)
        wall_us = event.get("wall", 0) * 1000 - BEGIN_US + shift.get(host, 0)
        if what == "enter":
            logs.line(wall_us + dice.randrange(0, 3000), host, said(event, "got lock"))
        elif what == "exit":
            logs.line(wall_us, host, said(event, "done"))
        elif what == "released" and event.get("word") in ("yes", "not-ours"):
            logs.line(wall_us + 1000, host, said(event, "released"))
    commands = [us for us, _ in logs.monitor]
    for us in range(min(commands) - 2_500_000, max(commands) + 2_500_000, 500_000):
        logs.command(us, 39999, "GET", "settings")
    logs.monitor.sort(key=lambda one: one[0])
    return logs


def thin(logs, dice):
    for worker, lines in logs.workers.items():
        logs.workers[worker] = [line for line in lines if dice.random() > 0.12]
    logs.workers = {worker: lines for worker, lines in logs.workers.items() if lines}
    if dice.random() < 0.3:
        logs.monitor = logs.monitor[dice.randrange(0, 3):]
    if dice.random() < 0.3 and len(logs.monitor) > 4:
        logs.monitor = logs.monitor[:-dice.randrange(1, 3)]
    if dice.random() < 0.25:
        logs.monitor = [entry for entry in logs.monitor if dice.random() > 0.03]


def farthest_clock(history, shift):
    """How far a worker's clock is off at most, in whole milliseconds: scenarios have wrong ones, too."""
    return 2 + max(abs(event["wall"] * 1000 - BEGIN_US + shift[event["host"]] - event["at"]) // 1000
                   for event in history[1:] if "wall" in event and event.get("host", "").startswith("client"))


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        test_incident(folder)
        test_doubt(folder)
        test_forms(folder)
        test_held(folder)
        test_refusals(folder)


if __name__ == "__main__":
    main()
