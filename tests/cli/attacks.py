#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Inputs that would hang, crash or fill the machine: each ends by itself, with one sentence and the right exit code.

attacks.py LOCKPROOF SOURCE
"""
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from best_time import best_time

PROGRAM, SOURCE = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2]).resolve()
INPUTS = SOURCE / "tests/cli/attacks"
WRONG, UNKNOWN, ENVIRONMENT = 64, 2, 69
SECONDS, MEGABYTES = 60, 2500  # far more than any needs, and no more than a machine bears

STANDS_STILL = [
    ("for-ever-latency0", r"100000 events at the instant 0.*latency in \[network\].*think_time in \[workload\]"),
    ("retry0-latency0", r"100000 events at the instant .*retry in \[algorithm\]"),
    ("smallest", r"time stands still.*latency in \[network\]"),
    ("endless-message", r"time stands still.*the lock's wait for a message"),
    ("wait-returns-at-once", r"time stands still.*the lock's own"),
]
IN_LUA = [
    ("deep-pattern", "a pattern has more than 4000 characters"),
    ("slow-pattern", "this runs on without end: 10000000 steps"),
    ("sort-of-many", "this runs on without end: 10000000 steps"),
    ("eval-deep", "the script [0-9a-f]{40}: a pattern has more than 4000 characters"),
    ("eval-endless", "the script [0-9a-f]{40}: this runs on without end"),
    ("eval-caught", "the script [0-9a-f]{40}: this runs on without end"),
    ("eval-cycle", "a script: its reply has more than 100 levels of tables"),
    ("eval-large", "the script [0-9a-f]{40}: this takes more than 64 MB of memory, or 4 MB for one value"),
]
ODD_PROGRAMS = [
    ("sends-much", UNKNOWN, "sends or says too much in one step, which virtual time cannot do"),
    ("gets-much", UNKNOWN, "is sent 80010 bytes at once, and virtual time has room for 65536"),
    ("runs-another", UNKNOWN, "runs another program in its place, which virtual time cannot do"),
    ("listens", UNKNOWN, "listens for connections, which virtual time cannot do"),
    ("sets-timer", UNKNOWN, "calls setitimer, which virtual time cannot do"),
    ("sends-datagram", UNKNOWN, "uses sockets without a connection, which virtual time cannot do"),
    ("signals-parent", UNKNOWN, "sends a signal to another process, which virtual time cannot do"),
    ("stops-itself", UNKNOWN, "stops itself, which virtual time cannot do"),
    ("has-threads", UNKNOWN, "has more than 64 threads at a time, which virtual time cannot do"),
    ("other-protocol", ENVIRONMENT, "never ready: it speaks protocol 2; this lockproof speaks 1"),
    ("signals-itself", 0, "survives no violation"),
    ("ends-itself", 1, r"survives violated \(died\)"),
    ("long-line", 1, r"survives violated \(protocol\).*a line of more than 4096 bytes"),
    ("many-lines", 1, r"survives violated \(protocol\).*says more than 10000 lines"),
    ("asks-what-is-missing", UNKNOWN, "sends CLIENT NO-EVICT, which the simulated server does not have"),
]


def limited():
    resource.setrlimit(resource.RLIMIT_AS, (MEGABYTES << 20, MEGABYTES << 20))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def run(*words, **more):
    done = subprocess.run([PROGRAM, *map(str, words)], cwd=INPUTS, capture_output=True, text=True, timeout=SECONDS,
                          preexec_fn=limited, check=False, **more)
    return done.returncode, " ".join((done.stdout + done.stderr).split())


def expect(code, sentence, *words):
    ended, text = run(*words)
    assert ended == code and re.search(sentence, text), f"{words} ends with {ended}, not {code}: {text[-1000:]}"


def time_stands_still():
    for name, sentence in STANDS_STILL:
        expect(WRONG, sentence, "run", f"{name}.toml", "--quiet")
        expect(WRONG, sentence, "check", f"{name}.toml")
        expect(WRONG, "time stands still", "run", f"{name}.toml", "--runs", "3", "--quiet")
    expect(WRONG, "a run has at most 500000 events", "run", "retry1us-latency0.toml", "--quiet")
    expect(UNKNOWN, "could not be decided", "run", "rounds-10-ends.toml", "--quiet")
    for engine in "stateful", "reexecution":
        expect(WRONG, "time stands still.*lockproof run names what takes no time", "explore",
               "wait-returns-at-once.toml", "--engine", engine, "--quiet")
    expect(WRONG, "time stands still", "explore", "endless-message.toml", "--quiet")


def lua_ends():
    for name, sentence in IN_LUA:
        for verb in ("run", "explore"):
            expect(WRONG, sentence, verb, f"{name}.toml", "--quiet")
    for name in "rep-empty", "eval-bytes":
        ended, text = run("run", f"{name}.toml", "--quiet")
        assert ended in (0, 1, UNKNOWN), f"{name} ends with {ended}: {text}"


def searches_know_what_is_due():
    ended, text = run("explore", "jump-of-etcd.toml", "--time", "10s", "-q")
    assert ended in (0, UNKNOWN) and "internal error" not in text, f"jump-of-etcd ends with {ended}: {text}"


def signals_end_lua():
    """A comparison takes a millisecond, and there are ten million: a signal ends it, and so does --time."""
    def ended_after_a_second():
        with subprocess.Popen([PROGRAM, *words], cwd=INPUTS, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                              preexec_fn=limited) as process:
            time.sleep(1)
            process.send_signal(signal.SIGTERM)
            return process.wait(timeout=SECONDS)

    for words in (["explore", "long-strings.toml", "-q"], ["run", "long-strings.toml", "--runs", "5", "-q"]):
        ended, took = best_time(ended_after_a_second, 6)
        assert took < 6, f"{words} ends {took - 1:.1f} s after SIGTERM"
        assert ended == UNKNOWN, f"{words} ends with {ended}"
        (ended, text), took = best_time(lambda: run(*words, "--time", "1s"), 6)
        assert ended == UNKNOWN and took < 6, f"{words} --time 1s ends with {ended} after {took:.1f} s: {text}"


def one_state_with_millions_of_ways_on():
    """Six faults may strike at one instant: no state is searched whole in the time that it has."""
    words = ["explore", SOURCE / "scenarios/documented/leases/lease-outlived.toml", "--budget",
             SOURCE / "scenarios/budgets/one-server.toml", "--max-faults", "6", "--time", "2s", "-q"]
    (ended, text), took = best_time(lambda: run(*words), 8)
    assert ended in (1, UNKNOWN) and took < 8, f"--time 2s ends with {ended} after {took:.1f} s: {text[-1000:]}"


def memory_of(process):
    """Of it and of all below it, in MB: of a page that two of them have, half for each."""
    part = 0
    try:
        for line in pathlib.Path(f"/proc/{process}/smaps_rollup").read_text(encoding="ascii").splitlines():
            part += int(line.split()[1]) / 1024 if line.startswith("Pss:") else 0
        for thread in pathlib.Path(f"/proc/{process}/task").iterdir():
            part += sum(map(memory_of, (thread / "children").read_text(encoding="ascii").split()))
    except OSError:  # it is gone
        pass
    return part


def processes_of_programs_count():
    """Each state of this program has 8 MB of its own, and 64 of them would be kept."""
    limit, most = 150, 0
    words = ["explore", "grows.toml", "--budget", SOURCE / "docs/guide/examples/any_fault.toml", "--memory",
             f"{limit}M", "--time", "20s", "--quiet"]
    with subprocess.Popen([PROGRAM, *map(str, words)], cwd=INPUTS, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True) as process:
        while process.poll() is None:
            most = max(most, memory_of(process.pid))
            time.sleep(0.05)
        text = " ".join((process.stdout.read() + process.stderr.read()).split())
    assert process.returncode in (1, UNKNOWN), f"{process.returncode}: {text[-1000:]}"
    assert 0.5 * limit < most < 1.1 * limit, f"{most:.0f} MB of {limit} MB: {text[-1000:]}"


def a_step_without_end_has_limits():
    for words in (["explore"], ["run", "--runs", "3"], ["minimize"]):
        (ended, text), took = best_time(lambda: run(words[0], "spins.toml", *words[1:], "--time", "1s"), 4)
        assert ended == UNKNOWN and "before anything was known: the time limit of 1s was reached" in text, \
            f"{words}: {ended}: {text[-1000:]}"
        assert took < 4, f"{words} --time 1s ends after {took:.1f} s"


def odd_programs():
    ended, text = run("run", "loud-program.toml")
    assert ended == 0 and "no violation" in text, f"{ended}: {text[-1000:]}"
    if shutil.which("redis-server"):
        ended, text = run("real", "stops-parent.toml")
        assert ended in (0, UNKNOWN) and "mutual-exclusion" in text, f"{ended}: {text[-1000:]}"


def what_virtual_time_cannot_do():
    """A program that fails for want of it is refused, and not blamed; what it can be asked is done."""
    with tempfile.TemporaryDirectory() as folder:
        for name, code, sentence in ODD_PROGRAMS:
            file = pathlib.Path(folder, f"{name}.toml")
            file.write_text(f'[algorithm]\ncommand = ["/usr/bin/python3", "{INPUTS}/odd_program.py", "{name}"]\n',
                            encoding="utf-8")
            expect(code, sentence, "run", file, "--quiet")
        file.write_text(file.read_text(encoding="utf-8").replace(name, "sleeps-in-release"), encoding="utf-8")
        for words in (["run"], ["explore"], ["explore", "--engine", "reexecution"]):
            expect(1, r"answers violated \(release\)", words[0], file, "--quiet", *words[1:])


def main():
    time_stands_still()
    lua_ends()
    searches_know_what_is_due()
    signals_end_lua()
    one_state_with_millions_of_ways_on()
    processes_of_programs_count()
    a_step_without_end_has_limits()
    odd_programs()
    what_virtual_time_cannot_do()
    print("everything ended")


if __name__ == "__main__":
    main()
