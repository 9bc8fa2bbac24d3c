#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""lockproof beside Spin, on one scenario and its twin in Promela: spin_twin.py PROGRAM ROOT counts|bench [SCENARIO].

`counts`, a test: for several sizes of scenarios/bench/token-3x2.toml, or of token-anytime.toml, where clients ask when
they like or at the asking instants of a search, and with other durations, lockproof (without its reductions) and Spin
see equally many states and transitions; and a twin that is wrong in one number does not.
`bench` compares the counts of a scenario and then measures both, turn by turn, on one core; without a scenario it takes
those of scenarios/bench in turn, and token-3x2 with three rounds and attempts. The twin is promela/token_3x2.pml;
sizes, budget and durations come from the scenario.
"""

import json
import os
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import tomllib
from pathlib import Path

MODEL = Path(__file__).parent / "promela" / "token_3x2.pml"
RUNS = 5
DURATIONS = ("TIMEOUT", "LEASE", "HOLD", "RETRY", "PAUSE")
OVER_MS = 2  # of a lease that has been over for longer nobody can tell since when: the search does not count how long
FAULTS = {"pause": "PAUSES", "crash": "CRASHES", "half-open": "LOSSES"}

# What `counts` compares: (what is changed in the scenario, faults).
SMALL = {"clients": 2, "rounds": 1, "attempts": 1}
OTHER_DURATIONS = {"clients": 2, "lease": "500ms", "work": ["hold 300ms"], "retry": "100ms", "timeout": "300ms"}
AS_WRITTEN = [({"clients": 1}, list(FAULTS)), (SMALL, []), (SMALL, ["half-open"]), ({"clients": 2}, ["pause"]),
              ({"clients": 2}, ["crash"]), ({"clients": 2, "rounds": 3}, ["half-open"]), ({"clients": 2}, list(FAULTS)),
              (OTHER_DURATIONS, list(FAULTS)), ({"clients": 4, "rounds": 1, "attempts": 1}, ["pause", "crash"]),
              ({}, list(FAULTS))]
ASKED_FREELY = [({"clients": 1}, list(FAULTS)), (SMALL, []), (SMALL, ["pause"]), (SMALL, ["crash"]),
                (SMALL, ["half-open"]),
                ({}, []), ({"grid": "200ms"}, ["pause", "crash"]), (OTHER_DURATIONS | {"rounds": 1}, list(FAULTS)),
                ({"clients": 3, "rounds": 1}, []), ({"clients": 3, "rounds": 1, "attempts": 1}, ["pause", "crash"]),
                ({}, list(FAULTS))]
AT_INSTANTS = {"contention": "adversarial", "latency": "1ms", "lease": "6ms", "work": ["hold 2ms"], "retry": "2ms",
               "timeout": "4ms"}
ASKED_FREELY += [(AT_INSTANTS | {"rounds": 1}, []), (AT_INSTANTS | {"rounds": 1}, ["pause"]), (AT_INSTANTS, []),
                 (AT_INSTANTS | {"lease": "5ms", "work": ["hold 3ms"]}, ["pause", "crash"]),
                 (AT_INSTANTS, ["pause", "crash"])]


class Failure(Exception):
    """What went wrong, in one line."""


def ms(text):
    found = re.fullmatch(r"(\d+)ms", text)
    if not found:
        raise Failure(f"'{text}' is no duration in ms, and the twin knows no others")
    return int(found[1])


def defines(scenario):
    """What the twin is to be compiled with."""
    workload, network, explore = scenario["workload"], scenario["network"], scenario["explore"]
    way = ms(network["latency"])
    times = {"TIMEOUT": network["timeout"], "LEASE": workload["lease"], "RETRY": workload["retry"],
             "HOLD": workload["work"][0].removeprefix("hold ")}
    result = {"CLIENTS": workload["clients"], "ROUNDS": workload["rounds"], "ATTEMPTS": workload["attempts"]}
    for name, text in times.items():
        if ms(text) % way:
            raise Failure(f"{text} is no multiple of {network['latency']}, a message's way")
        result[name] = ms(text) // way
    result["PAUSE"] = result["LEASE"]
    result["OVER"] = -(-OVER_MS // way)
    if result["CLIENTS"] > 4 or max(result["ROUNDS"], result["ATTEMPTS"]) > 7 or max(result[t] for t in times) > 40:
        raise Failure("too many clients, rounds or attempts for the twin, or a duration of more than 40 ways")
    if result["TIMEOUT"] < 3:
        raise Failure("an answer must be able to come before the time-out")
    if scenario["algorithm"]["name"] != "set-px-token" or len(workload["work"]) != 1:
        raise Failure("the twin knows set-px-token and one hold")
    found = [fault["kind"] for fault in explore.get("fault", [])]
    if len(found) > explore["max_faults"] or sorted(set(found)) != sorted(found) or set(found) - set(FAULTS):
        raise Failure("the twin knows one pause, one crash and one half-open connection, all of which may strike")
    result |= {name: int(kind in found) for kind, name in FAULTS.items()}
    return asking(result, explore.get("contention"), way, ms(scenario.get("run", {}).get("grid", "1ms")))


def asking(result, contention, way, grid):
    """… with what says when clients ask."""
    if contention == "as-written":
        return result
    if contention == "anytime":
        if grid % way:
            raise Failure(f"a grid of {grid}ms is no multiple of {way}ms, a message's way")
        return result | {"FREELY": 1, "GRID": grid // way}
    if contention != "adversarial":
        raise Failure("the scenario must say when clients ask")
    if way != 1 or result["CLIENTS"] > 2 or result["LOSSES"] or max(result[t] for t in DURATIONS) > 14:
        raise Failure("asking instants have a twin for two clients, without drops, with ways of 1ms, of which at most "
                      "14 are in a duration")
    halves = {name: 2 * result[name] for name in DURATIONS}
    return result | {"FREELY": 1, "ADVERSARIAL": 1, "WAY": 2, "OVER": 2 * OVER_MS} | halves


def variant(text, changes, faults=tuple(FAULTS)):
    """The scenario with other values of some keys, and with these faults only."""
    for key, value in changes.items():
        text, count = re.subn(rf"^{key} = .*$", f"{key} = {json.dumps(value)}", text, flags=re.MULTILINE)
        if count != 1:
            raise Failure(f"{key} stands {count} times in the scenario")
    for kind in set(FAULTS) - set(faults):
        text = re.sub(rf'\[\[explore\.fault\]\]\nkind = "{kind}"\n(?:\w.*\n)*\n', "", text)
    return text


class Side:
    """What one program found: counts, whether two were inside at once, times and bytes."""

    def __init__(self, states, transitions, violated, seconds, bytes_per_state, memory):
        self.states, self.transitions, self.violated = states, transitions, violated
        self.seconds, self.bytes_per_state, self.memory = seconds, bytes_per_state, memory

    @property
    def found(self):
        return self.states, self.transitions, self.violated


def pinned():
    return ["taskset", "-c", str(max(os.sched_getaffinity(0)))] if shutil.which("taskset") else []


class Time:
    """Seconds that passed, and seconds of a processor: they differ where others use it, too."""

    def __init__(self, passed=0.0, processor=0.0):
        self.passed, self.processor = passed, processor

    def __add__(self, other):
        return Time(self.passed + other.passed, self.processor + other.processor)


def processor_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def timed(command, folder):
    begin, before = time.perf_counter(), processor_seconds()
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    return done, Time(time.perf_counter() - begin, processor_seconds() - before)


def lockproof(program, scenario, folder):
    command = [*pinned(), program, "explore", str(scenario), "--no-reduction", "--engine", "stateful", "--workers", "1",
               "--memory", "6G", "--format", "json"]
    done, whole = timed(command, folder)
    if not done.stdout.startswith("{"):
        raise Failure(f"lockproof: {done.stderr.strip()}")
    found = json.loads(done.stdout)
    if not found["complete"]:
        raise Failure(f"lockproof: {found['stopped']}")
    violated = [p.get("kind", "") for p in found["properties"]
                if p["property"] == "mutual-exclusion" and p["verdict"] == "violated"]
    side = Side(found["states"], found["transitions"], violated == ["outlived"], found["seconds"],
                found["bytes_per_state"], found["memory_bytes"])
    if "double-grant" in violated:
        raise Failure("lockproof: double-grant, which the token lock excludes")
    return side, whole


def compiled(folder, with_, flags):
    """Makes folder/pan of the twin; answers how long that took."""
    for tool in ("spin", "gcc"):
        if not shutil.which(tool):
            raise Failure(f"{tool} is missing: apt-get install {tool}, or ./dev setup")
    whole = Time()
    for command in (["spin", *(f"-D{name}={value}" for name, value in with_.items()), "-a", str(MODEL)],
                    ["gcc", *flags, "-DSAFETY", "-DNOREDUCE", "-o", "pan", "pan.c"]):
        done, took = timed([*pinned(), *command], folder)
        if done.returncode != 0:
            raise Failure(f"{command[0]}: {(done.stdout + done.stderr).strip()}")
        whole += took
    return whole


def spin(folder, slots):
    """Every schedule of the twin; `slots`: of the hash table, as a power of 2."""
    done, whole = timed([*pinned(), "./pan", "-n", "-c0", "-m200000", f"-w{slots}"], folder)
    numbers = {}
    for name, pattern in {"states": r"^ *(\S+) states, stored", "transitions": r"^ *(\S+) transitions",
                          "errors": r"errors: (\S+)", "megabytes": r"^ *(\S+)\tactual memory usage for states",
                       "all": r"^ *(\S+)\ttotal actual memory usage"}.items():
        found = re.search(pattern, done.stdout, re.MULTILINE)
        if not found or ("e" in found[1]):
            raise Failure(f"pan: no number of {name} in: {done.stdout.strip()[-300:]}")
        numbers[name] = float(found[1])
    for sign in ("max search depth too small", "Search not completed", "invalid end state ("):
        if sign in done.stdout:
            raise Failure(f"pan: {sign}")
    states = int(numbers["states"])
    # The initial state counts among the transitions there.
    return Side(states, int(numbers["transitions"]) - 1, numbers["errors"] > 0, whole.passed,
                numbers["megabytes"] * 2**20 / states, numbers["all"] * 2**20)


def both(program, text, folder, wrong=None):
    """(lockproof, Spin) on a scenario; `wrong`: what the twin is given instead of what the scenario says."""
    file = Path(folder) / "twin.toml"
    file.write_text(text, encoding="utf-8")
    with_ = defines(tomllib.loads(text)) | (wrong or {})
    ours, _ = lockproof(program, file, folder)
    compiled(folder, with_, ["-O0"])
    return ours, spin(folder, 20)


def counts(program, text, folder):
    """The test: prints a line for each size, and answers how many were wrong."""
    freely = "FREELY" in defines(tomllib.loads(text))
    bad = 0
    for changes, faults in ASKED_FREELY if freely else AS_WRITTEN:
        ours, theirs = both(program, variant(text, changes, faults), folder)
        equal = ours.found == theirs.found
        bad += not equal
        size = f"{changes or 'the scenario itself'}, {'+'.join(faults) or 'no fault'}"
        print(f"{'equal' if equal else 'UNEQUAL'}: {size}: {ours.states} states, {ours.transitions} transitions"
              + ("" if equal else f"; Spin {theirs.states}, {theirs.transitions}; violated: {ours.violated}, "
                                  f"{theirs.violated}"))
    # What the violations are, and that this comparison can fail.
    ours, theirs = both(program, text, folder, {"OUTLIVED_IS_FINE": 1})
    if theirs.violated or not ours.violated:
        bad += 1
        print("UNEQUAL: lockproof finds that a lease is outlived and no more; the twin must agree")
    wrongs = [({}, wrong) for wrong in ({"HOLD": 1}, {"LEASE": 8}, {"PAUSES": 0})]
    if freely:
        wrongs += [({}, {"GRID": 2}), (AT_INSTANTS, {"LEGS": 3}), (AT_INSTANTS, {"LEASE": 16})]
    for changes, wrong in wrongs:
        faults = ["pause", "crash"] if changes else list(FAULTS)
        ours, theirs = both(program, variant(text, changes | {"clients": 2}, faults), folder, wrong)
        if ours.found == theirs.found:
            bad += 1
            print(f"EQUAL, though the twin was given {wrong}: the comparison shows nothing")
    return bad


class Row:
    """One program's medians: of the search, of the whole command in both kinds of seconds, and what was compiling."""

    def __init__(self, name, side, searches, wholes, compiling=Time()):
        self.name, self.side, self.compiling = name, side, compiling.passed
        self.search = statistics.median(searches)
        self.whole = statistics.median(whole.passed for whole in wholes)
        self.processor = statistics.median(whole.processor for whole in wholes)


def measure(program, file, folder):
    """Measures both sides turn by turn; answers a row of each."""
    with_ = defines(tomllib.loads(file.read_text(encoding="utf-8")))
    ours, _ = lockproof(program, file, folder)
    slots = (2 * ours.states).bit_length()
    variants = {"Spin -O2 -DSAFETY": ["-O2"], "Spin … -DCOLLAPSE": ["-O2", "-DCOLLAPSE"]}
    compiling, sides, searches, wholes = {}, {"lockproof": ours}, {}, {}
    for name, flags in variants.items():
        (Path(folder) / name).mkdir()
        compiling[name] = compiled(Path(folder) / name, with_, flags)
    for _ in range(RUNS):
        side, whole = lockproof(program, file, folder)
        searches.setdefault("lockproof", []).append(side.seconds)
        wholes.setdefault("lockproof", []).append(whole)
        for name in variants:
            before = processor_seconds()
            sides[name] = spin(Path(folder) / name, slots)
            if sides[name].found != ours.found:
                raise Failure(f"unequal: lockproof {ours.found}, {name} {sides[name].found}")
            searches.setdefault(name, []).append(sides[name].seconds)
            took = Time(sides[name].seconds, processor_seconds() - before)
            wholes.setdefault(name, []).append(compiling[name] + took)
    return [Row(name, sides[name], searches[name], wholes[name], compiling.get(name, Time())) for name in sides]


def bench(program, name, text, folder):
    file = Path(folder) / "bench.toml"
    file.write_text(text, encoding="utf-8")
    rows = measure(program, file, folder)
    first = rows[0].side
    print(f"{name}: every schedule, nothing reduced; median of {RUNS} runs of each"
          + (", on one core" if pinned() else ""))
    print(f"equal: {first.states} states, {first.transitions} transitions; "
          + ("two are inside at once (outlived)" if first.violated else "nobody is inside with another"))
    print(f"{'':20}{'search':>10}{'transitions/s':>16}{'bytes/state':>14}{'memory':>11}{'whole command':>16}"
          f"{'processor':>12}{'compiling':>12}")
    for row in rows:
        print(f"{row.name:20}{row.search:8.3f} s{row.side.transitions / row.search / 1e6:14.2f} M"
              f"{row.side.bytes_per_state:14.0f}{row.side.memory / 2**20:8.0f} MB{row.whole:14.3f} s"
              f"{row.processor:10.3f} s" + (f"{row.compiling:10.3f} s" if row.compiling else f"{'-':>12}"))
    ours, theirs = rows[:2]
    print(f"lockproof : Spin   {theirs.search / ours.search:.2f} in transitions a second, "
          f"{ours.side.bytes_per_state / theirs.side.bytes_per_state:.2f} in bytes a state, "
          f"{theirs.whole / ours.whole:.2f} in speed to the same verdict (the whole command)\n", flush=True)


def benches(root):
    """(name, scenario) of what is measured if none is named."""
    texts = {name: (root / "scenarios" / "bench" / f"{name}.toml").read_text(encoding="utf-8")
             for name in ("token-3x2", "token-4x2", "token-anytime")}
    larger = variant(texts["token-3x2"], {"rounds": 3, "attempts": 3})
    return [*texts.items(), ("token-3x2 with three rounds and attempts", larger)]


def main():
    if len(sys.argv) not in (4, 5) or sys.argv[3] not in ("counts", "bench"):
        sys.exit(__doc__.splitlines()[0])
    program, root = str(Path(sys.argv[1]).resolve()), Path(sys.argv[2])
    file = Path(sys.argv[4]) if len(sys.argv) == 5 else root / "scenarios" / "bench" / "token-3x2.toml"
    try:
        with tempfile.TemporaryDirectory() as folder:
            if sys.argv[3] == "counts":
                sys.exit(1 if counts(program, file.read_text(encoding="utf-8"), folder) else 0)
            named = [(file.stem, file.read_text(encoding="utf-8"))] if len(sys.argv) == 5 else benches(root)
            for number, (name, text) in enumerate(named):
                place = Path(folder) / str(number)
                place.mkdir()
                bench(program, name, text, place)
    except (KeyError, TypeError) as e:
        sys.exit(f"spin_twin: {file}: {e} is not as in scenarios/bench/token-3x2.toml, as the twin needs")
    except (Failure, OSError, tomllib.TOMLDecodeError) as e:
        sys.exit(f"spin_twin: {e}")


if __name__ == "__main__":
    main()
