#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Limits are kept: the time to the second, the memory to a tenth, and where the machine gives no more memory, the
search ends in `unknown` with a checkpoint; a search that was stopped says how to go on.

limits.py LOCKPROOF SOURCE
"""
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time

from best_time import best_time

UNKNOWN, WRONG = 2, 64
LATE = 1.0  # seconds
LARGE = ["scenarios/bench/token-4x2.toml", "--budget", "scenarios/budgets/one-server.toml", "--max-faults", "3"]
EACH_TAKES_LONG = ["tests/reproducers/limits-110.toml", "tests/reproducers/limits-18.toml",
                   "tests/reproducers/limits-33.toml"]
FOUND = "scenarios/documented/leases/lease-outlived.toml"
# The run of what was found takes long; on a fast machine it reaches the bound on events before the one on seconds.
FOUND_AT_ONCE = "tests/reproducers/limits-48.toml"


def check(holds, what, text=""):
    if not holds:
        sys.exit(f"limits: {what}\n{text}")


def limited(megabytes):
    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20, megabytes << 20))
    return limit


def run(program, *words, address_space=None):
    """Exit code, output, and the most memory that it ever had in MB."""
    with tempfile.TemporaryFile() as out:
        process = subprocess.Popen([program, *map(str, words)], stdout=out, stderr=subprocess.STDOUT,
                                   preexec_fn=limited(address_space) if address_space else None)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        text = out.read().decode()
    return process.returncode, text, usage.ru_maxrss / 1024


def in_time(program, limit, *words, codes=(UNKNOWN,)):
    (code, text, _), took = best_time(lambda: run(program, *words, "--time", f"{limit}s"), limit + LATE)
    check(took < limit + LATE, f"{words} takes {took:.1f} s of {limit} s", text)
    check(code in codes, f"{words} ends with {code}", text)
    return text


def test_time(program):
    for file in EACH_TAKES_LONG:
        text = in_time(program, 2, "explore", file, "--workers", "1", "--quiet")
        check("the time limit of 2s was reached" in text, f"{file} says why", text)
    in_time(program, 2, "explore", FOUND_AT_ONCE, "--workers", "1", "--quiet", codes=(1, UNKNOWN, WRONG))
    in_time(program, 1, "explore", *LARGE, "--engine", "reexecution", "--quiet")
    in_time(program, 1, "explore", EACH_TAKES_LONG[0], "--engine", "reexecution", "--quiet")
    in_time(program, 1, "explore", LARGE[0], *LARGE[1:], "--liveness", "--quiet", codes=(1, UNKNOWN))
    in_time(program, 1, "frontier", EACH_TAKES_LONG[0], *LARGE[1:])
    in_time(program, 1, "minimize", "scenarios/documented/leases/lease-outlived.toml", "--quiet",
            "--states", "100000000", codes=(0, UNKNOWN))
    in_time(program, 1, "run", *LARGE, "--strategy", "auto", codes=(0, 1, UNKNOWN))
    text = in_time(program, 1, "explain", "scenarios/documented/redlock/redlock-pause-after-grant.toml", codes=(0,))
    check("could no longer be averted is not known" in text, "explain says what it does not know", text)
    text = in_time(program, 2, "bench")
    check("stopped by --time after" in text, "bench says how many rows it has", text)


def goes_on(program, file, *words):
    code, text, _ = run(program, "explore", *LARGE, "--quiet", "--resume", file, "--time", "2s", *words)
    check(code == UNKNOWN and "searched in part" in text, f"the checkpoint is not whole: {code}", text)


def test_memory(program, folder):
    file = folder / "of-memory"
    for megabytes, engine in ((64, "stateful"), (100, "stateful"), (64, "reexecution")):
        code, text, most = run(program, "explore", *LARGE, "--engine", engine, "--quiet", "--memory",
                                  f"{megabytes}M", "--checkpoint", file)
        check(code == UNKNOWN and f"the memory limit of {megabytes}M was reached" in text, "says why", text)
        check(0.8 * megabytes < most < 1.1 * megabytes, f"{engine}: {most:.0f} MB of {megabytes} MB", text)
        goes_on(program, file, "--engine", engine)


REVIEW = "docs/guide/examples/reviews/cron-job.toml"
CHECK = ["check", "scenarios/documented/leases", "scenarios/bench", "--explore"]


def memory_of(process):
    """Of it and of those below it, in MB."""
    total = 0
    try:
        for line in pathlib.Path(f"/proc/{process}/smaps_rollup").read_text(encoding="ascii").splitlines():
            total += int(line.split()[1]) / 1024 if line.startswith("Pss:") else 0
        children = pathlib.Path(f"/proc/{process}/task/{process}/children").read_text(encoding="ascii")
    except OSError:  # it is gone
        return 0
    return total + sum(memory_of(int(child)) for child in children.split())


def test_memory_of_many(program):
    """A review says the least that it needs; the searches of a check share what there is."""
    code, text, _ = run(program, "review", REVIEW, "--memory", "64M")
    check(code == WRONG and "--memory: a review needs 160M at least" in text, f"what it needs: {code}", text)
    for megabytes in 160, 256:
        code, text, most = run(program, "review", REVIEW, "--memory", f"{megabytes}M", "--time", "20s")
        check(code == UNKNOWN and most < 1.1 * megabytes, f"review: {code}, {most:.0f} MB of {megabytes} MB", text)
    most, megabytes = 0, 64
    with subprocess.Popen([program, *CHECK, "--memory", f"{megabytes}M", "--time", "8s"], stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL) as process:
        while process.poll() is None:
            most = max(most, memory_of(process.pid))
            time.sleep(0.02)
    check(process.returncode == UNKNOWN and most < 1.1 * megabytes, f"check: {most:.0f} MB of {megabytes} MB")


def test_time_of_all(program):
    """--time bounds the whole check; each search has its share, and what is left out is unknown."""
    text = in_time(program, 2, *CHECK)
    check(text.count("the time limit of 2s was reached") or "the time limit of" in text, "check says why", text)
    searched = re.search(r"(\d+) of (\d+) runs of (\d+) scenarios as expected", text)
    check(searched and int(searched[1]) > int(searched[3]) // 2, "what came before is known", text)
    text = in_time(program, 1, "check", "scenarios/documented", *["--workers", "1"], codes=(0, UNKNOWN))
    for world in ["--real"] if shutil.which("redis-server") else []:
        text = in_time(program, 1, "check", "scenarios/documented/leases", world)
        check("the time limit of 1s was reached" in text, "what is not run on servers is unknown", text)


def test_no_more_memory(program, folder):
    """A third of it is what the program needs to begin with."""
    file = folder / "checkpoint"
    code, text, _ = run(program, "explore", *LARGE, "--workers", "1", "--quiet", "--checkpoint", file,
                           address_space=250)
    check(code == UNKNOWN, f"ends with {code}", text)
    check("the machine gave no more memory" in text and "bad_alloc" not in text, "says why", text)
    check(re.search(rf"--resume {file}\n +with more memory for the process, from where it stopped", text),
          "says how to go on", text)
    goes_on(program, file, "--workers", "1")


POLLED = """title = "A lease of 600 s, and a rival that asks every 50 ms"
source = "a test"
[algorithm]
name = "set-px-token"
[servers]
redis = 1
[workload]
clients = 2
lease = "600s"
work = ["hold 500s"]
"""


def test_ways_on(program, folder):
    """Where nothing was found, there are runs that are drawn; where clients poll, there are those that need not."""
    file, budget = folder / "polled.toml", "scenarios/budgets/written-processes.toml"
    file.write_text(POLLED)
    text = in_time(program, 1, "explore", file, "--budget", budget, "--quiet")
    drawn = re.search(rf"lockproof (run \S+ --budget {budget}) --runs 2000 --strategy random\n", text)
    check(drawn, "says how to draw runs", text)
    check('without contention = "as-written": clients poll' in text, "says that clients poll", text)
    code, drew, _ = run(program, *drawn[1].split(), "--runs", "1", "--strategy", "random")
    check(code in (0, 1) and f"drawn from: the bounds of {budget}" in drew, f"draws runs: {code}", drew)
    text = in_time(program, 3, "explore", FOUND, "--budget", LARGE[2], "--max-faults", "2", "--quiet", codes=(1,))
    check("to go on:" in text and "--strategy random" not in text, "what was found need not be drawn", text)
    text = in_time(program, 1, "explore", *LARGE, "--quiet")
    check("--max-faults 1\n      one fault in a run" in text, "offers a smaller space", text)


def main():
    program = os.path.abspath(sys.argv[1])
    os.chdir(sys.argv[2])
    with tempfile.TemporaryDirectory() as folder:
        test_time(program)
        test_memory(program, pathlib.Path(folder))
        test_memory_of_many(program)
        test_time_of_all(program)
        test_no_more_memory(program, pathlib.Path(folder))
        test_ways_on(program, pathlib.Path(folder))
    print("limits are kept")


if __name__ == "__main__":
    main()
