#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `lockproof frontier` says is true when it is looked at by itself: each scenario that is to break a lock breaks
it, each that is to do no harm holds in every schedule, any number of workers says the same, and the table in
docs/reference/frontier.md is what is printed, but for the rows that it says were searched in part: what is known of
those depends on the memory of the machine. No scenario of the catalogue contradicts it.

frontier.py LOCKPROOF SOURCE [table]     the table, which takes minutes; UPDATE=1 writes it
"""
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "reports"), str(HERE.parents[1] / "reports")]
LOCK = "set-ex-get-del"
OF_ITS_OWN = "seconds"
PAIR = """
[algorithm]
name = "set-px-token"
[workload]
lease = "10s"
work = ["hold 5s"]
[explore]
max_faults = 2
[[explore.fault]]
kind = "pause"
target = "clients"
for = "4s"
[[explore.fault]]
kind = "clock-jump"
target = "servers"
by = "3s"
"""
BEYOND = re.compile(r"(<!-- beyond -->\n)(.*?)(<!-- end -->)", re.S)
TABLE = re.compile(r"(<!-- frontier -->\n)(.*?)(<!-- end -->)", re.S)
IN_PART = re.compile(r"What stands in no column of `([\w-]+)` was not searched")


def check(holds, what, text=""):
    if not holds:
        sys.exit(f"frontier: {what}\n{text}")


def run(program, *words):
    done = subprocess.run([program, *words], capture_output=True, text=True, timeout=900)
    check(done.stderr == "", f"{words} complains", done.stderr)
    return done.returncode, done.stdout


def searches(program, *words):
    code, out = run(program, "frontier", LOCK, "--max-faults", "1", "--format", "json", *words)
    check(code == 0, "a search that ends is met", out)
    found = json.loads(out)["frontiers"]
    for search in found:
        del search[OF_ITS_OWN]
    return found


def verdicts(program, evidence):
    _, out = run(program, "explore", evidence, "--format", "json")
    return {one["property"]: one["verdict"] for one in json.loads(out)["properties"]}


def test_evidence(program, folder):
    """Returns what was found, by two workers."""
    found = searches(program, "--workers", "2", "--out", str(folder))
    explored = {}
    check([search["topology"] for search in found] == ["1 server", "a master and its replica"], "what is searched",
          str(found))
    broken = harmless = 0
    for search in found:
        untried = {one["fault"] for one in search["not_tried"]}
        not_by = {fault for of in search["properties"] for one in of["harmless"] for fault in one["faults"]}
        check(not untried & not_by, "what was not tried is not called harmless", f"{untried} {not_by}")
        check("clock-jump (client)" in untried or search["topology"] != "1 server",
              "the clients of this lock compare no wall clocks", str(untried))
        for of in search["properties"]:
            for one in of["enough"]:
                code, out = run(program, "run", one["counterexample"], "--quiet")
                check(code == 0 and "every expectation met" in out, f"{one['counterexample']} breaks it", out)
                broken += 1
            for one in of["harmless"]:
                evidence = one["evidence"]
                if evidence not in explored:
                    explored[evidence] = verdicts(program, evidence)
                verdict = explored[evidence][of["property"]]
                not_judged = of["property"] == "re-entrancy" and verdict == "no-violation"  # nobody re-enters
                check(verdict == "holds" or not_judged, f"{evidence}: {of['property']} is {verdict}")
                harmless += 1
    check(broken > 10 and harmless > 5, f"{broken} sets of faults break it, {harmless} do not")
    return found


def test_workers(program, folder, found):
    check(searches(program, "--workers", "1", "--out", str(folder)) == found, "one worker says the same")


def test_limit(program):
    code, out = run(program, "frontier", LOCK, "--max-faults", "2", "--memory", "20K")
    check(code == 2 and "searched in part: the memory limit of 20K was reached" in out, "a limit is told", out)
    check("not broken here" not in out, "what was not searched does not hold", out)


def test_interrupt(program):
    """A signal to lockproof alone stops all that it searches, and no further search begins."""
    with subprocess.Popen([program, "frontier", "set-px-token", "redisson", "--max-faults", "3", "--workers", "2"],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        time.sleep(1.5)
        process.send_signal(signal.SIGINT)
        try:
            out, err = process.communicate(timeout=60)
        finally:
            process.kill()
    check(process.returncode == 2 and err == "", f"an interrupted search ends with {process.returncode}", out + err)
    check(out.count("searched in part: it was interrupted") == 2, "two searches ran, and both say so", out)
    check("redisson" not in out, "no other search began", out)


def test_output(program, folder):
    """What a search cannot do is said as if it had run alone."""
    (folder / "file").write_text("", encoding="utf-8")
    done = subprocess.run([program, "frontier", LOCK, "--max-faults", "0", "--out", f"{folder}/file/below"],
                          capture_output=True, text=True, timeout=300)
    check(done.returncode == 69 and "cannot write" in done.stderr, "a folder that cannot be", done.stderr)


def test_pair(program, folder):
    """Of two faults that break a lock together alone, neither is called one of which nothing comes."""
    (folder / "pair.toml").write_text(PAIR, encoding="utf-8")
    _, out = run(program, "frontier", str(folder / "pair.toml"), "--format", "json")
    (search,) = json.loads(out)["frontiers"]
    broken = {of["property"]: [one["faults"] for one in of["enough"]] for of in search["properties"] if of["enough"]}
    check(broken == {"mutual-exclusion": [["pause (client)", "clock-jump (server)"]]}, "both are needed", str(broken))
    check(search["not_tried"] == [], "both were tried", str(search["not_tried"]))


def draw(folder, shown):
    """The picture in docs/images, with what the catalogue shows beyond the table."""
    found = json.loads((folder / "frontier.json").read_text(encoding="utf-8"))
    for search in found["frontiers"]:
        search["beyond"] = [{"fault": fault, "property": name, "kind": kind}
                            for lock, fault, name, kind, _ in shown if lock == search["algorithm"]]
    (folder / "frontier.json").write_text(json.dumps(found), encoding="utf-8")
    subprocess.run([sys.executable, "-B", "reports/report.py", str(folder), "-o", str(folder / "drawn")], check=True)
    shutil.copy(folder / "drawn/frontier.png", "docs/images/frontier.png")


def test_table(program):
    from beyond import beyond, lines_of, table_of  # needs matplotlib, as the pictures do

    page = pathlib.Path("docs/reference/frontier.md")
    text = page.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        subprocess.run([program, "frontier", "--max-faults", "1", "--memory", "4G", "--out", name], check=False,
                       timeout=7200)
        printed = (folder / "frontier.md").read_text(encoding="utf-8")
        if os.environ.get("UPDATE"):
            text = TABLE.sub(lambda found: found[1] + printed + found[3], text)
            shown = beyond(table_of(text), pathlib.Path("scenarios"))
            lines = "".join(line + "\n" for line in lines_of(shown))
            page.write_text(BEYOND.sub(lambda found: found[1] + lines + found[3], text), encoding="utf-8")
            draw(folder, shown)
            return
    table = TABLE.search(text)[2]
    for lock in IN_PART.findall(text):
        row = re.compile(rf"^\| `{lock}` \|.*$", re.M)
        check(row.search(table) and row.search(printed), f"{lock} has a row", printed)
        printed = row.sub(lambda _, kept=row.search(table)[0]: kept, printed)
    check(table == printed, "the page has another table; UPDATE=1 writes this one", printed)


def main():
    program = os.path.abspath(sys.argv[1])
    os.chdir(sys.argv[2])
    if sys.argv[3:] == ["table"]:
        test_table(program)
    else:
        with tempfile.TemporaryDirectory() as name:
            test_workers(program, pathlib.Path(name), test_evidence(program, pathlib.Path(name)))
            test_output(program, pathlib.Path(name))
            test_pair(program, pathlib.Path(name))
        test_limit(program)
        test_interrupt(program)
    print("the frontier is as it says")


if __name__ == "__main__":
    main()
