# SPDX-License-Identifier: Apache-2.0
"""Where things go: the time axis that gives room where much happens, and words that keep clear of each other.

All lengths are points (1/72 inch), y grows downwards.
"""

import bisect
import functools
import itertools

from matplotlib.font_manager import FontProperties
from matplotlib.textpath import text_to_path

BASE_GAP = 2.2  # between two instants at which something happens
POWER = 0.6  # of a stretch's duration: long ones stay visibly longer and still leave room for the short ones


class TimeAxis:
    """Maps time to y, monotonically. Each pair in `needs` (start, end, points) gets at least its room."""

    def __init__(self, instants, needs, top, height):
        self.times = sorted(set(instants))
        if len(self.times) < 2:
            self.times = [self.times[0] if self.times else 0, (self.times[0] if self.times else 0) + 1_000_000]
        position = {at: i for i, at in enumerate(self.times)}
        self._needs = [[] for _ in self.times]
        for start, end, room in needs:
            if start < end and start in position and end in position:
                self._needs[position[end]].append((position[start], room))
        self.least_height = self._positions(0.0)[-1]
        self.height = max(height, self.least_height)
        self.y = [top + y for y in self._positions(self._scale())]

    def _positions(self, scale):
        y = [0.0]
        for i in range(1, len(self.times)):
            passed = (self.times[i] - self.times[i - 1]) / 1000
            here = y[-1] + BASE_GAP + scale * passed**POWER
            y.append(max([here, *(y[j] + room for j, room in self._needs[i])]))
        return y

    def _scale(self):
        low, high = 0.0, 1.0
        while self._positions(high)[-1] < self.height:
            high *= 2
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (low, middle) if self._positions(middle)[-1] > self.height else (middle, high)
        return low

    def __call__(self, at):
        i = bisect.bisect_right(self.times, at) - 1
        if i < 0:
            return self.y[0]
        if i >= len(self.times) - 1:
            return self.y[-1]
        part = (at - self.times[i]) / (self.times[i + 1] - self.times[i])
        return self.y[i] + part * (self.y[i + 1] - self.y[i])


@functools.lru_cache(maxsize=None)
def text_width(text, size, weight="normal"):
    prop = FontProperties(family="DejaVu Sans", size=size, weight=weight)
    return text_to_path.get_text_width_height_descent(text, prop, ismath=False)[0]


def fitted(text, size, width, weight="normal"):
    """The text, shortened until it fits."""
    while text_width(text, size, weight) > width and len(text) > 4:
        text = text[:-2].rstrip(" …") + "…"
    return text


def spread(wanted, gap, low, high):
    """Positions as near to the wanted ones as the gap between them allows, in the same order, within bounds.

    `wanted` is sorted. Neighbours that would touch form a block, which moves as one to the mean of its wishes.
    """
    blocks = []  # (sum of wished starts, count)
    for i, y in enumerate(wanted):
        blocks.append([y, 1])
        while len(blocks) > 1 and blocks[-2][0] / blocks[-2][1] + blocks[-2][1] * gap > blocks[-1][0] / blocks[-1][1]:
            total, count = blocks.pop()
            blocks[-1][0] += total - count * blocks[-1][1] * gap
            blocks[-1][1] += count
    placed = []
    for total, count in blocks:
        start = total / count
        if placed:
            start = max(start, placed[-1] + gap)
        start = max(low, min(start, high - (count - 1) * gap))
        placed += [start + i * gap for i in range(count)]
    return placed


class Placer:
    """Keeps the boxes that are taken, and finds the candidate that disturbs least."""

    def __init__(self):
        self.boxes = []  # (x0, y0, x1, y1)
        self.lines = []  # (x0, y0, x1, y1)

    def block(self, box):
        self.boxes.append(box)

    def overlap(self, box):
        """The area of a box that others cover already."""
        covered = 0.0
        for other in self.boxes:
            width = min(box[2], other[2]) - max(box[0], other[0])
            height = min(box[3], other[3]) - max(box[1], other[1])
            if width > 0 and height > 0:
                covered += width * height
        return covered

    def best(self, candidates):
        """The index of the best of some boxes, earlier ones preferred, and the area of words that it covers."""
        costs = []
        for rank, box in enumerate(candidates):
            crossed = sum(_crosses(line, box) for line in self.lines)
            costs.append((self.overlap(box) * 10 + crossed * 6 + rank * 2, rank))
        cost, rank = min(costs)
        return rank, self.overlap(candidates[rank])


def _crosses(line, box):
    """Whether a line passes through a box: looked at in 12 places, which is enough for words."""
    x0, y0, x1, y1 = line
    for i in range(13):
        x, y = x0 + (x1 - x0) * i / 12, y0 + (y1 - y0) * i / 12
        if box[0] < x < box[2] and box[1] < y < box[3]:
            return True
    return False


def lane_order(history):
    """Hosts from left to right: servers and resources in the middle, so that few arrows cross other lanes."""
    clients = [host for host in history.hosts if history.kind(host) == "client"]
    middle = [host for host in history.hosts if history.kind(host) == "server"]
    middle += [host for host in history.hosts if history.kind(host) == "resource"]
    half = (len(clients) + 1) // 2
    return list(itertools.chain(clients[:half], middle, clients[half:]))


def nice_step(span, count_max):
    """A round duration in microseconds of which at most `count_max` fit into the span."""
    for exponent in range(0, 12):
        for factor in (1, 2, 5):
            step = factor * 10**exponent
            if span / step <= count_max:
                return step
    return span
