# SPDX-License-Identifier: Apache-2.0
"""The matrix by documented failure: what shows it, that its twin does not, and what its fix does under the same faults.

It shows what `lockproof check --real --format json` printed of scenarios with a [case]. Of several scenarios of one
failure and role a cell has the worst. A fix that prevents its failure, and under the same faults something else still
breaks, as its scenario expects, has a cell of its own kind.
"""

from dataclasses import dataclass, field, replace

import style  # first: it chooses the backend
import matplotlib.pyplot as plt

from layout import fitted
from matrix import BOTTOM, CELL, GUTTER, HEIGHT_MIN, LINE, MARGIN, TEXT, TOP, WIDTH, draw_cell, draw_legend
from results import TWIN, WORLDS, Result, result

NAME_WIDTH, WORDS_GAP = 176.0, 8.0
WORST = ("violated", "unknown", "no-violation", "holds", "not-judged")  # of several, the first of these
ROLES = ("shows", "twin", "fix", "fix-fails")
REMAINS = "remains"  # of a fix: the failure is prevented, and something else is still broken


@dataclass
class Case:
    """A documented failure: what was run of it, by role and world."""

    name: str
    results: dict = field(default_factory=dict)  # (role, world) -> Result

    def add(self, role, world, one):
        before = self.results.get((role, world))
        self.results[role, world] = one if before is None else worse(before, one)

    def of(self, role, world):
        return self.results.get((role, world))

    def of_fix(self, world):
        """What the fix does; where all that was tried fails, what that does."""
        fix = self.of("fix", world)
        if fix and fix.verdict == "violated" and fix.as_expected:
            return replace(fix, verdict=REMAINS)
        return fix or self.of("fix-fails", world)


def worse(one, other):
    first = min(one, other, key=lambda result: WORST.index(result.verdict))
    broken = tuple(dict.fromkeys((*one.broken, *other.broken)))
    return Result(first.verdict, broken, one.as_expected and other.as_expected)


def cases(entries):
    """By id, in their order. A fix that is called as a scenario's twin is both, as in `lockproof list cases`."""
    found = {}
    shown = {entry["file"] for entry in entries if (entry.get("case") or {}).get("role") == "shows"}
    for entry in entries:
        about = entry.get("case") or {}
        if about.get("role") not in ROLES:
            continue
        roles = {about["role"]}
        if about["role"] == "fix" and entry["file"].replace(f"{TWIN}.toml", ".toml") in shown - {entry["file"]}:
            roles.add("twin")
        for name in about.get("ids", []):
            for role in sorted(roles):
                found.setdefault(name, Case(name)).add(role, entry["world"], result(entry))
    return [found[name] for name in sorted(found)]


def page(entries):
    listed = cases(entries)
    middle = (len(listed) + 1) // 2
    parts = [part for part in (listed[:middle], listed[middle:]) if part]
    height = max(HEIGHT_MIN, TOP + BOTTOM + max(len(part) for part in parts) * LINE)
    with plt.rc_context(style.RC):
        figure = plt.figure(figsize=(WIDTH / 72, height / 72))
        axes = figure.add_axes((0, 0, 1, 1))
        axes.set_xlim(0, WIDTH)
        axes.set_ylim(height, 0)
        axes.axis("off")
        axes.text(MARGIN, 22, "Documented failures, and their fixes", fontsize=style.TITLE, weight="bold",
                  color=style.INK, va="center")
        axes.text(MARGIN, 40, says(listed), fontsize=style.SUBTITLE, color=style.SOFT, va="center")
        width = (WIDTH - 2 * MARGIN - GUTTER) / 2
        for i, part in enumerate(parts):
            _column(axes, part, MARGIN + i * (width + GUTTER), width)
        results = [one for case in listed for one in case.results.values()]
        used = {one.verdict for one in results}
        used |= {one.verdict for case in listed for one in map(case.of_fix, WORLDS) if one}
        draw_legend(axes, height, used, sum(not one.as_expected for one in results))
    return figure


def says(listed):
    fixed = sum(any(case.of("fix", world) for world in WORLDS) for case in listed)
    return (f"{len(listed)} failures that were published  ·  {fixed} of them with what prevents them, under the same "
            "faults")


def _places(left, width):
    """Where the cells begin: what shows it, the words, the twin, the fix."""
    shows = left + NAME_WIDTH
    fix = left + width - 2 * CELL
    return shows, shows + 2 * CELL + WORDS_GAP, fix - 2 * CELL - 6, fix


def _column(axes, part, left, width):
    shows, words, twin, fix = _places(left, width)
    small = {"fontsize": style.SMALL, "color": style.SOFT, "va": "center"}
    for x, text in ((shows, "failure"), (twin, "twin"), (fix, "fix")):
        axes.text(x + CELL, TOP - 16, text, ha="center", **small)
        axes.text(x + CELL / 2, TOP - 6, "sim", ha="center", **small)
        axes.text(x + 3 * CELL / 2, TOP - 6, "real", ha="center", **small)
    axes.text(words, TOP - 6, "what breaks", **small)
    for i, case in enumerate(part):
        y = TOP + i * LINE
        axes.text(left, y + LINE / 2, fitted(case.name, TEXT, NAME_WIDTH - 4), fontsize=TEXT, color=style.INK,
                  va="center")
        for number, world in enumerate(WORLDS):
            draw_cell(axes, case.of("shows", world), shows + number * CELL, y)
            draw_cell(axes, case.of("twin", world), twin + number * CELL, y)
            draw_cell(axes, case.of_fix(world), fix + number * CELL, y)
        seen = case.of("shows", WORLDS[0]) or case.of("shows", WORLDS[1])
        text = ", ".join(seen.broken) if seen else ""
        axes.text(words, y + LINE / 2, fitted(text, TEXT, twin - words - 6), fontsize=TEXT, color=style.INK,
                  va="center")
