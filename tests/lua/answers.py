#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a lock in Lua is answered is what the pages say: by each service, and by each stand-in for another one.

    answers.py LOCKPROOF SOURCE simulated    in one run and in every schedule of one client
    answers.py LOCKPROOF SOURCE real         on a real server

The files in answers/ ask, and name the answers. What stands in a page's tables must be asked there. And the lock to
begin with that `lockproof new` writes for each of them holds, with two clients and no fault.
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

PROGRAM, SOURCE, WORLD = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3]
ANSWERS = SOURCE / "tests/lua/answers"
STAND_INS = SOURCE / "scenarios/lua/stand-ins"
SERVICES = ("redis", "memcached", "postgres", "zookeeper", "etcd", "chubby")
SIMULATED_ONLY = ("chubby",)
PAGES = ("lua-services.md", "stand-ins.md")
LOCK = """
lock.round_trips, lock.claims = 60, nil
local function words(...)
  local all = {}
  for i = 1, select("#", ...) do all[i] = tostring((select(i, ...))) end
  return table.concat(all, " ")
end
local function both(reply, why) return words(reply, why) end
local function is(word, reply)
  local found = type(reply) == "table" and words(unpack(reply)) or tostring(reply)
  if found ~= word then error(word .. " is " .. found) end
end
function acquire(name)
LINES  return { token = "mine" }
end
function release() return skipped() end
renew, wait = nil, nil
"""
SCENARIO = """
[algorithm]
file = "lock.lua"
[network]
timeout = "20s"
[workload]
clients = {clients}
[explore]
attempts = {clients}
contention = "as-written"
[expect]
run = "no-violation"
explore = "holds"
"""
UNKNOWN = 2
VERBS = {"simulated": ("run", "explore"), "real": ("real",)}[WORLD]


def complaint(name):
    """Empty: the service, or the stand-in, answers as the file says."""
    lines = (ANSWERS / f"{name}.lua").read_text()
    stand_in = STAND_INS / f"{name}.lua"
    head = stand_in.read_text() if stand_in.exists() else f'lock = {{ service = "{name}" }}\n'
    with tempfile.TemporaryDirectory(suffix=f"-{name}") as folder:
        pathlib.Path(folder, "lock.lua").write_text(head + LOCK.replace("LINES", lines))
        file = pathlib.Path(folder, "lock.toml")
        file.write_text(SCENARIO.format(clients=1))
        return "".join(failure(verb, file) for verb in VERBS)


def failure(verb, file):
    done = subprocess.run([PROGRAM, verb, str(file), "--format", "json"], capture_output=True, text=True, check=False,
                          timeout=100)
    answered = json.loads(done.stdout)["properties"] if done.stdout else []
    entered = any(one["property"] == "exercised" and "at once" in one.get("what", "") for one in answered)
    # The one client got in, and no other was there.
    return "" if entered else f"{file.parent.name}, {verb}: {done.returncode}\n{done.stdout[-1500:]}{done.stderr}\n"


def first_lock(name):
    """What is wrong with the lock to begin with."""
    with tempfile.TemporaryDirectory(suffix=f"-{name}") as folder:
        file = pathlib.Path(folder, "lock.toml")
        real = "" if name in SIMULATED_ONLY else 'real = "no-violation"\n'
        file.write_text(SCENARIO.format(clients=2) + real)
        commands = [[PROGRAM, "new", str(file.with_suffix(".lua")), "--service", name],
                    *([PROGRAM, verb, str(file)] for verb in VERBS)]
        for command in commands:
            done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=100)
            if done.returncode and not (done.returncode == UNKNOWN and "too busy" in done.stdout):
                return f"{command}: {done.returncode}\n{done.stdout[-1500:]}{done.stderr}\n"
    return ""


def not_asked(page):
    """The calls of a page's tables that no file asks, as (section, call)."""
    for section in re.split(r"^## ", page, flags=re.MULTILINE)[1:]:
        name = re.search(r"<!-- answers: (\S+) -->", section)
        if not name:
            continue
        asked = (ANSWERS / f"{name[1]}.lua").read_text()
        for row in re.findall(r"^\| `([^`]+)`", section, re.MULTILINE):
            called = re.match(r'(?:everywhere\(timeout, |call\()?"?([\w-]+)', row)[1]
            if not re.search(rf"\b{re.escape(called)}\b", asked):
                yield section.splitlines()[0], row


def main():
    wrong = []
    names = sorted(file.stem for file in ANSWERS.glob("*.lua"))
    expected = sorted([*SERVICES, *(file.stem for file in STAND_INS.glob("*.lua"))])
    if names != expected:
        wrong.append(f"there are answers of {names}, and not of {expected}")
    here = [name for name in names if WORLD == "simulated" or name not in SIMULATED_ONLY]
    wrong += [ask(name) for name in here for ask in (complaint, first_lock)]
    for page in PAGES:
        wrong += [f"{page}, {section}: no file asks {row}"
                  for section, row in not_asked((SOURCE / "docs/reference" / page).read_text())]
    wrong = [one for one in wrong if one]
    if wrong:
        sys.exit("\n".join(wrong))
    print(f"{len(names)} services and stand-ins answer as their pages say")


main()
