# SPDX-License-Identifier: Apache-2.0
"""Draws what faults do to a lane of a space-time diagram: it stands still, is down, is cut off, or is struck."""

import style

WIDE, NARROW = 26.0, 14.0
SPAN_X, SPAN_STEP = 9.0, 3.0  # of a bracket beside the lane, and from one to the next


def _shown(drawing, start, end):
    """From where to where on the page, or None."""
    first, last = drawing.scene.window
    if start > last or end < first or end <= start:
        return None
    return drawing.time(drawing.scene.clip(start)), drawing.time(drawing.scene.clip(end))


def standstills(drawing):
    for fault in drawing.scene.faults:
        if not fault.stands_still:
            continue
        place = _shown(drawing, fault.start, fault.lasts_until(drawing.history.end))
        if place:
            y0, y1 = place
            left = drawing.x[fault.host] - WIDE / 2
            drawing.box(left, y0, WIDE, y1 - y0, fc=style.FAULT_FILL, ec=style.FAULT, lw=0.6, hatch="\\\\\\", zorder=1)
            drawing.used.add("pause")


def downtimes(drawing):
    """A server that is down: its lane is interrupted."""
    for down in drawing.scene.downs:
        place = _shown(drawing, down.start, down.end)
        if place:
            y0, y1 = place
            drawing.box(drawing.x[down.server] - NARROW / 2, y0, NARROW, y1 - y0, fc=style.DOWN_FILL, ec=style.FAULT,
                        lw=0.8, zorder=2)
            drawing.used.add("down")


def spans(drawing):
    """A bracket beside the lane, for as long as something lasts that is not seen in the lane itself."""
    taken = {}  # host -> ends of the brackets, from the lane outwards
    for fault in drawing.scene.faults:
        place = fault.beside and _shown(drawing, fault.start, fault.lasts_until(drawing.history.end))
        if not place:
            continue
        y0, y1 = place
        ends = taken.setdefault(fault.host, [])
        column = next((i for i, end in enumerate(ends) if end < y0), len(ends))
        ends[column : column + 1] = [y1]
        side = drawing.outer.get(fault.host, 1)
        x = drawing.x[fault.host] + side * (SPAN_X + column * SPAN_STEP)
        drawing.line(x, y0, x, y1, color=style.FAULT, lw=1.4, zorder=2)
        for y, at in ((y0, fault.start), (y1, fault.lasts_until(drawing.history.end))):
            if drawing.scene.shows(at):
                drawing.line(x - side * 3, y, x, y, color=style.FAULT, lw=1.4, zorder=2)
        drawing.used.add("span")


def marks(drawing):
    """Crosses where a process dies, zigzags where a clock jumps."""
    for fault in drawing.scene.faults:
        if not drawing.scene.shows(fault.start):
            continue
        x, y = drawing.x[fault.host], drawing.time(fault.start)
        if fault.kind in ("crash", "kill-task"):
            drawing.cross(x, y, style.FAULT, 6)
            drawing.used.add("crash")
        elif fault.kind == "clock-jump":
            across, up = (-9, -6, -3, 0, 3, 6, 9), (0, -4, 4, -4, 4, -4, 0)
            drawing.ax.plot([x + dx for dx in across], [y + dy for dy in up], color=style.FAULT, lw=1.8, zorder=7)
            drawing.used.add("jump")
