# SPDX-License-Identifier: Apache-2.0
"""The pictures of some runs: report.py RUN… [-o FOLDER].

Each run gets its own picture. Runs of the same scenario (a simulated and a real one, say) are also drawn below each
other in one. Without -o the pictures go to the folder `report` beside the runs. Prints one line for each run, and
last the picture to look at first.
"""

import argparse
import sys
from pathlib import Path

import spacetime
from history import BAD_INPUT_EXIT, BadInput, load_run
from scene import Scene
from style import duration_text


def summary(run):
    """What a run showed, in one line."""
    scene = Scene(run)
    parts = []
    if scene.overlaps:
        together = sum(overlap.end - overlap.start for overlap in scene.overlaps)
        parts.append(f"two clients were inside at once for {duration_text(together)}")
    lost = sum(access.lost_update for access in scene.accesses)
    if lost:
        parts.append(f"{lost} update{'s' if lost > 1 else ''} lost")
    if not parts:
        parts.append("never two clients inside at once")
    for entry in (run.verdict or {}).get("properties", []):
        if entry.get("verdict") == "violated":
            kind = f" ({entry['kind']})" if entry.get("kind") else ""
            parts.append(f"{entry.get('property')} violated{kind}")
    return f"{run.history.header.get('scenario', run.path.name)}, {run.history.world}: {'; '.join(parts)}"


def names(runs):
    """A file name for each run, all different: scenario-world, numbered where that is not enough."""
    given = []
    for run in runs:
        base = f"{run.history.header.get('scenario') or run.path.name}-{run.history.world}".replace("/", "-")
        name, count = base, 1
        while name in given:
            count += 1
            name = f"{base}-{count}"
        given.append(name)
    return given


def groups(runs):
    """Runs of the same scenario, where there are several."""
    by_scenario = {}
    for run in runs:
        by_scenario.setdefault(run.history.header.get("scenario", ""), []).append(run)
    return {name: members for name, members in by_scenario.items() if len(members) > 1}


def main(arguments=None):
    parser = argparse.ArgumentParser(description="Draws the pictures of some runs.")
    parser.add_argument("runs", nargs="+", metavar="RUN", help="a folder that a run wrote, or its history.jsonl")
    parser.add_argument("-o", "--out", metavar="FOLDER", help="where the pictures go")
    options = parser.parse_args(arguments)
    try:
        runs = [load_run(path) for path in options.runs]
        out = Path(options.out) if options.out else runs[0].path.parent / "report"
        written = [spacetime.save(spacetime.page([run]), out / name)[0] for run, name in zip(runs, names(runs))]
        for scenario, members in groups(runs).items():
            written.append(spacetime.save(spacetime.page(members), out / f"{scenario}-compared")[0])
    except BadInput as problem:
        print(f"report: {problem}", file=sys.stderr)
        return BAD_INPUT_EXIT
    for run in runs:
        print(summary(run))
    for path in written[:-1]:
        print(f"picture: {path}")
    print(f"picture: {written[-1]}  (SVG beside it)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
