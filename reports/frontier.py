# SPDX-License-Identifier: Apache-2.0
"""Which fault breaks which lock: a row for each lock, a column for each kind of fault.

report.py draws it of what `lockproof frontier --out` wrote. A cell says everything that one fault of the kind does by
itself, a letter each, and whether it does more together with another one. Colour says nothing that a letter does not
say as well.
"""

import json
import textwrap
from pathlib import Path

import style  # first: it chooses the backend
import matplotlib.pyplot as plt
from matplotlib.patches import Rectangle

from history import BadInput, json_from
from layout import text_width

WIDTH = 960.0  # points; a slide
TOP, BOTTOM, MARGIN = 150.0, 96.0, 22.0
NAME_WIDTH, ROW = 150.0, 21.0
TEXT, PALE = 8.5, 0.3
LINE, NEXT_LINE = 160, 14  # characters of a line below the legend, and its height
HARM = (  # worst first: (letter, ink, fill, words)
    ("D", "white", style.VIOLATION, "two clients hold the lock (double grant)"),
    ("O", "white", "#E07B39", "a holder outlives its lease"),
    ("L", "white", "#7B5EA7", "the lock is never free again"),
    ("R", style.INK, "#F2D16B", "other damage: a lost update, another's lock released, a release that keeps it"),
    ("2", style.INK, "#E4E4E4", "more, together with a second fault"),
)
OTHER = (  # (sign, ink, fill, words)
    ("·", style.GOOD, "white", "not broken here, in any schedule within the bounds"),
    ("+", style.INK, "white", "more with another workload: a scenario of the catalogue shows it"),
    ("?", style.INK, "white", "not searched, or nothing was shown"),
    ("–", style.SOFT, "#E9E9E9", "not tried: no such fault, or nothing new comes of it"),
    ("", style.INK, "white", "empty: the search has no such fault"),
)
NONE, BEYOND, UNKNOWN, NOT_TRIED, ABSENT = (sign for sign, *_ in OTHER)
ORDER = [letter for letter, *_ in HARM]
NO_FAULT = "no fault"
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
    """By algorithm, of each kind of fault that was looked at: the letters of all that it does, worst first, or a sign.
    What a lock does without a fault it does with any."""
    table = {}
    for search in searches:
        cells = table.setdefault(search["algorithm"], {})
        for kind in [NO_FAULT, *search["kinds"]]:
            cells[kind] = _worse(cells.get(kind, ABSENT), _sign(search, kind))
    for algorithm, cells in table.items():
        of_lock = [one for one in searches if one["algorithm"] == algorithm]
        always, alone, more = _harms(of_lock)
        beyond = {one["fault"] for search in of_lock for one in search.get("beyond", ())}
        for kind in cells:
            letters = always | (alone.get(kind, set()))
            letters |= {"2"} if more.get(kind, set()) - letters else set()
            shown = "".join(sorted(letters, key=ORDER.index))
            if kind in beyond:
                shown += BEYOND
            cells[kind] = shown or cells[kind]
    return table


def _sign(search, kind):
    """What a cell says where nothing was found."""
    if kind == NO_FAULT:
        return NONE if search["searched_faults"] >= 0 and not search.get("vacuous") else UNKNOWN
    if search["searched_faults"] < 1 or search.get("vacuous"):
        return UNKNOWN
    return NOT_TRIED if kind in [one["fault"] for one in search.get("not_tried", ())] else NONE


def _worse(one, other):
    """Of two searches of one lock the one that shows less counts, but for a fault that only one of them has."""
    return next(sign for sign in (UNKNOWN, NONE, NOT_TRIED, ABSENT) if sign in (one, other))


def _harms(searches):
    """The letters that come without a fault; by kind those of one fault; by kind those that need a second one."""
    always, alone, more = set(), {}, {}
    for of in (of for search in searches for of in search["properties"]):
        for enough in of["enough"]:
            letter, faults = letter_of(of["property"], enough["kind"]), enough["faults"]
            if not faults:
                always.add(letter)
            for kind in faults:
                (alone if len(faults) == 1 else more).setdefault(kind, set()).add(letter)
    return always, alone, more


def kinds_of(searches):
    """The columns: a lock that breaks without a fault gets one of its own for it."""
    kinds = [NO_FAULT] if any(set(cells[NO_FAULT]) & set(ORDER) for cells in rows(searches).values()) else []
    for search in searches:
        kinds += [kind for kind in search["kinds"] if kind not in kinds]
    return kinds


def page(searches):
    table, kinds = rows(searches), kinds_of(searches)
    below = textwrap.wrap(otherwise(searches), LINE, break_on_hyphens=False)
    height = TOP + BOTTOM + ROW * len(table) + NEXT_LINE * max(len(below) - 1, 0)
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
        axes.text(MARGIN, 56, measures(searches), fontsize=style.SUBTITLE, color=style.SOFT, va="center")
        left = MARGIN + NAME_WIDTH
        for i, kind in enumerate(kinds):
            axes.text(left + (i + 0.5) * cell, TOP - 6, kind, rotation=45, ha="left", va="bottom", fontsize=TEXT,
                      color=style.INK, rotation_mode="anchor")
        for number, (algorithm, cells) in enumerate(table.items()):
            y = TOP + number * ROW
            axes.text(MARGIN, y + ROW / 2, algorithm, fontsize=TEXT, color=style.INK, va="center")
            _row(axes, cells, kinds, left, y, cell)
        _legend(axes, height - NEXT_LINE * max(len(below) - 1, 0), table)
        for number, line in enumerate(reversed(below)):
            axes.text(MARGIN, height - 12 - number * NEXT_LINE, line, fontsize=TEXT, color=style.SOFT, va="center")
    return figure


def scope(searches):
    first = searches[0]
    deepest = max(search["max_faults"] for search in searches)
    most = "one fault in one run" if deepest == 1 else f"up to {deepest} faults in one run where the space is small"
    pale = "   ·   pale: it needs no fault" if NO_FAULT in kinds_of(searches) else ""
    return f"{first.get('scope', '')}, every schedule; each letter: one fault of the kind is enough{pale}   ·   {most}"


def measures(searches):
    """The durations on which a letter turns: those of all searches, then of the first one with a lease; and what
    the others are called."""
    of_all = [set(search.get("measures", ())) for search in searches]
    shared = [one for one in searches[0].get("measures", ()) if all(one in other for other in of_all)]
    leased = [search for search in searches if any(one.startswith("lease ") for one in search.get("measures", ()))]
    own = [one for one in (leased or searches)[0].get("measures", ())
           if one not in shared and one.startswith(("lease ", "work "))]
    others = sorted({search["topology"].split(", ", 1)[1] for search in searches if ", " in search["topology"]})
    return "   ·   ".join(shared + own + [f"of some locks also: {', '.join(others)}"] * bool(others))


def otherwise(searches):
    """Whose scope is not the first one's."""
    scopes = {}
    for search in searches:
        if search.get("scope") != searches[0].get("scope"):
            scopes.setdefault(search["scope"], {})[search["algorithm"]] = None
    return "   ·   ".join(f"{', '.join(locks)}: {scope}" for scope, locks in scopes.items())


def _row(axes, cells, kinds, left, y, cell):
    for i, kind in enumerate(kinds):
        signs = cells.get(kind, ABSENT)
        if signs != ABSENT:
            pale = set(cells[NO_FAULT]) & set(ORDER) if kind != NO_FAULT else set()
            _cell(axes, signs, pale, left + i * cell + 1, y + 1.2, cell - 2)


def _cell(axes, signs, pale, x, y, width):
    """Parted between its letters; pale are those that need no fault."""
    known = {sign: (ink, fill) for sign, ink, fill, _ in (*HARM, *OTHER)}
    part, height = width / len(signs), ROW - 2.4
    for i, sign in enumerate(signs):
        ink, fill = known[sign]
        ink, alpha = (style.SOFT, PALE) if sign in pale else (ink, 1.0)
        axes.add_patch(Rectangle((x + i * part, y), part, height, fc=fill, ec="none", alpha=alpha))
        axes.text(x + (i + 0.5) * part, y + height / 2 + 0.3, sign, fontsize=TEXT, color=ink, ha="center", va="center",
                  weight="bold")
    axes.add_patch(Rectangle((x, y), width, height, fc="none", ec=style.FAINT, lw=0.4))


def _legend(axes, height, table):
    x, y = MARGIN, height - 74
    used = {sign for cells in table.values() for signs in cells.values() for sign in signs or [ABSENT]}
    for sign, ink, fill, words in [one for one in (*HARM, *OTHER) if one[0] in used or one[0] == ABSENT]:
        room = 18 + text_width(words, TEXT)
        if x + room > WIDTH - MARGIN:
            x, y = MARGIN, y + 18
        axes.add_patch(Rectangle((x, y - 6), 13, 12, fc=fill, ec=style.FAINT, lw=0.5))
        axes.text(x + 6.5, y + 0.3, sign, fontsize=TEXT, color=ink, ha="center", va="center", weight="bold")
        axes.text(x + 18, y, words, fontsize=TEXT, color=style.INK, va="center")
        x += room + 16


def says(searches):
    """What the picture shows, for readers who cannot see it."""
    return json.dumps(rows(searches), ensure_ascii=True)
