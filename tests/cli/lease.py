#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""explore answers for which leases a property holds, where a scenario asks: the edges are those of arithmetic, and what
they are made of is said only where searches elsewhere confirm it. Other commands refuse the question.

lease.py LOCKPROOF SOURCE
"""
import json
import pathlib
import subprocess
import sys
import tempfile

PAUSE = '[[explore.fault]]\nkind = "pause"\ntarget = "clients"\nfor = "..3s"\n'


def scenario(latency, faults=PAUSE, lock="set-px-token", lease="?", work="hold 40s"):
    work = f'"read", "{work}", "write"'
    return (f'[algorithm]\nname = "{lock}"\n[workload]\nlease = "{lease}"\nwork = [{work}]\n'
            f'[network]\nlatency = "{latency}"\ntimeout = "2s"\n[explore]\nfailed_attempts = 1\nmax_faults = 1\n'
            f'{faults}')


class Asked:
    def __init__(self, program, folder):
        self.program, self.file = program, pathlib.Path(folder) / "asked.toml"

    def run(self, text, *words):
        self.file.write_text(text)
        return subprocess.run([self.program, words[0], str(self.file), *words[1:]], capture_output=True, text=True,
                              timeout=250)

    def edges(self, text, code=0):
        """By property: the last edge, in microseconds, and its formula."""
        done = self.run(text, "explore", "--format", "json", "--workers", "1")
        if done.returncode != code:
            sys.exit(f"lease: exit code {done.returncode}\n{done.stdout}{done.stderr}\n{text}")
        all_edges = {}
        for found in json.loads(done.stdout)["leases"]:
            edge = found["edges"][-1] if found["edges"] else {}
            all_edges[found["property"]] = (edge.get("above_us"), edge.get("formula"))
        return all_edges


def expect(found, expected, what):
    if found != expected:
        sys.exit(f"lease: {what}: {found} and not {expected}")


def main():
    with tempfile.TemporaryDirectory() as folder:
        asked = Asked(sys.argv[1], folder)
        name = "mutual-exclusion"
        window = asked.edges(scenario("0ms..200ms"))
        expect(window[name], (44_000_000, "work + pause + 5 x greatest latency - least latency"), "the window")
        expect(window["resource-safety"][0], 43_800_000, "the window, of the resource")
        point = asked.edges(scenario("1ms"))
        expect(point[name], (43_004_000, "work + pause + 4 x latency"), "one latency")
        without = asked.edges(scenario("0ms..200ms", faults=""))
        expect(without[name], (41_000_000, "work + 5 x greatest latency - least latency"), "no fault")
        seconds = asked.edges(scenario("1ms", faults="", lock="memcached-add-cas", work="hold 8s"))
        expect(seconds[name], (10_000_000, None), "a lock that counts seconds")
        text = " ".join(asked.run(scenario("1ms", faults=""), "explore").stdout.split())
        expect("mutual-exclusion holds while lease >= 40.004 s = work + 4 x latency" in text, True, text)
        for words in (["run"], ["minimize"], ["explain"], ["explore", "--liveness"], ["check"]):
            done = asked.run(scenario("1ms"), *words)
            text = " ".join((done.stdout + done.stderr).split())
            expect((done.returncode, "'lease' is '?'" in text), (64, True), f"{words} {done}")
        for words in (["--html"], ["--find", "causes"], ["--engine", "stateful"], ["--format", "dot"]):
            done = asked.run(scenario("1ms"), "explore", *words)
            expect((done.returncode, "has no part" in " ".join(done.stderr.split())), (64, True), f"{words} {done}")
        done = asked.run(scenario("1ms", lock="redisson"), "explore")
        expect(done.returncode, 2, f"a lock that zones cannot follow {done}")
    print("lease: the edges are right")


if __name__ == "__main__":
    main()
