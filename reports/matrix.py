# SPDX-License-Identifier: Apache-2.0
"""The matrix of failures: which lock breaks where, simulated and on real servers, and that its twin does not.

It shows what `lockproof check --real --format json` printed. One row for each failure, by algorithm; colour says
nothing that a symbol does not say as well.
"""

import style  # first: it chooses the backend
import matplotlib.pyplot as plt
from matplotlib.patches import Rectangle

from layout import fitted
from results import WORLDS, failures

WIDTH, HEIGHT_MIN = 960.0, 540.0  # points; a slide
TOP, BOTTOM, MARGIN, GUTTER = 78.0, 34.0, 22.0, 26.0
LINE, GROUP_GAP, CELL = 13.6, 5.0, 18.0
NAME_WIDTH, WORDS_GAP = 182.0, 8.0
TEXT = 8.0
NOTHING = "nothing"
SILENT = ("unknown", "not-judged")  # verdicts that say nothing of the lock
UNEVEN_MAX = 0.1  # of all lines: how far from the middle the columns may be parted, to keep a group whole
SYMBOLS = {  # verdict -> (symbol, its colour, the cell's)
    "violated": ("✗", "white", style.VIOLATION),
    "remains": ("◐", style.INK, "#F7E2C4"),
    "no-violation": ("○", style.GOOD, "white"),
    "holds": ("✓", style.GOOD, "white"),
    "unknown": ("?", style.INK, "#D9D9D9"),
    "not-judged": ("–", style.SOFT, "#F2F2F2"),
}
LEGEND = (("violated", "broken"), ("remains", "prevented; something else is still broken"),
          ("no-violation", "no violation"), ("holds", "holds: all schedules searched"), ("unknown", "unknown"),
          ("not-judged", "nothing was judged"))


def lines(groups):
    """What the picture lists, top to bottom: (algorithm, None) begins a group, (None, failure) is a row."""
    for algorithm, members in groups.items():
        yield algorithm, None
        for failure in members:
            yield None, failure


def columns(groups):
    """The lines in two columns, parted between groups where that is near the middle, else inside one."""
    listed = list(lines(groups))
    middle = len(listed) / 2
    between = min((i for i, (algorithm, _) in enumerate(listed) if algorithm and i), default=len(listed),
                  key=lambda i: abs(i - middle))
    if abs(between - middle) <= len(listed) * UNEVEN_MAX or len(listed) < 4:
        return [part for part in (listed[:between], listed[between:]) if part]
    cut = round(middle)
    return [listed[:cut], [(f"{listed[cut][1].algorithm} (continued)", None), *listed[cut:]]]


def height_of(part):
    return sum(LINE + (GROUP_GAP if failure is None else 0) for _, failure in part)


def page(entries):
    groups = failures(entries)
    parts = columns(groups)
    height = max(HEIGHT_MIN, TOP + BOTTOM + max(height_of(part) for part in parts))
    with plt.rc_context(style.RC):
        figure = plt.figure(figsize=(WIDTH / 72, height / 72))
        axes = figure.add_axes((0, 0, 1, 1))
        axes.set_xlim(0, WIDTH)
        axes.set_ylim(height, 0)
        axes.axis("off")
        _headline(axes, groups, entries)
        width = (WIDTH - 2 * MARGIN - GUTTER) / 2
        for i, part in enumerate(parts):
            _column(axes, part, MARGIN + i * (width + GUTTER), width)
        draw_legend(axes, height, {one.verdict for one in _results(groups)}, _unmet(groups))
    return figure


def _results(groups):
    for members in groups.values():
        for failure in members:
            yield from (*failure.results.values(), *failure.twin.values())


def _unmet(groups):
    return sum(not one.as_expected for one in _results(groups))


def _headline(axes, groups, entries):
    axes.text(MARGIN, 22, "Which lock breaks, and where", fontsize=style.TITLE, weight="bold", color=style.INK,
              va="center")
    count = sum(len(members) for members in groups.values())
    worlds = [world for world in WORLDS if any(entry["world"] == world for entry in entries)]
    met = len(entries) - _unmet(groups)
    parts = [f"{count} scenarios", "each with its twin, the same without the cause", f"{len(groups)} algorithms",
             " and ".join({"simulated": "simulated", "real": "on real servers"}[world] for world in worlds),
             f"{met} of {len(entries)} runs as expected"]
    axes.text(MARGIN, 40, "  ·  ".join(parts), fontsize=style.SUBTITLE, color=style.SOFT, va="center")


def _places(left, width):
    """Where the cells of a column are: scenario's two, words, twin's two."""
    first = left + NAME_WIDTH
    words = first + 2 * CELL + WORDS_GAP
    twin = left + width - 2 * CELL
    return first, words, twin


def _column(axes, part, left, width):
    first, words, twin = _places(left, width)
    small = {"fontsize": style.SMALL, "color": style.SOFT, "va": "center"}
    axes.text(first + CELL, TOP - 16, "scenario", ha="center", **small)
    axes.text(twin + CELL, TOP - 16, "twin", ha="center", **small)
    for x in (first, twin):
        axes.text(x + CELL / 2, TOP - 6, "sim", ha="center", **small)
        axes.text(x + 3 * CELL / 2, TOP - 6, "real", ha="center", **small)
    axes.text(words, TOP - 6, "what broke", **small)
    y = TOP
    for algorithm, failure in part:
        if failure is None:
            y += GROUP_GAP
            axes.text(left, y + LINE / 2, algorithm, fontsize=TEXT + 0.6, weight="bold", color=style.INK, va="center")
            axes.plot([left, left + width], [y + LINE, y + LINE], color=style.FAINT, lw=0.6)
        else:
            _row(axes, failure, left, y, width)
        y += LINE


def _row(axes, failure, left, y, width):
    first, words, twin = _places(left, width)
    name = fitted(failure.name, TEXT, NAME_WIDTH - 8)
    axes.text(left + 6, y + LINE / 2, name, fontsize=TEXT, color=style.INK, va="center")
    for i, world in enumerate(WORLDS):
        draw_cell(axes, failure.results.get(world), first + i * CELL, y)
        draw_cell(axes, failure.twin.get(world), twin + i * CELL, y)
    text = broken_text(failure.results)
    axes.text(words, y + LINE / 2, fitted(text, TEXT, twin - words - 6), fontsize=TEXT, va="center",
              color=style.FAINT if text == NOTHING else style.INK)


def broken_text(results):
    """What broke, in words; told apart by world only where the worlds differ. Empty: nothing was run.
    A world of which nothing is known is not named: its symbol says so."""
    told = {}
    for world in WORLDS:
        if world in results and (results[world].broken or results[world].verdict not in SILENT):
            told[world] = ", ".join(results[world].broken) or NOTHING
    if len(set(told.values())) <= 1:
        return next(iter(told.values()), _silent_text(results))
    return "; ".join(f"{'sim' if world == 'simulated' else world}: {words}" for world, words in told.items())


def _silent_text(results):
    """Nothing is known of any world; that it was looked at says more than that it was not."""
    words = {result.verdict for result in results.values()}
    return next((word.replace("-", " ") for word in SILENT if word in words), "")


def draw_cell(axes, result, x, y):
    if result is None:
        axes.text(x + CELL / 2, y + LINE / 2, "–", fontsize=TEXT, color=style.FAINT, ha="center", va="center")
        return
    symbol, ink, fill = SYMBOLS[result.verdict]
    edge, thick = (style.INK, 2.0) if not result.as_expected else (style.FAINT, 0.5)
    box = Rectangle((x + 0.7, y + 0.9), CELL - 1.4, LINE - 1.8, fc=fill, ec=edge, lw=thick)
    axes.add_patch(box)
    if not result.as_expected:
        symbol += "!"
    axes.text(x + CELL / 2, y + LINE / 2 + 0.3, symbol, fontsize=TEXT, color=ink, ha="center", va="center",
              weight="bold")


def draw_legend(axes, height, used, unmet):
    x, y = MARGIN, height - 20
    for verdict, words in LEGEND:
        if verdict not in used:
            continue
        symbol, ink, fill = SYMBOLS[verdict]
        axes.add_patch(Rectangle((x, y - 6), 12, 12, fc=fill, ec=style.FAINT, lw=0.5))
        axes.text(x + 6, y + 0.3, symbol, fontsize=TEXT, color=ink, ha="center", va="center", weight="bold")
        drawn = axes.text(x + 17, y, words, fontsize=TEXT, color=style.INK, va="center")
        x += 17 + drawn.get_window_extent(axes.figure.canvas.get_renderer()).width * 72 / axes.figure.dpi + 18
    if unmet:
        axes.add_patch(Rectangle((x, y - 6), 12, 12, fc="white", ec=style.INK, lw=2.0))
        axes.text(x + 6, y, "!", fontsize=TEXT, ha="center", va="center", weight="bold")
        axes.text(x + 17, y, f"not as the scenario expects ({unmet})", fontsize=TEXT, color=style.INK, va="center")
