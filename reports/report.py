# SPDX-License-Identifier: Apache-2.0
"""The pictures of what lockproof wrote: report.py RUN|RESULTS… [-o FOLDER].

Each run gets its own picture. Runs of the same scenario (a simulated and a real one, say) are also drawn below each
other in one. The results.json of `check` become one matrix, and another by documented failure; the bench.json of
`bench` and the frontier.json of `frontier` become a picture each. Without -o the pictures go to the folder `report`
beside the first of them. Prints one line for each run, and last the picture to look at first.
"""

import argparse
import json
import sys
from pathlib import Path

import bench
import cases
import frontier
import matrix
import spacetime
from durations import duration_text
from history import BAD_INPUT_EXIT, BadInput, load_run
from pictures import save
from results import load_results
from scene import Scene

RESULTS, BENCH, FRONTIER = "results.json", "bench.json", "frontier.json"

def summary(run):
    """What a run showed, in one line."""
    scene = Scene(run)
    parts = []
    if scene.overlaps:
        together = sum(overlap.end - overlap.start for overlap in scene.overlaps)
        count = {2: "two", 3: "three"}.get(len(scene.overlaps[0].clients), "too many")
        parts.append(f"{count} clients were inside at once for {duration_text(together)}")
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


def sorted_out(paths):
    """(runs, files of check, of bench, of frontier); a folder may be given for the file in it. Raises BadInput."""
    runs, results, benches, frontiers = [], [], [], []
    for path in paths:
        for file in [] if (path / "history.jsonl").exists() else [path / RESULTS, path / BENCH, path / FRONTIER]:
            if file.exists():
                path = file
        if path.suffix != ".json" or path.is_dir():
            runs.append(path)
        elif has(path, BENCH, "lockproof_bench"):
            benches.append(path)
        elif has(path, FRONTIER, "frontiers"):
            frontiers.append(path)
        else:
            results.append(path)
    return runs, results, benches, frontiers


def has(path, name, key):
    """By its name, or by what is in it; what cannot be read is left to its reader to complain of."""
    try:
        return path.name == name or key in json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, TypeError):
        return False


def draw_runs(runs, out):
    written = [save(spacetime.page([run]), out / name)[0] for run, name in zip(runs, names(runs))]
    for scenario, members in groups(runs).items():
        written.append(save(spacetime.page(members), out / f"{scenario}-compared")[0])
    return written


def main(arguments=None):
    parser = argparse.ArgumentParser(description="Draws the pictures of runs, and of the results of many.")
    parser.add_argument("paths", nargs="+", metavar="RUN", type=Path,
                        help="a folder that a run, check or bench wrote, or a file in it")
    parser.add_argument("-o", "--out", metavar="FOLDER", type=Path, help="where the pictures go")
    options = parser.parse_args(arguments)
    try:
        folders, files, benches, frontiers = sorted_out(options.paths)
        runs = [load_run(path) for path in folders]
        results = [entry for path in files for entry in load_results(path)]
        measured = [bench.load_bench(path) for path in benches]
        searched = [search for path in frontiers for search in frontier.load_frontiers(path)]
        out = options.out or (runs[0].path if runs else (files + benches + frontiers)[0]).parent / "report"
        written = draw_runs(runs, out)
        if results:
            written += save(matrix.page(results), out / "matrix")[:1]
            if cases.cases(results):
                written += save(cases.page(results), out / "cases")[:1]
        if searched:
            written += save(frontier.page(searched), out / "frontier", frontier.says(searched))[:1]
        for number, one in enumerate(measured, start=1):
            written += save(bench.page(one), out / ("bench" if number == 1 else f"bench-{number}"), bench.says(one))[:1]
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
