# SPDX-License-Identifier: Apache-2.0
"""The bench table as a picture, of what `lockproof bench --out` wrote.

One line for each algorithm and number of clients, four panels; hollow is simulated, filled is real.
"""

import json
from dataclasses import dataclass
from pathlib import Path

import style  # first: it chooses the backend
import matplotlib.pyplot as plt
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, MaxNLocator

from durations import duration_text
from history import BadInput, json_from

VERSION = 1
NEEDED = ("algorithm", "world", "clients", "acquisitions_per_s", "wait_p50", "wait_p99", "takeover_us", "double_grant")
WIDTH, LINE, GROUP_GAP, TOP, BOTTOM = 960.0, 8.6, 0.7, 84.0, 62.0  # points; the gap in lines
LEFT, RIGHT, GUTTER = 168.0, 20.0, 26.0
TICKS_MAX = 5  # of a panel from 0; more durations do not fit beside each other
FACES = {"simulated": "white", "real": style.CLIENTS[0][0]}


@dataclass(frozen=True)
class Point:
    value: float | None  # None: nothing was measured, or never
    at_least: bool = False
    never: bool = False


@dataclass(frozen=True)
class Panel:
    title: str
    log: bool
    point: object  # cell -> Point


def _rate(cell):
    return Point(cell["acquisitions_per_s"]["median"])


def _wait(name):
    def point(cell):
        wait = cell[name]
        return Point(None) if wait is None else Point(wait["us"], wait.get("at_least", False))

    return point


def _takeover(cell):
    return Point(cell["takeover_us"], never=cell["takeover_us"] is None)


PANELS = (Panel("acquisitions per second", False, _rate), Panel("wait, median", True, _wait("wait_p50")),
          Panel("wait, 99 of 100", True, _wait("wait_p99")), Panel("takeover after a crash", False, _takeover))


def load_bench(path):
    """What bench wrote. Raises BadInput."""
    path = Path(path)
    found = json_from(path)
    if not isinstance(found, dict) or "lockproof_bench" not in found:
        raise BadInput(f"{path}: this is not what `lockproof bench` wrote")
    if found["lockproof_bench"] != VERSION:
        raise BadInput(f"{path}: version {found['lockproof_bench']}, but this program reads version {VERSION}")
    cells = found.get("cells")
    if not isinstance(cells, list) or not cells or not isinstance(found.get("setup"), dict):
        raise BadInput(f"{path}: nothing was measured")
    for number, cell in enumerate(cells, start=1):
        missing = [key for key in NEEDED if not isinstance(cell, dict) or key not in cell]
        if missing:
            raise BadInput(f"{path}: cell {number} has no {', '.join(missing)}")
    return found


def lines(cells):
    """(algorithm, clients, {world: cell}, y in lines) in the order of the file, groups apart."""
    by_line = {}
    for cell in cells:
        by_line.setdefault((cell["algorithm"], cell["clients"]), {})[cell["world"]] = cell
    y, before, found = 0.0, None, []
    for (algorithm, clients), worlds in by_line.items():
        if before not in (None, algorithm):
            y += GROUP_GAP
        found.append((algorithm, clients, worlds, y))
        before = algorithm
        y += 1
    return found


def page(bench):
    listed = lines(bench["cells"])
    last = listed[-1][3]
    height = TOP + BOTTOM + (last + 1) * LINE
    with plt.rc_context(style.RC):
        figure = plt.figure(figsize=(WIDTH / 72, height / 72))
        width = (WIDTH - LEFT - RIGHT - GUTTER * (len(PANELS) - 1)) / len(PANELS)
        for i, panel in enumerate(PANELS):
            left = (LEFT + i * (width + GUTTER)) / WIDTH
            axes = figure.add_axes((left, BOTTOM / height, width / WIDTH, (height - TOP - BOTTOM) / height))
            _panel(axes, panel, listed, last)
            if i == 0:
                _names(axes, listed)
        _words(figure, bench, height)
    return figure


def says(bench):
    """Which locks the picture shows, and simulated or real, for readers who cannot see it."""
    worlds = {}
    for cell in bench["cells"]:
        worlds.setdefault(cell["algorithm"], [])
        if cell["world"] not in worlds[cell["algorithm"]]:
            worlds[cell["algorithm"]].append(cell["world"])
    return json.dumps(worlds)


def _panel(axes, panel, listed, last):
    axes.set_ylim(last + 0.8, -0.8)
    if panel.log:
        axes.set_xscale("log")
    known = [(y, cell, panel.point(cell)) for _, _, worlds, y in listed for cell in worlds.values()]
    values = [point.value for _, _, point in known if point.value is not None]
    for _, _, worlds, y in listed:
        ends = [point.value for point in map(panel.point, worlds.values()) if point.value is not None]
        if len(ends) == 2:
            axes.plot(ends, [y, y], color=style.FAINT, lw=0.9, zorder=1)
    for y, cell, point in known:
        if point.value is not None:
            wrong = cell["double_grant"]
            edge = style.VIOLATION if wrong else FACES["real"]
            face = "white" if cell["world"] == "simulated" else edge
            axes.plot([point.value], [y], marker=">" if point.at_least else "X" if wrong else "o", ms=5 if wrong else 4,
                      mec=edge, mfc=face, mew=0.9, ls="", zorder=3 if cell["world"] == "real" else 2)
    if not panel.log:
        axes.set_xlim(0, max(values, default=1) * 1.08)
        axes.xaxis.set_major_locator(MaxNLocator(TICKS_MAX))
    for _, _, worlds, y in listed:
        if any(panel.point(cell).never for cell in worlds.values()):
            axes.text(0.5, y, "never", fontsize=6.4, color=style.VIOLATION, ha="center", va="center",
                      transform=axes.get_yaxis_transform())
    if panel.title != PANELS[0].title:
        axes.xaxis.set_major_formatter(FuncFormatter(lambda us, _: duration_text(round(us)) if us else "0"))
    axes.xaxis.set_minor_formatter(FuncFormatter(lambda us, _: ""))
    axes.set_title(panel.title, fontsize=style.SUBTITLE, weight="bold", loc="left", pad=5)
    axes.tick_params(axis="x", labelsize=style.SMALL, length=2.5)
    axes.set_yticks([])
    axes.grid(axis="x", color=style.FAINT, lw=0.4)
    axes.set_axisbelow(True)
    axes.spines[["top", "right", "left"]].set_visible(False)
    for i, (algorithm, _, _, y) in enumerate(listed):
        if i and listed[i - 1][0] != algorithm:
            axes.axhline(y - 0.5 - GROUP_GAP / 2, color=style.FAINT, lw=0.4)


def _names(axes, listed):
    shown = {}
    axes.annotate("clients", (0, 1), xycoords="axes fraction", xytext=(-6, 6), textcoords="offset points",
                  fontsize=6.2, color=style.SOFT, ha="right", va="bottom")
    for algorithm, clients, _, y in listed:
        axes.annotate(str(clients), (0, y), xycoords=axes.get_yaxis_transform(), xytext=(-6, 0),
                      textcoords="offset points", fontsize=6.2, color=style.SOFT, ha="right", va="center")
        shown.setdefault(algorithm, []).append(y)
    for algorithm, ys in shown.items():
        axes.annotate(algorithm, (0, sum(ys) / len(ys)), xycoords=axes.get_yaxis_transform(), xytext=(-22, 0),
                      textcoords="offset points", fontsize=8.2, color=style.INK, ha="right", va="center")


def _words(figure, bench, height):
    setup, cells = bench["setup"], bench["cells"]
    low, high = (duration_text(us) for us in setup["latency_us"])
    title = "How fast the locks are, and how long they stay lost"
    figure.text(22 / WIDTH, 1 - 22 / height, title, fontsize=style.TITLE, weight="bold", color=style.INK, va="center")
    text = (f"each client: take it, hold {duration_text(setup['hold_us'])}, "
            f"think {duration_text(setup['think_time_us'])}, "
            f"again  ·  lease {duration_text(setup['lease_us'])}  ·  medians of {setup['runs']} runs  ·  "
            f"Redlock on {setup['redlock_servers']} servers, the others on one, and its replica if they wait for that")
    figure.text(22 / WIDTH, 1 - 40 / height, text, fontsize=style.SUBTITLE, color=style.SOFT, va="center")
    blue, red = FACES["real"], style.VIOLATION
    handles = [Line2D([], [], marker="o", mfc="white", mec=blue, ls="", ms=5,
                      label=f"simulated, messages of {low} to {high}")]
    if any(cell["world"] == "real" for cell in cells):
        handles.append(Line2D([], [], marker="o", color=blue, ls="", ms=5, label="real servers on loopback"))
    if any(wait and wait.get("at_least") for cell in cells for wait in (cell["wait_p50"], cell["wait_p99"])):
        handles.append(Line2D([], [], marker=">", mfc="white", mec=blue, ls="", ms=5, label="at least"))
    if any(cell["double_grant"] for cell in cells):
        handles.append(Line2D([], [], marker="X", color=red, ls="", ms=6, label="it let two in at once"))
    figure.legend(handles=handles, loc="lower left", bbox_to_anchor=(16 / WIDTH, 8 / height), ncol=len(handles),
                  frameon=False, fontsize=style.TITLE - 5.5, borderaxespad=0, handletextpad=0.3)
