#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How states, seconds and bytes grow with clients, rounds, faults and servers: growth.py PROGRAM ROOT FOLDER.

Starts from scenarios/bench/token-3x2.toml, and for servers from scenarios/bench/catalogue.toml with redlock, and makes
one of them larger at a time, with and without the reductions, on one core. A series ends before the search that would
take more than a minute or the memory that lockproof takes by default. Prints a table, and writes growth.json and
growth.png.
"""

import json
import re
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

RUNS = 3
SECONDS_MOST = 60  # of one search
GROWS_BY = 12      # at most, from one size to the next: what would take longer is not begun
WAYS = (("nothing reduced", ["--no-reduction"]), ("reduced", []))


def changed(text, **values):
    for key, value in values.items():
        text, count = re.subn(rf"^{key} = .*?( +#.*)?$", f"{key} = {value}", text, flags=re.MULTILINE)
        if count != 1:
            sys.exit(f"growth: {key} stands {count} times in the scenario")
    return text


def series(root):
    """(what grows, the sizes, the scenario of a size, further options)"""
    token = (root / "scenarios/bench/token-3x2.toml").read_text(encoding="utf-8")
    catalogue = (root / "scenarios/bench/catalogue.toml").read_text(encoding="utf-8")
    budget = (root / "scenarios/budgets/one-server.toml").read_text(encoding="utf-8")
    polled = budget.replace("[explore]\n", '[explore]\ncontention = "as-written"\n', 1)
    if polled == budget:
        sys.exit("growth: no [explore] in scenarios/budgets/one-server.toml")
    redlock = changed(catalogue, name='"redlock"')

    def servers(n):
        return changed(redlock, redis=n) + polled[polled.index("[explore]"):]

    return [("clients", (1, 2, 3, 4, 5), lambda n: changed(token, clients=n)),
            ("rounds and attempts", (1, 2, 3, 4), lambda n: changed(token, rounds=n, attempts=n)),
            ("faults", (0, 1, 2, 3), lambda n: changed(token, max_faults=n)),
            ("servers (Redlock, one fault)", (1, 3, 5), servers)]


def search(program, file, options):
    """What `lockproof explore` says of it; nothing if it was stopped."""
    done = subprocess.run([program, "explore", str(file), "--workers", "1", "--time", f"{SECONDS_MOST}s", "--format",
                           "json", *options], capture_output=True, text=True, check=False)
    if not done.stdout.startswith("{"):
        sys.exit(f"growth: {file.name}: {done.stderr.strip()}")
    found = json.loads(done.stdout)
    return found if found["complete"] else None


def measured(program, folder, sizes, scenario, options):
    rows = []
    for size in sizes:
        file = Path(folder) / f"size-{size}.toml"
        file.write_text(scenario(size), encoding="utf-8")
        if rows and rows[-1]["seconds"] * GROWS_BY > SECONDS_MOST:
            break
        found = search(program, file, options)
        if not found:
            break
        again = [search(program, file, options) for _ in range(RUNS - 1)]
        seconds = statistics.median([one["seconds"] for one in (found, *again) if one])
        rows.append({"size": size, "states": found["states"], "transitions": found["transitions"], "seconds": seconds,
                     "bytes": found["bytes_per_state"] * found["states"], "memory": found["memory_bytes"]})
    return rows


def all_measured(program, root):
    with tempfile.TemporaryDirectory() as folder:
        return [{"grows": name, "way": way, "rows": measured(program, folder, sizes, scenario, options)}
                for name, sizes, scenario in series(root) for way, options in WAYS]


def table(all_series):
    lines = ["| what grows | search | size | states | transitions | seconds | MB visited | MB in all |",
             "|---|---|---|---|---|---|---|---|"]
    for one in all_series:
        for row in one["rows"]:
            states, transitions = (f"{row[key]:,}".replace(",", " ") for key in ("states", "transitions"))
            lines.append(f"| {one['grows']} | {one['way']} | {row['size']} | {states} | {transitions} | "
                         f"{row['seconds']:.2f} | {row['bytes'] / 1e6:.1f} | {row['memory'] / 1e6:.0f} |")
    return "\n".join(lines)


def picture(all_series, file):
    sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "reports"))
    import style
    from matplotlib import pyplot
    names = list(dict.fromkeys(one["grows"] for one in all_series))
    kinds = (("states", "states", 1), ("seconds", "seconds", 1), ("memory", "megabytes in all", 1e-6))
    with pyplot.rc_context(style.RC):
        figure, axes = pyplot.subplots(len(kinds), len(names), figsize=(11.7, 7.4), sharex="col", sharey="row")
        for column, name in enumerate(names):
            for row, (key, label, unit) in enumerate(kinds):
                at = axes[row][column]
                for (colour, _), marker, one in zip(style.CLIENTS, "os", [s for s in all_series if s["grows"] == name]):
                    at.plot([r["size"] for r in one["rows"]], [r[key] * unit for r in one["rows"]], color=colour,
                            marker=marker, markersize=4, label=one["way"])
                at.set_yscale("log")
                at.set_xticks(sorted({r["size"] for s in all_series if s["grows"] == name for r in s["rows"]}))
                at.grid(color=style.FAINT, linewidth=0.4)
                at.spines[["top", "right"]].set_visible(False)
                at.tick_params(labelsize=style.LABEL)
                if column == 0:
                    at.set_ylabel(label, fontsize=style.SUBTITLE)
            axes[0][column].set_title(name, fontsize=style.SUBTITLE, loc="left")
        axes[0][0].legend(fontsize=style.LABEL, frameon=False)
        figure.suptitle("How a search grows: three clients, two rounds and three faults, one of them made larger",
                        x=0.01, ha="left", fontsize=style.TITLE)
        figure.tight_layout()
        figure.savefig(file, dpi=150)


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__.splitlines()[0])
    program, root, folder = str(Path(sys.argv[1]).resolve()), Path(sys.argv[2]), Path(sys.argv[3])
    folder.mkdir(parents=True, exist_ok=True)
    all_series = all_measured(program, root)
    (folder / "growth.json").write_text(json.dumps(all_series, indent=1), encoding="utf-8")
    print(table(all_series))
    picture(all_series, folder / "growth.png")
    print(f"\nThe picture: {folder / 'growth.png'}")


if __name__ == "__main__":
    main()
