#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A command on many machines: plan, work and join say what the command says: tasks.py LOCKPROOF SOURCE.

A task that is lost is worked on again, a second answer to it changes nothing, and what was changed, or is of another
plan, another file or another build, is refused.
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

LOCKPROOF, SOURCE = sys.argv[1:3]
SCENARIO = "scenarios/documented/leases/lease-outlived-twin.toml"
BUDGET = ["--budget", "scenarios/budgets/one-server.toml"]


def run(*words, given: str = "", expect: tuple = (0, 1, 2)) -> str:
    done = subprocess.run([LOCKPROOF, *map(str, words)], cwd=SOURCE, capture_output=True, text=True, check=False,
                          input=given, timeout=300)
    if done.returncode not in expect:
        sys.exit(f"tasks: {' '.join(map(str, words))} ended with {done.returncode}: {done.stdout}{done.stderr}")
    return done.stdout if done.returncode < 64 else done.stderr


def expect(holds: bool, what: str, text: object) -> None:
    if not holds:
        sys.exit(f"tasks: {what}: {text}")


def without_times(document: object) -> object:
    if isinstance(document, dict):
        return {key: without_times(value) for key, value in document.items() if key != "seconds"}
    if isinstance(document, list):
        return [without_times(value) for value in document]
    return document


class Plan:
    """The tasks of a command, and their answers, as files."""

    def __init__(self, folder: pathlib.Path, *words: str, tasks: int = 4):
        folder.mkdir(parents=True)
        self.folder, self.tasks, self.answers = folder, folder / "tasks.jsonl", folder / "answers.jsonl"
        self.tasks.write_text(run("plan", "--tasks", tasks, *words, expect=(0,)))
        self.answers.write_text(run("work", given=self.tasks.read_text(), expect=(0,)))

    def join(self, *options: str, **more) -> str:
        return run("join", self.tasks, self.answers, *options, **more)


def check_runs(folder: pathlib.Path) -> None:
    ways = (["--strategy", "random", *BUDGET], ["--strategy", "swarm", *BUDGET, "--max-faults", "2"],
            ["--strategy", "pct:2", *BUDGET], [])
    for number, options in enumerate(ways):
        line = ["run", SCENARIO, *options, "--runs", "500"]
        plan = Plan(folder / str(number), *line)
        expect(plan.join("--format", "json") == run(*line, "--format", "json"), "another answer in JSON", options)
        # join runs nothing, so it does not tell what happened in a run.
        told = [one for one in run(*line).splitlines(keepends=True) if not one.startswith("what happened: ")]
        expect(plan.join() == "".join(told), "another answer as text", options)
    guided = Plan(folder / "guided", "run", SCENARIO, *BUDGET, "--strategy", "guided", "--runs", "300", tasks=2)
    both = json.loads(guided.join("--format", "json"))
    met = [set(json.loads(line)["document"]["search"]["combinations"]) for line in guided.answers.open()]
    expect(set(both["search"]["combinations"]) == met[0] | met[1], "guided runs do not have what both met", both)
    expect("2 shards, each guided by what it met itself" in guided.join(), "guided runs do not say what they are", both)


def check_frontiers(folder: pathlib.Path) -> None:
    two = folder / "two.toml"
    two.write_text('[algorithm]\nname = "set-px-token"\n[workload]\nlease = "10s"\nwork = ["hold 2s"]\n[explore]\n'
                   'max_faults = 2\n[[explore.fault]]\nkind = "pause"\ntarget = "clients"\nfor = ["4s", "T+grid"]\n'
                   '[[explore.fault]]\nkind = "clock-jump"\ntarget = "servers"\nby = ["T/2"]\n'
                   '[[explore.fault]]\nkind = "crash"\n')
    # Two entries of one label, of which one breaks the lock, and the other does nothing new.
    alike = folder / "alike.toml"
    pause = '[[explore.fault]]\nkind = "pause"\ntarget = "clients"\nfor = "{}"\n'
    alike.write_text(two.read_text().split("max_faults")[0] + pause.format("6s") + pause.format("T+grid"))
    for number, words in enumerate((["tests/cli/scenarios/frontier-small.toml"], [two], [alike])):
        line = ["frontier", *map(str, words)]
        one = json.loads(run(*line, "--format", "json"))["frontiers"]
        plan = Plan(folder / str(number), *line)
        plan.tasks.write_text("".join(reversed(plan.tasks.read_text().splitlines(True))))
        other = json.loads(plan.join("--format", "json"))["frontiers"]
        expect(len(one) == len(other), "another number of searches", line)
        if words == [alike]:
            expect(other[0]["kinds"] == ["pause 6 s (client)", "pause 10.001 s (client)"], "labels are alike", other[0])
            idle = [one["fault"] for one in other[0]["not_tried"]]
            expect(idle == ["pause 6 s (client)"], "the harmless one is not told apart", other[0])
        for a, b in zip(one, other):
            for key in ("algorithm", "topology", "scope", "measures", "assumptions", "kinds", "max_faults",
                        "searched_faults", "stopped", "vacuous", "not_tried"):
                expect(a[key] == b[key], f"{line}: {key} is another", (a[key], b[key]))
            for p, q in zip(a["properties"], b["properties"], strict=True):
                expect(p == q, f"{line} says otherwise", (p, q))


def check_checks(folder: pathlib.Path) -> None:
    line = ["check", SCENARIO, SCENARIO.replace("-twin", ""), "scenarios/notes/setnx-expire-crash.toml", "--explore"]
    plan = Plan(folder, *line)
    one, other = json.loads(run(*line, "--format", "json")), json.loads(plan.join("--format", "json"))
    by_name = [sorted(map(json.dumps, without_times(found)["runs"])) for found in (one, other)]
    expect(by_name[0] == by_name[1], "another answer of check", line)
    expect("runs of" in plan.join().splitlines()[-1], "check ends with how many were as expected", plan.join())


def check_reviews(folder: pathlib.Path) -> None:
    """Each review is a task; what is read back prints the same pages, and the same evidence."""
    small = folder / "small.toml"
    folder.mkdir()
    small.write_text('locks = ["set-px-token", "setnx-expire-del"]\n[job]\nservers = 2\nperiod = "1h"\n'
                     'work = "2s"\n[trouble]\npause = "5s"\n')
    other = folder / "other.toml"
    other.write_text(small.read_text().replace('"2s"', '["1s", "3s"]'))
    line = ["review", str(small), "--states", "800"]
    plan = Plan(folder / "one", *line)
    one, joined = folder / "by-one", folder / "by-many"
    for form in ("text", "json"):
        said = [run(*line, "--workers", "1", "--format", form), plan.join("--format", form)]
        alike = [re.sub(r'\d+\.\d+ s$|"seconds": .*', "", text, flags=re.MULTILINE) for text in said]
        expect(alike[0] == alike[1], f"another review as {form}", said)
    run(*line, "--workers", "1", "--out", one)
    plan.join("--out", joined)
    files = [sorted(file.relative_to(folder).as_posix() for file in folder.rglob("*")) for folder in (one, joined)]
    expect(len(files[0]) > 3 and files[0] == files[1], "other evidence", files)
    for name in files[0]:
        if name.endswith(".toml"):
            expect((one / name).read_text() == (joined / name).read_text(), "another scenario", name)
    both = Plan(folder / "two", "review", small, other, "--states", "800")
    expect(len(both.tasks.read_text().splitlines()) == 2, "a task for each", both.tasks.read_text())
    said = both.join("--out", folder / "out")
    expect(all(name in said for name in ("small.toml", "other.toml")), "both pages are printed", said)
    expect((folder / "out/02-other/review.json").exists(), "each has its folder", list((folder / "out").iterdir()))
    said = run("review", small, other, expect=(64,))
    expect("lockproof plan review makes a task of each" in said, "two at a time are refused", said)


def check_losses(folder: pathlib.Path) -> None:
    line = ["run", SCENARIO, "--runs", "20"]
    plan = Plan(folder / "plan", *line)
    tasks, answers = plan.tasks.read_text().splitlines(True), plan.answers.read_text().splitlines(True)
    plan.answers.write_text("".join(answers[:2] + answers[3:]))
    said = plan.join(expect=(64,))
    expect("1 of 4 tasks have no answer: 3" in said, "a lost task is named", said)
    plan.tasks.write_text("".join(reversed(tasks)))
    plan.answers.write_text("".join(answers))
    expect(plan.join() == run(*line), "tasks in another order say something else", plan.join())
    plan.tasks.write_text("".join(tasks))
    plan.answers.write_text("".join(answers[:2] + answers[3:]))
    rest = plan.join("--missing", expect=(0,))
    expect(rest == tasks[2], "it is printed", rest)
    plan.answers.write_text("".join(answers) + run("work", given=rest, expect=(0,)))
    expect(plan.join() == run(*line), "a second answer changes nothing", plan.join())
    out = folder / "out"
    run("work", "--out", out, given="".join(tasks[:3]), expect=(0,))
    before = {file: file.stat().st_mtime_ns for file in out.glob("*.json")}
    expect(len(before) == 3, "each answer has a file", before)
    run("work", "--out", out, given="".join(tasks), expect=(0,))
    after = {file: file.stat().st_mtime_ns for file in out.glob("*.json")}
    expect(len(after) == 4 and before.items() <= after.items(), "what has an answer is not done again", after)
    expect(run("join", plan.tasks, out) == run(*line), "a folder of answers", "")


def check_refusals(folder: pathlib.Path) -> None:
    line = ["run", str(folder / "own.toml"), "--runs", "20"]
    text = pathlib.Path(SOURCE, SCENARIO.replace("-twin", "")).read_text()
    folder.mkdir()
    (folder / "own.toml").write_text(text)
    plan = Plan(folder / "plan", *line, tasks=2)
    other = Plan(folder / "other", *line, "--seed", "7", tasks=2)
    tasks, answers = plan.tasks.read_text(), plan.answers.read_text()
    first, second = answers.splitlines(True)
    changed = first.replace('"verdict":"violated"', '"verdict":"no-violation"', 1)
    expect(changed != first, "something is changed", first)
    for what, given, message in (
            ("changed", changed + second, "was changed after lockproof work had written it"),
            ("of another plan", other.answers.read_text(), "a task that is not in this plan"),
            ("cut off", answers[:-100], "it is no answer"),
            ("no answer", tasks, "it is no answer"),
            ("other words", first.replace('"checksum"', '"check"', 1) + second, "this answer is damaged")):
        plan.answers.write_text(given)
        said = plan.join(expect=(64,))
        expect(message in said, f"what is {what} is refused", said)
    plan.answers.write_text(answers)
    plan.tasks.write_text(tasks.splitlines(True)[0])
    said = run("join", plan.tasks, expect=(64,))
    expect("it has 1 of the 2 tasks of its plan" in said, "a part of a plan is refused", said)
    said = run("work", given=tasks.replace('"20"', '"30"'), expect=(64,))
    expect("was changed after lockproof plan had written it" in said, "a changed task is refused", said)
    (folder / "own.toml").write_text(text + "\n# changed\n")
    done = subprocess.run([LOCKPROOF, "work"], cwd=SOURCE, input=tasks, capture_output=True, text=True, check=False)
    expect(done.returncode == 2 and not done.stdout and "is not the file that was planned with" in done.stderr,
           "a changed file is refused", done)
    for words, message in ((["run", SCENARIO], "add --runs N"), (["explore", SCENARIO], "cannot be split"),
                           ([], "name the command to split"),
                           (["check", "scenarios", "--out", "x"], "it is for lockproof join"),
                           (["run", SCENARIO, "--runs", "9", "--find", "first"], "do not know what the others find"),
                           (["frontier", "redlok"], "did you mean 'redlock'")):
        said = run("plan", *words, expect=(64,))
        expect(message in said, f"plan {words}", said)


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        check_runs(folder / "runs")
        check_frontiers(folder)
        check_checks(folder / "check")
        check_reviews(folder / "reviews")
        check_losses(folder / "losses")
        check_refusals(folder / "refusals")
    print("tasks: many machines say what one does")


if __name__ == "__main__":
    main()
