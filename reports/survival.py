# SPDX-License-Identifier: Apache-2.0
"""How often the notes' guard thread survives n renewals, counted by random search, with what paper says drawn in.

survival.py PROGRAM -o OUT_BASE changes two lines of the scenario below for each point: how long the holder works,
which is how many renewals it needs, and how many delays a message may have. Takes half a minute.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from math import comb, factorial, sqrt
from pathlib import Path

import style  # first: it chooses the backend
import matplotlib.pyplot as plt

from pictures import save

SCENARIO = Path(__file__).resolve().parents[1] / "scenarios/notes/renew-zero-slack-by-itself.toml"
RENEWALS, DELAYS, RUNS = range(1, 9), (2, 5, 20), 5000
FIRST, EVERY, LONGER = 29, 20, 10  # seconds: of the renewals, and how long the work goes on after the last


def variant(text, renewals, delays):
    """The scenario with work for that many renewals, and with messages that take one of so many milliseconds."""
    hold = FIRST + EVERY * (renewals - 1) + LONGER
    for old, new in (('"hold 180s"', f'"hold {hold}s"'), ('["1ms", "5ms"]', f'["1ms", "{delays}ms"]')):
        if text.count(old) != 1:
            raise ValueError(f"{SCENARIO.name} does not say {old} once")
        text = text.replace(old, new)
    return text


def formula(renewals, delays):
    return comb(delays + renewals - 1, renewals) / delays**renewals


def counted(program, folder, renewals, delays):
    """The share of runs in which no other client entered."""
    path = Path(folder) / f"{renewals}-{delays}.toml"
    path.write_text(variant(SCENARIO.read_text(encoding="utf-8"), renewals, delays), encoding="utf-8")
    done = subprocess.run([program, "run", path, "--runs", str(RUNS), "--format", "json"], capture_output=True,
                          text=True, check=False)
    verdict = json.loads(done.stdout)
    lost = {one["property"]: one.get("runs", 0) for one in verdict["properties"]}
    return 1 - lost["mutual-exclusion"] / verdict["runs"]


def page(points):
    with plt.rc_context(style.RC):
        figure, axes = plt.subplots(figsize=(7.2, 4.4))
        for delays, (colour, _), marker in zip(DELAYS, style.CLIENTS, "osD"):
            axes.plot(RENEWALS, [formula(n, delays) for n in RENEWALS], color=colour, lw=1.2, zorder=1)
            shares = [points[n, delays] for n in RENEWALS]
            bars = [2.58 * sqrt(formula(n, delays) * (1 - formula(n, delays)) / RUNS) for n in RENEWALS]
            axes.errorbar(RENEWALS, shares, yerr=bars, fmt=marker, ms=5, color=colour, capsize=2.5, lw=1, zorder=2,
                          label=f"delays of 1 to {delays} ms")
        axes.plot(RENEWALS, [1 / factorial(n) for n in RENEWALS], color=style.SOFT, lw=1, ls=":",
                  label="1 / n!: delays that are never equal")
        axes.set_ylim(-0.02, 1.05)
        axes.set_xlabel("renewals that the work needs, n")
        axes.set_ylabel("share of runs in which nobody else came in")
        axes.set_title("The guard thread of the notes dies by itself", loc="left", fontsize=12, weight="bold")
        axes.text(1, -0.19, f"points: {RUNS} simulated runs each, 99 %; lines: C(D+n−1, n) / Dⁿ", fontsize=style.LABEL,
                  color=style.SOFT, transform=axes.transAxes, ha="right")
        axes.grid(color=style.FAINT, lw=0.4)
        axes.spines[["top", "right"]].set_visible(False)
        axes.legend(frameon=False, fontsize=9)
        figure.tight_layout()
    return figure


def main(arguments=None):
    parser = argparse.ArgumentParser(description="Draws how often the guard thread survives.")
    parser.add_argument("program", help="lockproof")
    parser.add_argument("-o", "--out", required=True, metavar="OUT_BASE", help="writes OUT_BASE.png and OUT_BASE.svg")
    options = parser.parse_args(arguments)
    points = {}
    with tempfile.TemporaryDirectory() as folder:
        for n in RENEWALS:
            for delays in DELAYS:
                points[n, delays] = counted(options.program, folder, n, delays)
                print(f"n = {n}, D = {delays}: {points[n, delays]:.4f}, by the formula {formula(n, delays):.4f}")
    for path in save(page(points), options.out):
        print(path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
