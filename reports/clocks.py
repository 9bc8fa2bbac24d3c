# SPDX-License-Identifier: Apache-2.0
"""What hosts' clocks show between their events, so that a lease ends where its own host's clock says so.

Each event carries its host's clocks. Between two events a clock runs evenly from what it showed to what it shows; after
the last one it goes on at the rate that it had. A jump is an instant at which it shows two things.
"""

import bisect
from dataclasses import dataclass

PPB = 1_000_000_000
CLOCKS = ("wall", "mono", "boot")


@dataclass(frozen=True)
class Point:
    """A host's clocks at one of its events, in microseconds: before it, after it, and how fast they run from there."""

    before: dict
    after: dict
    ppb: dict  # faster than world time, in billionths


class HostClocks:
    def __init__(self, history):
        self._times, self._points, known = {}, {}, {}
        for event in history.events:
            if event.host is None:
                continue
            host = known.setdefault(event.host, _Host(history.world == "simulated"))
            self._points.setdefault(event.host, []).append(host.see(event))
            self._times.setdefault(event.host, []).append(event.at)

    def reached(self, host, clock, since, reading):
        """The first instant, from `since` on, at which the clock shows `reading`; None if it never does."""
        if clock == "wall":
            reading = -(-reading // 1000) * 1000  # it is read in whole milliseconds
        times, points = self._times[host], self._points[host]
        first = max(bisect.bisect_right(times, since) - 1, 0)
        for i in range(first, len(points)):
            at, shown = times[i], points[i].after[clock]
            if shown >= reading:
                return max(at, since)
            if i + 1 < len(points):
                ends = points[i + 1].before[clock]
                if ends >= reading:
                    return max(at + -(-(reading - shown) * (times[i + 1] - at) // (ends - shown)), since)
        speed = PPB + points[-1].ppb[clock]
        return max(times[-1] + -(-(reading - shown) * PPB // speed), since) if speed > 0 else None


class _Host:
    """Sees a host's events in order."""

    def __init__(self, simulated):
        self._simulated = simulated  # then a wall clock is whole milliseconds ahead of the boot-time one
        self._ahead, self._rate, self._suspended = None, 0, False

    def see(self, event):
        mono, boot = event.reading("mono"), event.reading("boot")
        kind, strikes = event.get("word"), event.what == "strike"
        jumps = strikes and kind == "clock-jump"
        # A jump may be stamped before it or after it, so that what was known is better.
        known = jumps and self._ahead is not None
        before = self._ahead if known else self._wall_ahead(event.reading("wall") - boot)
        self._ahead = before + event.get("value", 0) if jumps else before
        if kind == "clock-rate" and event.what in ("strike", "heal"):
            self._rate = event.get("value", 0) if strikes else 0
        if kind == "suspend" and event.what in ("strike", "heal"):
            self._suspended = strikes
        ppb = {clock: -PPB if self._suspended and clock == "mono" else self._rate for clock in CLOCKS}
        return Point({"wall": boot + before, "mono": mono, "boot": boot},
                     {"wall": boot + self._ahead, "mono": mono, "boot": boot}, ppb)

    def _wall_ahead(self, seen):
        """How far the wall clock is ahead of the boot-time one. Read in whole milliseconds, it is ahead by what is
        seen, or by up to a millisecond more."""
        if self._simulated:
            seen = (seen + 999) // 1000 * 1000
        return self._ahead if self._ahead is not None and 0 < self._ahead - seen < 1000 else seen
