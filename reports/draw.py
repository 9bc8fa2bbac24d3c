# SPDX-License-Identifier: Apache-2.0
"""Draws a scene as a space-time diagram: a lane for each host, time running down, messages as arrows between lanes."""

import math

from matplotlib.patches import FancyArrowPatch, Polygon, Rectangle

import draw_faults
import keys
import model
import style
from durations import duration_text
from layout import Placer, fitted, lane_order, nice_step, spread, text_width
from style import LABEL, SMALL, client_style

TIME_X, REMARK_WIDTH, BRACKET_WIDTH, MARGIN = 60.0, 112.0, 84.0, 14.0
BAR, KEY_BAR, LINE = 10.0, 6.0, 9.4
NEXT = 13.0  # from a lane to the words beside it


class Drawing:
    """One scene on one pair of axes whose unit is the point, from `top` downwards."""

    def __init__(self, axes, scene, left, width, top, height):
        self.ax, self.scene, self.top = axes, scene, top
        self.history = scene.history
        self.time = scene.axis(top + 30, height - 36)
        self.bottom = self.time.y[-1]
        self.left, self.right = left, left + width
        lanes = lane_order(self.history)
        first = left + MARGIN + TIME_X + REMARK_WIDTH
        last = self.right - MARGIN - BRACKET_WIDTH - REMARK_WIDTH
        step = (last - first) / max(1, len(lanes) - 1)
        self.x = {host: first + i * step for i, host in enumerate(lanes)}
        self.gap = step if len(lanes) > 1 else last - first
        self.outer = {lanes[0]: -1, lanes[-1]: 1}  # lanes with room for words on one side
        self.placer = Placer()
        self.bands = [(self.time(o.start), self.time(o.end)) for o in scene.overlaps]
        self.used = set()  # what the legend explains

    def draw(self):
        self._overlaps()
        draw_faults.standstills(self)
        self._lanes()
        draw_faults.downtimes(self)
        draw_faults.spans(self)
        self._key_lives()
        self._holds()
        self._messages()
        self._accesses()
        self._key_ends()
        self._remarks()
        draw_faults.marks(self)
        self._times()

    # -- small parts

    def box(self, x, y, width, height, **kind):
        self.ax.add_patch(Rectangle((x, y), width, height, **kind))

    def line(self, x0, y0, x1, y1, **kind):
        self.ax.plot([x0, x1], [y0, y1], solid_capstyle="butt", **kind)

    def words(self, x, y, text, size=LABEL, color=style.INK, background=True, **kind):
        box = {"facecolor": self._ground(x, y), "edgecolor": "none", "alpha": 0.85, "pad": 0.5} if background else None
        kind = {"ha": "left", "va": "center", "zorder": 8, **kind}
        self.ax.text(x, y, text, fontsize=size, color=color, bbox=box, linespacing=1.05, **kind)

    def _ground(self, x, y):
        """The colour that lies behind everything at a point."""
        inside = min(self.x.values()) - 12 < x < max(self.x.values()) + 12
        return style.VIOLATION_FILL if inside and any(y0 < y < y1 for y0, y1 in self.bands) else "white"

    def cross(self, x, y, color, size=4.5):
        for sign in (-1, 1):
            self.line(x - size, y - sign * size, x + size, y + sign * size, color=color, lw=1.8, zorder=7)

    # -- layers, from the back to the front

    def _overlaps(self):
        shown = [o for o in self.scene.overlaps if o.start < self.scene.window[1] and o.end > self.scene.window[0]]
        left, right = min(self.x.values()) - 12, max(self.x.values()) + 12
        edge = self.right - MARGIN - BRACKET_WIDTH + 8
        wanted = []
        for overlap in shown:
            y0, y1 = (self.time(self.scene.clip(at)) for at in (overlap.start, overlap.end))
            self.box(left, y0, right - left, y1 - y0, fc=style.VIOLATION_FILL, ec="none", zorder=0.5)
            for y in (y0, y1):
                self.line(left, y, edge, y, color=style.VIOLATION, lw=0.8, ls=(0, (4, 2)), zorder=0.6)
            self.line(edge, y0, edge, y1, color=style.VIOLATION, lw=2, zorder=2)
            wanted.append((y0 + y1) / 2)
            self.used.add("overlap")
        for overlap, y in zip(shown, spread(wanted, 2 * LINE + 3, self.top, self.bottom)):
            text = f"both inside:\n{duration_text(overlap.end - overlap.start)}"
            self.words(edge + 5, y, text, 8.6, style.VIOLATION, False, weight="bold")

    def _lanes(self):
        names = {host: text_width(host, 10, "bold") for host in self.x}
        size = 10 * min(1.0, (self.gap - 8) / max(names.values()))
        crashed = {f.host: self.time(f.start) for f in self.scene.faults
                   if f.kind == "crash" and self.scene.shows(f.start)}
        for host, x in self.x.items():
            colour = client_style(self.history, host)[0]
            self.words(x, self.top + 8, host, size, colour, False, ha="center", weight="bold")
            stop = crashed.get(host, self.bottom)
            self.line(x, self.top + 18, x, stop, color=style.LANE, lw=1.0, zorder=1.5)
            if host in crashed:
                self.line(x, stop, x, self.bottom, color=style.FAINT, lw=1.0, ls=(0, (2, 4)), zorder=1.5)

    def _key_lives(self):
        for life in self.scene.lives:
            for start, end in keys.reachable(life, self.scene.downs):
                if start > self.scene.window[1] or end < self.scene.window[0]:
                    continue
                self._key_bar(life, self.time(self.scene.clip(start)), self.time(self.scene.clip(end)))

    def _key_bar(self, life, y0, y1):
        colour, hatch = client_style(self.history, life.owner)
        x = self.x[life.server]
        place = (x - KEY_BAR / 2, y0, KEY_BAR, y1 - y0)
        self.box(*place, fc="white", ec=colour, lw=1.1, zorder=3)
        self.box(*place, fc=colour, ec="white", lw=0, alpha=0.45, hatch=hatch, zorder=3)
        self.placer.block((x - KEY_BAR, y0, x + KEY_BAR, y1))
        self.used.add("key")

    def _holds(self):
        for hold in self.scene.holds:
            if hold.enter > self.scene.window[1] or hold.exit < self.scene.window[0]:
                continue
            colour, hatch = client_style(self.history, hold.client)
            x = self.x[hold.client] - BAR / 2
            late = hold.deadline if hold.outlived else hold.exit
            y0, y1, y2 = (self.time(self.scene.clip(at)) for at in (hold.enter, max(late, hold.enter), hold.exit))
            self.box(x, y0, BAR, y1 - y0, fc=colour, ec="white", lw=0, hatch=hatch, zorder=4)
            self.box(x, y1, BAR, y2 - y1, fc="white", ec=colour, lw=0, hatch="xxxx", zorder=4)
            self.box(x, y0, BAR, y2 - y0, fc="none", ec=colour, lw=1.2, zorder=4.1)
            self.placer.block((x, y0, x + BAR, y2))
            self.used.add("hold")
            if late < hold.exit:
                self.used.add("late")
                diamond = [(x - 3, y1), (x + BAR / 2, y1 - 4), (x + BAR + 3, y1), (x + BAR / 2, y1 + 4)]
                self.ax.add_patch(Polygon(diamond, fc="white", ec=style.VIOLATION, lw=1.3, zorder=6))

    def _messages(self):
        shown = self.scene.shown_messages()
        self._folded([m for m in shown if m.folded])
        plain = [m for m in shown if not m.folded]
        for message in plain:
            self._arrows(message)
        gathers = model.gathers(plain)  # the same command to several servers: words once, on the longest arrow
        for gather in gathers:
            self._label_request(max(gather, key=lambda m: abs(self.x[m.server] - self.x[m.client])))
        for gather in gathers:
            for message in gather:
                self._label_reply(message, len(gather) > 1)

    def _folded(self, messages):
        last = {}
        for message in messages:
            times = [at for at in (message.sent, *message.executed[:1], message.refused, message.received)
                     if at is not None]
            y = self.time(times[0])
            if len(times) < 2 or y - last.get(message.client, -9) < 2.0:
                continue
            last[message.client] = y
            self.line(self.x[message.client], y, self.x[message.server], self.time(times[1]), color=style.FAINT,
                       lw=0.5, alpha=0.7, zorder=2)
            self.used.add("folded")

    def _edge(self, host, towards):
        """Where an arrow touches a lane: at its line, or at the bar that may be there."""
        kind = self.history.kind(host)
        away = BAR / 2 if kind == "client" else KEY_BAR / 2 if kind == "server" else 0
        return self.x[host] + math.copysign(away, self.x[towards] - self.x[host])

    def _arrow(self, start, end, ends, soft, broken=False, reach=0.55):
        x0, x1 = self._edge(start, end), self._edge(end, start)
        y0, y1 = self.time(ends[0]), self.time(ends[1])
        colour = style.SOFT if soft else style.INK
        if broken:
            x1, y1 = x0 + (x1 - x0) * reach, y0 + max((y1 - y0) * reach, 5)
        self.placer.lines.append((x0, y0, x1, y1))
        if broken:
            self.line(x0, y0, x1, y1, color=style.FAULT, lw=1.0, ls=(0, (3, 2)), zorder=5)
            self.cross(x1, y1, style.FAULT, 3.5)
            self.used.add("lost")
            return
        self.ax.add_patch(FancyArrowPatch(
            (x0, y0), (x1, y1), arrowstyle="-|>", mutation_scale=6 if soft else 8, shrinkA=0, shrinkB=0,
            lw=0.6 if soft else 1.0, color=colour, ls=(0, (4, 2)) if soft else "-", zorder=5))

    def _arrows(self, m):
        lost = m.dropped and m.dropped[1]
        for executed in m.executed:
            if m.sent is not None and self.scene.shows(executed):
                self._arrow(m.client, m.server, (m.sent, max(executed, m.sent)), False)
        if m.refused is not None and m.sent is not None:
            self._arrow(m.client, m.server, (m.sent, m.refused), False, True, 1.0)
        if lost and (m.sent is not None or m.executed):
            request = lost == "request" or not m.executed
            self._arrow(*((m.client, m.server) if request else (m.server, m.client)),
                        (m.sent if request else m.executed[-1], m.dropped[0]), not request, True)
        if m.executed and m.received is not None and self.scene.shows(m.received):
            self._arrow(m.server, m.client, (min(m.executed[0], m.received), m.received), True)
            self.used.add("message")

    def _label_request(self, m):
        if m.sent is not None and self.scene.shows(m.sent):
            arrive = m.executed[0] if m.executed else m.refused or m.sent
            self._along(m.client, m.server, m.sent, arrive, self._request_words(m), LABEL, style.INK,
                        (0.5, 0.6, 0.4, 0.7, 0.3))

    def _label_reply(self, m, gathered):
        if not m.executed or m.received is None or not m.reply or not self.scene.shows(m.received):
            return
        version = self.history.kind(m.server) == "resource" and m.reply.isdigit()
        text = ("v" if version else "") + m.reply + (" (too late)" if m.discarded else "")
        places = (0.0, 0.3) if gathered else (0.82, 0.7, 0.55, 0.4)
        self._along(m.server, m.client, m.executed[0], m.received, text, SMALL, style.SOFT, places, optional=True)

    def _request_words(self, m):
        words = m.text.split(" ")
        if self.history.kind(m.server) == "resource" and words[0] == "WRITE" and len(words) == 2:
            return f"WRITE on v{words[1]}"
        return m.text

    def _along(self, start, end, t0, t1, text, size, colour, places, optional=False):
        """Words on an arrow, turned with it, where they disturb least."""
        x0, x1, y0, y1 = self.x[start], self.x[end], self.time(t0), self.time(t1)
        text = fitted(text, size, max(abs(x1 - x0) - 18, 90))
        width = text_width(text, size)
        slope = (y1 - y0) / (x1 - x0) if x1 != x0 else 0
        candidates, anchors = [], []
        for part in places:
            low, high = sorted((x0, x1))
            x = min(max(x0 + (x1 - x0) * part, low + width / 2 + 9), high - width / 2 - 9)
            if width > high - low - 18:
                x = (low + high) / 2
            y = y0 + (x - x0) * slope - 1.6
            rise = abs(slope) * width / 2
            anchors.append((x, y))
            candidates.append((x - width / 2, y - size * 0.95 - rise, x + width / 2, y - 0.2 + rise))
        rank, covered = self.placer.best(candidates)
        if optional and covered > 4:
            return
        self.placer.block(candidates[rank])
        self.words(*anchors[rank], text, size, colour, True, ha="center", va="bottom", rotation_mode="anchor",
                    rotation=-math.degrees(math.atan(slope)))

    def _accesses(self):
        for access in self.scene.accesses:
            if not access.write or not self.scene.shows(access.at):
                continue
            x, y = self.x[access.host], self.time(access.at)
            colour = style.VIOLATION if access.lost_update else client_style(self.history, access.client)[0]
            self.line(x - 7, y, x + 7, y, color=colour, lw=3, zorder=6)
            self.used.add("write")
            text = f"v{access.version}"
            if access.lost_update:
                text = f"lost update:\nv{access.version} on v{access.base}"
                self.cross(x, y, style.VIOLATION)
            self._beside(access.host, y, text, colour, self.x[access.client] < x, access.lost_update)

    def _beside(self, host, y, text, colour, right_first, strong=False):
        """Words next to a lane in the middle: on the side away from the arrow, if there is room."""
        lines = text.split("\n")
        weight = "bold" if strong else "normal"
        width = max(text_width(line, LABEL, weight) for line in lines)
        height, x = len(lines) * LINE, self.x[host]
        places = []
        for shift in (0, -5, 5, -10, 10, 16, -16):
            for side in (1, -1) if right_first else (-1, 1):
                places.append((side, y + shift))
        lefts = {1: x + NEXT, -1: x - NEXT - width}
        boxes = [(lefts[side], at - height / 2, lefts[side] + width, at + height / 2) for side, at in places]
        rank, _ = self.placer.best(boxes)
        side, at = places[rank]
        self.placer.block(boxes[rank])
        self.words(x + NEXT * side, at, text, LABEL, colour, ha="left" if side > 0 else "right", weight=weight)

    def _remarks(self):
        by_host = {}
        for host, at, text, bad in sorted(self.scene.remarks(), key=lambda r: r[1]):
            merged = by_host.setdefault(host, [])
            both = f"{merged[-1][1]}, {text}" if merged else text
            near = merged and self.time(at) - merged[-1][0] < 1.0
            if near and "\n" not in both and text_width(both, LABEL) < REMARK_WIDTH - 32:
                merged[-1] = (merged[-1][0], both, merged[-1][2] or bad)
            else:
                merged.append((self.time(at), text, bad))
        for host, remarks in by_host.items():
            if host in self.outer:
                self._outer_remarks(host, self.outer[host], remarks)
            else:
                for y, text, bad in remarks:
                    self._beside(host, y, text, style.VIOLATION if bad else style.INK, True)

    def _key_ends(self):
        for life in self.scene.lives:
            x, y = self.x[life.server], self.time(self.scene.clip(life.end))
            if not self.scene.shows(life.end):
                continue
            if any(d.server == life.server and d.start < life.end <= d.end for d in self.scene.downs):
                continue  # it would be invisible
            if life.ended in ("expired", "evicted", "flushed", "lost"):
                self.line(x - 8, y, x + 8, y, color=client_style(self.history, life.owner)[0], lw=2, zorder=6)
                self._beside(life.server, y, f"{life.key} {life.ended}", style.INK, True)
            elif life.ended == "deleted" and life.ended_by != life.owner:
                self.cross(x, y, style.VIOLATION)
                right = self.x[life.ended_by] < x if life.ended_by in self.x else True
                self._beside(life.server, y, f"{life.owner}'s {life.key}\ndeleted", style.VIOLATION, right, True)

    def _outer_remarks(self, host, side, remarks):
        edge = self.x[host] + side * 17
        flat = []  # one entry for each line, so that `spread` sees them all
        for y, text, bad in remarks:
            flat += [(y + (i - text.count("\n") / 2) * LINE, line, bad) for i, line in enumerate(text.split("\n"))]
        places = spread([y for y, _, _ in flat], LINE, self.top + 18, self.bottom + 8)
        for (y, line, bad), at in zip(flat, places):
            colour = style.VIOLATION if bad else style.INK
            line = fitted(line, LABEL, REMARK_WIDTH - 32)
            self.words(edge + side * 5, at, line, LABEL, colour, ha="left" if side > 0 else "right")
            if abs(at - y) > 3:
                self.line(self.x[host] + side * 7, y, edge + side * 3, at, color=style.FAINT, lw=0.6, zorder=2)

    def _times(self):
        x = self.left + MARGIN + TIME_X
        self.line(x, self.time.y[0], x, self.bottom, color=style.SOFT, lw=0.8, zorder=2)
        first, last = self.scene.window
        self.tick = nice_step(max(1, last - first), 45)
        for at in range(-(-first // self.tick) * self.tick, last + 1, self.tick):
            self.line(x - 3, self.time(at), x, self.time(at), color=style.SOFT, lw=0.6, zorder=2)
        wanted = [h.enter for h in self.scene.holds] + [h.exit for h in self.scene.holds]
        wanted += [f.start for f in self.scene.faults] + [f.end for f in self.scene.faults]
        wanted += [down.end for down in self.scene.downs]
        wanted += [h.deadline for h in self.scene.holds if h.outlived]
        wanted += [life.end for life in self.scene.lives] + [a.at for a in self.scene.accesses if a.write]
        wanted += [m.sent for m in self.scene.shown_messages() if not m.folded]
        taken = []
        for at in [first, last, *wanted]:
            if not self.scene.shows(at) or any(abs(self.time(at) - y) < 9.2 for y in taken):
                continue
            y = self.time(at)
            taken.append(y)
            self.line(x, y, x + 4, y, color=style.INK, lw=0.8, zorder=2)
            self.words(x - 6, y, f"{at / 1e6:.3f} s", SMALL, style.SOFT, False, ha="right")
