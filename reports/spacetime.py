# SPDX-License-Identifier: Apache-2.0
"""The space-time picture of one run: spacetime.py HISTORY.jsonl -o OUT_BASE writes OUT_BASE.png and OUT_BASE.svg."""

import argparse
import sys

import results
import style  # before pyplot: it chooses the backend
import matplotlib.pyplot as plt
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from draw import Drawing
from durations import duration_text
from history import BAD_INPUT_EXIT, BadInput, load_run
from layout import fitted, text_width
from pictures import save
from scene import Scene

HEADER, FOOTER, WIDTH = 62.0, 56.0, style.PAGE[0]
VERDICTS = 8.2
NOT_JUDGED = "not judged"


def page(runs, window=None):
    """A figure with the pictures of some runs, one below the other, each on at least a landscape page's height."""
    scenes = [Scene(run, window) for run in runs]
    body = style.PAGE[1] - HEADER - FOOTER
    heights = [max(body, scene.axis(0, 0).least_height * 1.25 + 36) for scene in scenes]
    total = sum(heights) + HEADER * len(scenes) + FOOTER
    with plt.rc_context(style.RC):
        figure = plt.figure(figsize=(WIDTH / 72, total / 72))
        axes = figure.add_axes((0, 0, 1, 1))
        axes.set_xlim(0, WIDTH)
        axes.set_ylim(total, 0)
        axes.axis("off")
        top, used, ticks = 0.0, set(), []
        for scene, height in zip(scenes, heights):
            _headline(axes, scene, top)
            drawing = Drawing(axes, scene, 0, WIDTH, top + HEADER, height)
            drawing.draw()
            used |= drawing.used
            ticks.append(duration_text(drawing.tick))
            top += HEADER + height
        _legend(axes, scenes[0].history, used, ticks, total)
    return figure


def _headline(axes, scene, top):
    history = scene.history
    parts = [history.algorithm(), f"{history.world} run", f"seed {history.header.get('seed', '?')}"]
    if history.header.get("speedup", 1) != 1:
        parts.append(f"clocks {history.header['speedup']} times as fast as real time")
    if not scene.whole:
        first, last, end = (at / 1e6 for at in (*scene.window, history.end))
        parts.append(f"shown: {first:.3f} s to {last:.3f} s of {end:.3f} s")
    title = history.scenario.get("title", "")
    name = history.header.get("scenario", "")
    axes.text(16, top + 20, name, fontsize=style.TITLE, weight="bold", color=style.INK, va="center")
    axes.text(WIDTH - 16, top + 20, "  ·  ".join(part for part in parts if part), fontsize=style.SUBTITLE,
              color=style.SOFT, va="center", ha="right")
    if title:
        text = fitted(title, style.SUBTITLE, WIDTH - 32)
        axes.text(16, top + 36, text, fontsize=style.SUBTITLE, color=style.INK, va="center")
    _verdicts(axes, scene.verdict, top + 50)


def verdict_groups(verdict):
    """(words, properties): what was violated first, and last what was not judged, which is no verdict."""
    groups = {}
    for entry in verdict["properties"]:
        kind = f" ({entry['kind']})" if entry.get("kind") else ""
        words = results.verdict_text(entry) if results.is_judged(entry) else NOT_JUDGED
        groups.setdefault(words, []).append(f"{entry.get('property', '?')}{kind}")
    return sorted(groups.items(), key=lambda group: (group[0] != "violated", group[0] == NOT_JUDGED))


def _verdicts(axes, verdict, y):
    x = 16.0
    for words, properties in verdict_groups(verdict) if verdict else ():
        colour = {"violated": style.VIOLATION, NOT_JUDGED: style.LANE}.get(words, style.SOFT)
        weight = "bold" if words == "violated" else "normal"
        text, room = f"{words}: {', '.join(properties)}", WIDTH - 16 - x
        if words == NOT_JUDGED and text_width(text, VERDICTS) > room:
            text = f"{words}: {len(properties)} more"
        text = fitted(text, VERDICTS, room, weight)
        axes.text(x, y, text, fontsize=VERDICTS, color=colour, va="center", weight=weight)
        x += text_width(text, VERDICTS, weight) + 14
        if x > WIDTH - 80:
            break


def _legend(axes, history, used, ticks, total):
    blue = style.CLIENTS[0][0]
    soft = {"color": style.SOFT, "lw": 0.8, "ls": (0, (4, 2))}
    entries = {
        "hold": Patch(fc=blue, ec=blue, label="inside the critical section"),
        "late": Patch(fc="white", ec=blue, hatch="xxxx", label="inside after its lease ended (◇)"),
        "key": Patch(fc="#7FB8D8", ec=blue, label="the key on the server, by owner"),
        "overlap": Patch(fc=style.VIOLATION_FILL, ec=style.VIOLATION, ls="--", label="two clients inside at once"),
        "pause": Patch(fc=style.FAULT_FILL, ec=style.FAULT, hatch="\\\\\\", label="stands still"),
        "down": Patch(fc=style.DOWN_FILL, ec=style.FAULT, lw=0.8, label="server down"),
        "span": Line2D([], [], color=style.FAULT, lw=1.4, marker="|", label="a fault lasts"),
        "crash": Line2D([], [], color=style.FAULT, marker="x", ls="", mew=2, label="dies"),
        "jump": Line2D([], [], color=style.FAULT, marker="$\\wedge\\vee$", ls="", ms=12, label="clock jump"),
        "lost": Line2D([], [], color=style.FAULT, ls=(0, (3, 2)), marker="x", label="message lost or refused"),
        "message": Line2D([], [], **soft, label="reply"),
        "folded": Line2D([], [], color=style.FAINT, lw=0.8, label="one of many"),
        "write": Line2D([], [], color=style.INK, lw=3, label="write (version)"),
    }
    shown = [handle for name, handle in entries.items() if name in used]
    columns = min(len(shown), 6)
    if shown:
        with plt.rc_context(style.RC):
            axes.legend(handles=shown, loc="lower center", ncol=columns, fontsize=style.LABEL, frameon=False,
                        bbox_to_anchor=(0.5, 14 / total), borderaxespad=0, columnspacing=1.6, handlelength=2.2)
    steps = " / ".join(dict.fromkeys(ticks))
    text = f"Time runs down and is stretched where much happens; small ticks on its axis are {steps} apart."
    axes.text(WIDTH / 2, total - 9, text, fontsize=style.SMALL, color=style.SOFT, ha="center", va="center")


def seconds(text):
    return round(float(text) * 1_000_000)


def main(arguments=None):
    parser = argparse.ArgumentParser(description="Draws the space-time picture of one run.")
    parser.add_argument("history", help="a run's history.jsonl, or its folder")
    parser.add_argument("-o", "--out", required=True, metavar="OUT_BASE", help="writes OUT_BASE.png and OUT_BASE.svg")
    parser.add_argument("--window", nargs=2, type=seconds, metavar=("FROM", "TO"), help="seconds of the run to show")
    options = parser.parse_args(arguments)
    try:
        run = load_run(options.history)
        written = save(page([run], tuple(options.window) if options.window else None), options.out)
    except BadInput as problem:
        print(f"spacetime: {problem}", file=sys.stderr)
        return BAD_INPUT_EXIT
    for path in written:
        print(path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
