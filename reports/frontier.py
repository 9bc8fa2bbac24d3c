# SPDX-License-Identifier: Apache-2.0
"""Which fault breaks which lock: a row for each lock, a column for each kind of fault.

report.py draws it of what `lockproof frontier --out` wrote. A cell says the worst that one fault
of the kind does by itself; where it does nothing, whether it does together with another one. Colour says nothing that
a letter does not say as well.
"""

from pathlib import Path

import style  # first: it chooses the backend
import matplotlib.pyplot as plt
from matplotlib.patches import Rectangle

from history import BadInput, json_from

WIDTH = 960.0  # points; a slide
TOP, BOTTOM, MARGIN = 150.0, 62.0, 22.0
NAME_WIDTH, ROW = 150.0, 21.0
TEXT = 8.5
HARM = (  # worst first: (letter, ink, fill, words)
    ("D", "white", style.VIOLATION, "two clients hold the lock (double grant)"),
    ("O", "white", "#E07B39", "a holder outlives its lease"),
    ("L", "white", "#7B5EA7", "the lock is never free again"),
    ("R", style.INK, "#F2D16B", "other damage: a lost update, another's lock released"),
    ("2", style.INK, "#E4E4E4", "only together with a second fault"),
)
NONE, UNKNOWN, ABSENT = "·", "?", ""
ALWAYS = "breaks without any fault"
NEEDED = ("algorithm", "topology", "kinds", "max_faults", "searched_faults", "properties")


def load_frontiers(path):
    """The searches that `lockproof frontier --out` wrote. Raises BadInput."""
    path = Path(path)
    found = json_from(path)
    searches = found.get("frontiers") if isinstance(found, dict) else None
    if not isinstance(searches, list) or not searches:
        raise BadInput(f"{path}: expected what `lockproof frontier --out` wrote")
    for number, search in enumerate(searches, start=1):
        missing = [key for key in NEEDED if not isinstance(search, dict) or key not in search]
        if missing:
            raise BadInput(f"{path}: search {number} has no {', '.join(missing)}")
    return searches


def letter_of(name, kind):
    if kind == "double-grant":
        return "D"
    if kind == "outlived":
        return "O"
    return "L" if name == "deadlock-freedom" else "R"


def rows(searches):
    """By algorithm: a letter for each kind of fault that was looked at, or ALWAYS alone."""
    order = [letter for letter, *_ in HARM]
    table = {}
    for search in searches:
        cells = table.setdefault(search["algorithm"], {})
        for kind in search["kinds"]:
            cells[kind] = NONE if search["searched_faults"] >= 1 else UNKNOWN
        for of in search["properties"]:
            for enough in of["enough"]:
                letter = letter_of(of["property"], enough["kind"])
                if not enough["faults"] and (ALWAYS not in cells or order.index(letter) < order.index(cells[ALWAYS])):
                    cells[ALWAYS] = letter
                for kind in enough["faults"]:
                    found = letter if len(enough["faults"]) == 1 else "2"
                    if cells[kind] not in order or order.index(found) < order.index(cells[kind]):
                        cells[kind] = found
    return table


def kinds_of(searches):
    kinds = []
    for search in searches:
        kinds += [kind for kind in search["kinds"] if kind not in kinds]
    return kinds


def page(searches):
    table, kinds = rows(searches), kinds_of(searches)
    height = TOP + BOTTOM + ROW * len(table)
    cell = (WIDTH - 2 * MARGIN - NAME_WIDTH - 20) / len(kinds)
    with plt.rc_context(style.RC):
        figure = plt.figure(figsize=(WIDTH / 72, height / 72))
        axes = figure.add_axes((0, 0, 1, 1))
        axes.set_xlim(0, WIDTH)
        axes.set_ylim(height, 0)
        axes.axis("off")
        axes.text(MARGIN, 22, "Which fault breaks which lock", fontsize=style.TITLE, weight="bold", color=style.INK,
                  va="center")
        axes.text(MARGIN, 40, scope(searches), fontsize=style.SUBTITLE, color=style.SOFT, va="center")
        left = MARGIN + NAME_WIDTH
        for i, kind in enumerate(kinds):
            axes.text(left + (i + 0.5) * cell, TOP - 6, kind, rotation=45, ha="left", va="bottom", fontsize=TEXT,
                      color=style.INK, rotation_mode="anchor")
        for number, (algorithm, cells) in enumerate(table.items()):
            y = TOP + number * ROW
            axes.text(MARGIN, y + ROW / 2, algorithm, fontsize=TEXT, color=style.INK, va="center")
            _row(axes, cells, kinds, left, y, cell)
        _legend(axes, height)
    return figure


def scope(searches):
    first = searches[0]
    deepest = max(search["max_faults"] for search in searches)
    most = "one fault in one run" if deepest == 1 else f"up to {deepest} faults in one run where the space is small"
    return f"{first.get('scope', '')}, every schedule; a letter: one fault of the kind is enough   ·   {most}"


def _row(axes, cells, kinds, left, y, cell):
    if ALWAYS in cells:
        letter, ink, fill, _ = next(one for one in HARM if one[0] == cells[ALWAYS])
        axes.add_patch(Rectangle((left + 1, y + 1.2), cell * len(kinds) - 2, ROW - 2.4, fc=fill, ec="none"))
        axes.text(left + cell * len(kinds) / 2, y + ROW / 2, f"{letter}: {ALWAYS}", fontsize=TEXT, color=ink,
                  ha="center", va="center", weight="bold")
        return
    for i, kind in enumerate(kinds):
        value = cells.get(kind, ABSENT)
        known = next((one for one in HARM if one[0] == value), None)
        fill, ink = (known[2], known[1]) if known else ("white", style.GOOD if value == NONE else style.INK)
        x = left + i * cell
        if value != ABSENT:
            axes.add_patch(Rectangle((x + 1, y + 1.2), cell - 2, ROW - 2.4, fc=fill, ec=style.FAINT, lw=0.4))
        axes.text(x + cell / 2, y + ROW / 2 + 0.3, value, fontsize=TEXT, color=ink, ha="center", va="center",
                  weight="bold")


def _legend(axes, height):
    x, y = MARGIN, height - 40
    entries = [*HARM, (NONE, style.GOOD, "white", "nothing, in every schedule within the bounds"),
               (ABSENT, style.INK, "white", "empty: the search has no such fault")]
    for letter, ink, fill, words in entries:
        if x > WIDTH - 260:
            x, y = MARGIN, y + 18
        axes.add_patch(Rectangle((x, y - 6), 13, 12, fc=fill, ec=style.FAINT, lw=0.5))
        axes.text(x + 6.5, y + 0.3, letter, fontsize=TEXT, color=ink, ha="center", va="center", weight="bold")
        drawn = axes.text(x + 18, y, words, fontsize=TEXT, color=style.INK, va="center")
        x += 18 + drawn.get_window_extent(axes.figure.canvas.get_renderer()).width * 72 / axes.figure.dpi + 16
