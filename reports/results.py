# SPDX-License-Identifier: Apache-2.0
"""Reading what `lockproof check --format json` printed: one object for each scenario and world.

A failure is a scenario and its twin, the same without the cause, each in both worlds as far as they were run.
"""

from dataclasses import dataclass
from pathlib import Path

from history import BadInput, json_from

TWIN = "-twin"
WORLDS = ("simulated", "real")
EXPLORED = "explored"  # every schedule: no run of one world, and not drawn
NEEDED = ("scenario", "file", "algorithm", "world", "properties")
MET = ("yes", "unstated")  # nothing that was stated is missed
SHORT = {  # (property, kind) or property -> what a cell says
    ("mutual-exclusion", "double-grant"): "two holders",
    ("mutual-exclusion", "outlived"): "lease outlived",
    "mutual-exclusion": "two inside",
    "resource-safety": "lost update",
    "owner-release": "foreign release",
    "bounded-takeover": "no takeover in time",
    "deadlock-freedom": "deadlock",
    "availability": "nobody gets it",
    "fault-tolerance": "a minority stops it",
    "starvation-freedom": "one starves",
    "loss-notification": "not told",
    "re-entrancy": "wrong count",
    "once-per-period": "done twice",
    "grant-is-valid": "granted too late",
    "renewal-rate": "renewal storm",
    "fencing-order": "tokens out of order",
    ("deadlock-freedom", "circular-wait"): "they wait for each other",
    "every-round-enters": "one is left out",
    "leadership-settles": "no leader settles",
    "hand-over-cause": "taken for no reason",
    "exercised": "showed nothing",
}


@dataclass(frozen=True)
class Result:
    """What one scenario came to in one world."""

    verdict: str  # violated, unknown, no-violation, holds: the worst of its properties; not-judged: of none
    broken: tuple  # what was broken, in words
    as_expected: bool


@dataclass
class Failure:
    name: str
    algorithm: str
    results: dict  # world -> Result
    twin: dict  # the same without the cause


def load_results(path):
    """The objects that check printed. Raises BadInput."""
    path = Path(path)
    entries = json_from(path)
    entries = entries.get("runs") if isinstance(entries, dict) else None
    if not isinstance(entries, list) or not entries:
        raise BadInput(f"{path}: expected the runs that `lockproof check --format json` prints")
    entries = [entry for entry in entries if not (isinstance(entry, dict) and entry.get("world") == EXPLORED)]
    for number, entry in enumerate(entries, start=1):
        missing = [key for key in NEEDED if key not in entry] if isinstance(entry, dict) else list(NEEDED)
        if missing or not isinstance(entry["properties"], list):
            raise BadInput(f"{path}: entry {number} is no result of check (no {', '.join(missing) or 'properties'})")
        if entry["world"] not in WORLDS:
            raise BadInput(f"{path}: entry {number} is of the world '{entry['world']}', not {' or '.join(WORLDS)}")
    return entries


def verdict_text(one):
    """A property's verdict as text says it: "no violation"."""
    return one.get("verdict", "?").replace("-", " ")


def is_judged(one):
    """Whether a property's verdict says anything: without the bound that it needs nothing was looked for."""
    return one.get("judged", True)


def result(entry):
    judged = [one for one in entry["properties"] if is_judged(one)]
    verdicts = [one.get("verdict") for one in judged]
    worst = next((word for word in ("violated", "unknown", "no-violation", "holds") if word in verdicts), "not-judged")
    broken = []
    for one in judged:
        if one.get("verdict") == "violated":
            name = one.get("property", "?")
            broken.append(SHORT.get((name, one.get("kind"))) or SHORT.get(name) or name)
    return Result(worst, tuple(broken), all(one.get("met", "yes") in MET for one in entry["properties"]))


def failures(entries):
    """By algorithm, in the order of the names; a twin goes with the scenario that it belongs to."""
    found = {}
    for entry in entries:
        is_twin = entry["scenario"].endswith(TWIN)
        key = entry["file"].removesuffix(".toml").removesuffix(TWIN)
        name = entry["scenario"].removesuffix(TWIN)
        failure = found.setdefault(key, Failure(name, entry["algorithm"], {}, {}))
        (failure.twin if is_twin else failure.results)[entry["world"]] = result(entry)
        if not is_twin:
            failure.algorithm = entry["algorithm"]  # its twin may have the repaired one
    by_algorithm = {}
    for failure in found.values():
        by_algorithm.setdefault(failure.algorithm, []).append(failure)
    return {name: sorted(by_algorithm[name], key=lambda failure: failure.name) for name in sorted(by_algorithm)}
