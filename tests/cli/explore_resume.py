#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A search that is stopped and goes on from its checkpoint prints what one does that was never stopped; and a
checkpoint of anything else is refused with one message.

explore_resume.py LOCKPROOF SOURCE
"""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

BUDGET = ["--budget", "scenarios/budgets/one-server.toml"]
LIVELOCK = "scenarios/documented/redlock/redlock-lockstep.toml"
TOKEN = ["scenarios/bench/token-3x2.toml"]
UNKNOWN, USAGE = 2, 64
OF_ITS_OWN = ("seconds", "bytes_per_state", "memory_bytes")  # of each search, however it came to its end


def check(holds, what, text=""):
    if not holds:
        sys.exit(f"explore_resume: {what}\n{text}")


def explore(program, *words):
    run = subprocess.run([program, "explore", *words], capture_output=True, text=True, timeout=600)
    return run.returncode, run.stdout, run.stderr


def answer(program, *words):
    code, out, err = explore(program, *words, "--format", "json")
    check(err == "", "nothing goes wrong", err)
    found = json.loads(out)
    return {key: value for key, value in found.items() if key not in OF_ITS_OWN} | {"code": code}


def test_same_answer(program, folder, words, limits):
    file = str(folder / "same")
    whole = answer(program, *words)
    going_on = ["--checkpoint", file]
    for limit in limits:
        part = answer(program, *words, *limit, *going_on)
        check(part["code"] == UNKNOWN and not part["complete"], f"{limit} stops {words}", str(part))
        going_on = ["--resume", file]
    check(answer(program, *words, *going_on) == whole, f"{words} goes on to the same answer", str(whole))


def test_command_that_goes_on(program, folder):
    out = str(folder / "out")
    code, text, _ = explore(program, *TOKEN, "--quiet", "--memory", "12M", "--out", out)
    wanted = f"  lockproof explore {TOKEN[0]} --resume {out}/checkpoint --memory 48M\n"
    check(code == UNKNOWN and wanted in text, "the command that goes on is named", text)
    code, text, _ = explore(program, *TOKEN, "--quiet", "--resume", out + "/checkpoint", "--memory", "400M")
    check(code == 0 and "searched: every schedule" in text, "and it does", text)


def test_interrupt(program, folder):
    file = str(folder / "interrupted")
    run = subprocess.Popen([program, "explore", "scenarios/bench/token-4x2.toml", *BUDGET, "--max-faults", "3",
                            "--quiet", "--checkpoint", file], stdout=subprocess.PIPE, text=True)
    time.sleep(1)
    run.send_signal(signal.SIGINT)
    text, _ = run.communicate(timeout=600)
    check(run.returncode == UNKNOWN and f"--resume {file}" in text, "Ctrl-C writes it as well", text)
    check(os.listdir(folder).count("interrupted.part") == 0, "nothing is left half-written")
    _, text, _ = explore(program, "scenarios/bench/token-4x2.toml", *BUDGET, "--max-faults", "3", "--quiet",
                         "--resume", file, "--time", "10ms")
    check("searched in part" in text, "and it is whole", text)


def test_refusals(program, folder):
    file = folder / "refused"
    explore(program, *TOKEN, "--memory", "12M", "--checkpoint", str(file))

    def refused(what, *words, with_program=program, resume=file):
        code, out, err = explore(with_program, *words, "--resume", str(resume))
        check(code == USAGE and out == "" and err.count("\n") == 1 and what in err, f"refuses {words}: {what}",
              f"exit {code}\n{err}")

    edited = folder / "edited.toml"
    edited.write_text(pathlib.Path(TOKEN[0]).read_text() + "\n# edited\n")
    refused("another scenario, or of this one before it was edited", str(edited))
    refused("another budget", *TOKEN, *BUDGET)
    refused("another number of faults", *TOKEN, "--max-faults", "1")
    refused("another engine", *TOKEN, "--engine", "reexecution")
    refused("another way to search (--no-reduction, --find)", *TOKEN, "--no-reduction")
    refused("another way to search (--no-reduction, --find)", *TOKEN, "--find", "first")
    refused("there is no such file to go on from", *TOKEN, resume=folder / "none")
    refused("no checkpoint", *TOKEN, resume=edited)
    other = folder / "other-build"
    shutil.copy(program, other)
    with open(other, "ab") as end:
        end.write(b"\0")
    refused("another build of lockproof", *TOKEN, with_program=str(other))
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 1
    damaged = folder / "damaged"
    damaged.write_bytes(data)
    refused("damaged", *TOKEN, resume=damaged)
    damaged.write_bytes(data[:-100])
    refused("damaged", *TOKEN, resume=damaged)


def main():
    program = os.path.abspath(sys.argv[1])
    os.chdir(sys.argv[2])
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        test_same_answer(program, folder, TOKEN, [["--memory", "12M"], ["--memory", "13M"]])
        test_same_answer(program, folder, [*TOKEN, "--max-faults", "1", "--engine", "reexecution"],
                         [["--memory", "12M"], ["--memory", "13M"]])
        livelock = folder / "livelock.toml"
        livelock.write_text(pathlib.Path(LIVELOCK).read_text().replace("attempts = 8", "attempts = 3"))
        test_same_answer(program, folder, [str(livelock), "--engine", "reexecution"], [["--memory", "12M"]])
        test_same_answer(program, folder, [str(livelock)], [["--memory", "12M"]])
        test_command_that_goes_on(program, folder)
        test_interrupt(program, folder)
        test_refusals(program, folder)
    print("a search goes on from its checkpoint")


if __name__ == "__main__":
    main()
