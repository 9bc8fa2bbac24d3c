#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Laws of the search, on drawn scenarios: whoever may do more breaks no less. A larger budget, a second fault, a
further amount, a wider window of latencies find all that the smaller one finds; a client that starts later finds
nothing new; all durations times three change nothing. A search of every timing knows all amounts of a range, and a
wider range.

laws.py LOCKPROOF SOURCE [FIRST COUNT]
"""
import json
import pathlib
import random
import subprocess
import sys
import tempfile

LOCKS = {"set-px-token": "redis", "set-ex-del": "redis", "setnx-del": "redis", "fenced-token": "redis",
         "memcached-add-cas": "memcached", "memcached-add": "memcached", "postgres-row": "postgres",
         "postgres-advisory": "postgres", "set-ex-get-del": "redis", "setnx-expire-del": "redis"}
IN_ZONES = set(LOCKS) - {"postgres-advisory"}
STARTS_MS = [700, 2500, 7000]
# Clocks that run at other rates, and outages of servers to which nobody has spoken yet, make a later start differ: see
# docs/semantics/known-gaps.md. Their lengths are counted in leases.
FAULTS = {
    "pause": ("for", ["1/2", "1", "2"]),
    "delay": ("by", ["1/2", "1"]),
    "half-open": None,
    "break-connection": None,
    "crash": None,
    "partition": ("for", ["1/2", "1"]),
}
UNIT_MS = 1000  # memcached counts seconds


class Drawn:
    def __init__(self, seed):
        draw = random.Random(seed)
        self.lock = draw.choice(sorted(LOCKS))
        self.lease = draw.choice([4, 6, 8])
        self.hold = draw.choice([self.lease - 2, self.lease - 1])
        kinds = draw.sample(sorted(FAULTS), 2)
        self.faults = [(kind, draw.choice(FAULTS[kind][1]) if FAULTS[kind] else None) for kind in kinds]
        self.later = f"{draw.choice(STARTS_MS)}ms"

    def text(self, times=1, start="0s", faults=1, kinds=2, latency='"1ms"', amounts='"{0}ms"'):
        """`amounts`: what is written for one amount: {0} is its milliseconds, {1} a tenth more."""
        def length(seconds):
            return f"{int(seconds * UNIT_MS * times)}ms"
        text = (f'[algorithm]\nname = "{self.lock}"\n[workload]\nlease = "{length(self.lease)}"\n'
                f'work = ["read", "hold {length(self.hold)}", "write"]\n[[client]]\nname = "client-2"\n'
                f'start = "{start}"\n[network]\nlatency = {latency}\ntimeout = "{length(2)}"\n'
                f'[run]\ngrid = "{times}ms"\n[explore]\nmax_faults = {faults}\nfailed_attempts = 1\n')
        for kind, share in self.faults[:kinds]:
            text += f'[[explore.fault]]\nkind = "{kind}"\n'
            if share:
                over, _, under = share.partition("/")
                amount = int(self.lease * int(over) / int(under or 1) * UNIT_MS * times)
                text += f'{FAULTS[kind][0]} = {amounts.format(amount, amount * 11 // 10)}\n'
        return text


class Explorer:
    def __init__(self, program, folder):
        self.program, self.file = program, pathlib.Path(folder) / "drawn.toml"

    def kinds(self, text, *options):
        """The kinds of violations, or None where the search did not end."""
        self.file.write_text(text)
        done = subprocess.run([self.program, "explore", str(self.file), "--format", "json", "--workers", "1",
                               "--memory", "300M", *options], capture_output=True, text=True, timeout=300)
        if done.returncode not in (0, 1, 2):
            sys.exit(f"laws: exit code {done.returncode}\n{done.stderr}\n{text}")
        found = json.loads(done.stdout)
        if not found.get("complete", True):
            return None
        return {(p["property"], p.get("kind", "")) for p in found["properties"] if p["verdict"] == "violated"}


def must_contain(more, less, law, seed, text):
    if more is None or less is None:
        return 0
    properties = {name for name, _ in more}
    lost = {name for name, _ in less} - properties - {"exercised"}
    if lost:
        sys.exit(f"laws: {law}: {sorted(lost)} is lost (seed {seed})\n{text}")
    return 1


def laws_of_ranges(explorer, drawn, seed):
    """A wider range, and a start that is earlier, lose nothing; a range knows its points."""
    if drawn.lock not in IN_ZONES:
        return 0
    in_zones = "--engine", "zones"
    wider = explorer.kinds(drawn.text(amounts='"..{1}ms"'), *in_zones)
    text = drawn.text(amounts='"..{0}ms"')
    ranged = explorer.kinds(text, *in_zones)
    compared = must_contain(wider, ranged, "a wider range", seed, text)
    compared += must_contain(ranged, explorer.kinds(drawn.text(), *in_zones), "a range instead of an amount", seed,
                             text)
    compared += must_contain(ranged, explorer.kinds(drawn.text(amounts='"..{0}ms"', start=drawn.later), *in_zones),
                             "a start that is earlier, in zones", seed, text)
    return compared


def main():
    program = sys.argv[1]
    first, count = (int(word) for word in sys.argv[3:5]) if len(sys.argv) > 3 else (1, 2)
    compared = 0
    with tempfile.TemporaryDirectory() as folder:
        explorer = Explorer(program, folder)
        for seed in range(first, first + count):
            drawn = Drawn(seed)
            quick = '"1ms"'
            one, whole = drawn.text(kinds=1), drawn.text()
            base = explorer.kinds(whole)
            compared += must_contain(base, explorer.kinds(one), "a second kind of fault", seed, whole)
            compared += must_contain(base, explorer.kinds(drawn.text(start=drawn.later)), "a start that is earlier",
                                     seed, whole)
            compared += must_contain(explorer.kinds(drawn.text(kinds=1, amounts='["{0}ms", "{1}ms"]')),
                                     explorer.kinds(one), "a further amount", seed, one)
            compared += laws_of_ranges(explorer, drawn, seed)
            compared += must_contain(explorer.kinds(drawn.text(latency='["1ms", "2ms"]', kinds=1)),
                                     explorer.kinds(drawn.text(latency=quick, kinds=1)), "a wider window", seed, one)
            if not drawn.lock.startswith("memcached"):
                scaled = explorer.kinds(drawn.text(times=3, latency='"3ms"', kinds=1))
                plain = explorer.kinds(one)
                compared += must_contain(scaled, plain, "durations times three", seed, one)
                compared += must_contain(plain, scaled, "durations divided by three", seed, one)
    if compared < count:
        sys.exit(f"laws: only {compared} comparisons: the searches do not end")
    print(f"laws: {compared} comparisons, none broken")


if __name__ == "__main__":
    main()
