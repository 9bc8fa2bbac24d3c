#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a person sees of a long search: progress on a terminal and nowhere else, and that Ctrl-C and limits end it in
`unknown` with what is known nevertheless and commands that go on.

explore_view.py LOCKPROOF SOURCE
"""
import json
import os
import pathlib
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import time

from terminal import on_terminal

SCENARIO = "scenarios/bench/token-4x2.toml"
SHORT = ["explore", SCENARIO, "--no-reduction", "--quiet"]
UNKNOWN, INTERRUPTED = 2, 3  # seconds until Ctrl-C


def check(holds, what, text=""):
    if not holds:
        sys.exit(f"explore_view: {what}\n{text}")


def piped(command, interrupt_after=None):
    run = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if interrupt_after:
        time.sleep(interrupt_after)
        run.send_signal(signal.SIGINT)
    out, err = run.communicate(timeout=100)
    check(err == "", "something was written to a pipe beside the answer", err)
    return run.returncode, out


def commands_of(out):
    return [line.strip() for line in out.splitlines() if line.startswith("  lockproof explore ")]


def run_again(program, command):
    words = shlex.split(command.removeprefix("lockproof"))
    return piped([program, *words, "--quiet"])


def test_limits(program, long):
    # What the program has to begin with depends on how it is built.
    for memory in (24, 28, 32, 36, 40, 44, 48, 64, 96, 128, 256):
        code, out = piped([program, *SHORT, "--memory", f"{memory}M"])
        known = re.search(r"every schedule with .* of the budget, and with (\d) faults? as far as \d+ events", out)
        if known:
            break
    check(code == UNKNOWN, "a search that the memory limit ends is unknown", out)
    check(f"the memory limit of {memory}M was reached" in out, "says which limit it was", out)
    check(out.count("was reached") == 1, "says so once", out)
    check(known, "says what is known nevertheless", out)
    check(re.search(r"an estimate: of the states that random schedules meet, \d+ % were visited", out),
          "estimates how far it came", out)
    more, less = commands_of(out)
    check(f"--memory {4 * memory}M" in more and f"--max-faults {int(known[1]) - 1}" in less, "names what goes on", out)
    code, out = run_again(program, less)
    check("searched: every schedule" in out, "what was searched whole ends with a verdict", out)

    code, out = piped([program, *long, "--time", "300ms", "--format", "json"])
    found = json.loads(out)
    check(code == UNKNOWN and found["verdict"] == "unknown" and not found["complete"], "as JSON", out)
    check(found["stopped"] == "the time limit of 300ms was reached", "the reason", out)
    check(found["searched_below_faults"] >= 0 and found["searched_to_depth"] >= 0, "how far it came", out)
    check(0 <= found["percent_estimate"] <= 100, "the estimate", out)
    check(found["seconds"] < 20, "a limit of 300 ms is looked at in time", out)


def test_interrupt(program, long):
    begin = time.monotonic()
    code, out = piped([program, *long], interrupt_after=INTERRUPTED)
    check(code == UNKNOWN, "an interrupted search is unknown", out)
    check("it was interrupted" in out and "known nevertheless" in out, "says what it knows", out)
    check(time.monotonic() - begin < INTERRUPTED + 10, "it ends soon")
    command = " ".join(["lockproof", *long]).removesuffix(" --quiet")
    check(commands_of(out) == [command], "the same command goes on", out)


def test_terminal(program, long):
    one = ["--engine", "stateful"]  # one search, without drawn runs, which find a violation in time
    code, text = on_terminal([program, *long, *one, "--time", "8s"])
    check(code == UNKNOWN, "the same answer on a terminal", text)
    lines = re.findall(r"\r([^\r\n]*states, [^\r\n]*)\x1b\[K", text)
    check(len(lines) > 1, "shows progress on a terminal", text)
    number = r"\d+(\.\d)?( [kM])?"
    pattern = (rf"{number} states, {number} waiting, \d+/4096 MB(, \d+ faults?)?, depth \d+"
               r"(, est\. \d+ %)?, \d+ s of at most 8 s")
    check(all(re.fullmatch(pattern, line) for line in lines), "states, frontier, memory, place, time", text)
    check(any("est." in line for line in lines), "an estimate of the share", text)
    check(max(map(len, lines)) < 80, "fits the terminal", text)
    check("\r\x1b[K\x1b[1mFour clients" in text, "the line is gone when the answer comes", text)


def main():
    program = os.path.abspath(sys.argv[1])
    os.chdir(sys.argv[2])
    os.environ.pop("NO_COLOR", None)
    with tempfile.TemporaryDirectory() as folder:  # so much that no machine comes to the first fault in time
        scenario = pathlib.Path(folder) / "token-4x2.toml"
        text = pathlib.Path(SCENARIO).read_text(encoding="utf-8")
        scenario.write_text(text.replace('latency = "100ms"', 'latency = ["100ms", "200ms"]'), encoding="utf-8")
        budget = pathlib.Path(folder) / "budget.toml"  # where asks are free, one state takes long with such latencies
        text = pathlib.Path("scenarios/budgets/one-server.toml").read_text(encoding="utf-8")
        budget.write_text(text.replace("[explore]\n", '[explore]\ncontention = "as-written"\n'), encoding="utf-8")
        long = ["explore", str(scenario), "--budget", str(budget), "--quiet"]
        for test in (test_limits, test_interrupt, test_terminal):
            test(program, long)
    print("a long search tells how far it is and what it knows")


if __name__ == "__main__":
    main()
