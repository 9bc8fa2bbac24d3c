#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Which key a program's lock is, and what is judged where it is none, or where nobody gets the lock.
program_keys.py LOCKPROOF SOURCE simulated|real"""

import json
import pathlib
import subprocess
import sys
import tempfile

LOCKPROOF, SOURCE, WORLD = sys.argv[1:]
LOCK = pathlib.Path(SOURCE, "tests", "cli", "program_keys", "lock.py")
BY_KEY = ("owner-release", "re-entrancy", "grant-is-valid")


def asked(verb, way, code, algorithm="", more=""):
    """The text of the answer, and its properties, if there are any."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, f"{way}.toml")
        environment = f'environment = {{ LOCK_FILE = "{folder}/lock" }}'
        file.write_text(f'[algorithm]\ncommand = ["python3", "{LOCK}", "{way}"]\n{environment}\n{algorithm}\n'
                        f'[workload]\nlease = "1s"\nwork = ["hold 600ms"]\n{more}')
        text = subprocess.run([LOCKPROOF, verb, file, "-q"], capture_output=True, text=True, check=False)
        data = subprocess.run([LOCKPROOF, verb, file, "--format", "json"], capture_output=True, text=True, check=False)
    assert text.returncode == code, f"{verb} {way} ends with {text.returncode}: {text.stdout}{text.stderr}"
    answer = json.loads(data.stdout)
    return text.stdout + text.stderr, {p["property"]: p for p in answer.get("properties", ())}


def expect(holds, what, text):
    assert holds, f"{what}: {text}"


def check_heartbeat(verb):
    text, found = asked(verb, "beat", 0)
    expect("the lock is the key 'app:lock'" in text, "the heartbeat is not the lock", text)
    expect(all(found[p]["verdict"] == "no-violation" for p in BY_KEY), "nothing is violated", text)


def check_no_key(verb):
    text, found = asked(verb, "file", 0)
    expect("the lock is no key" in text, "a file is no key", text)
    expect(all(not found[p].get("judged", True) for p in BY_KEY), "nothing is judged by a key", found)


def check_several(verb):
    text, _ = asked(verb, "twice", 2)
    expect("app:guard" in text and "app:other" in text, "both keys are named", text)
    text, found = asked(verb, "twice", 0, 'key = "app:g*"')
    expect("app:guard" in text, "the key that the pattern fits", text)
    expect(all(found[p]["verdict"] == "no-violation" for p in BY_KEY), "judged by it", text)


def check_never(verb, simulated):
    text, found = asked(verb, "never", 2)
    expect("nobody got the lock" in text, "says so", text)
    expect("deadlock-freedom" not in found or found["deadlock-freedom"]["verdict"] == "unknown", "no violation", text)
    lacks = "without any fault: the program calls ZADD in a script, which the simulated server does not have"
    expect(not simulated or lacks in " ".join(text.split()), "what the simulated server lacks comes first", text)


def check_caught():
    """Who catches the error of what the simulated server lacks gets the lock, and is not judged all the same."""
    lacks = "the program calls ZADD in a script, which the simulated server does not have"
    pause = '[explore]\n[[explore.fault]]\nkind = "pause"\ntarget = "clients"\nfor = "600ms"\n'
    for verb in ("run", "explore"):
        text, found = asked(verb, "caught", 2, more=pause)
        expect(lacks in " ".join(text.split()), "the verdict names it", text)
        judged = [p for p in found.values() if p["verdict"] != "unknown" and p.get("judged", True)]
        expect(not judged, "nothing is judged", judged)
    _, found = asked("run", "mget", 0)
    expect(found["owner-release"]["verdict"] == "no-violation", "who asks for what it has is judged", found)


def check_search():
    pause = '[explore]\n[[explore.fault]]\nkind = "pause"\ntarget = "clients"\nfor = "600ms"\n'
    text, found = asked("explore", "beat", 1, more=pause)
    expect(found["owner-release"]["verdict"] == "violated", "GET, then DEL, is found", text)
    expect(found["grant-is-valid"]["verdict"] == "holds", "and no false violation", text)
    asked("explore", "never", 2, more=pause)


def main():
    simulated = WORLD == "simulated"
    verb = "run" if simulated else "real"
    check_heartbeat(verb)
    check_no_key("real") if not simulated else None
    check_several(verb)
    if simulated:
        check_never(verb, simulated)
        check_search()
        check_caught()
    print("every key is known, or said not to be")


if __name__ == "__main__":
    main()
