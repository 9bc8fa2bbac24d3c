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
        self._ahead, self._rate, self._stops = None, 0, False

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
        if event.fault("clocks") == "monotonic":
            self._stops = strikes
        ppb = {clock: -PPB if self._stops and clock == "mono" else self._rate for clock in CLOCKS}
        return Point({"wall": boot + before, "mono": mono, "boot": boot},
                     {"wall": boot + self._ahead, "mono": mono, "boot": boot}, ppb)

    def _wall_ahead(self, seen):
        """How far the wall clock is ahead of the boot-time one. Read in whole milliseconds, it is ahead by what is
        seen, or by up to a millisecond more."""
        if self._simulated:
            seen = (seen + 999) // 1000 * 1000
        return self._ahead if self._ahead is not None and 0 < self._ahead - seen < 1000 else seen


class ClocksNow:
    """What each host's clocks show at an instant at which only another host has an event: between two of its events
    they run with world time, but for the jumps and rates in the history. The rules are those of the checkers
    (harness/check/host_clocks.cpp)."""

    def __init__(self, history):
        self._simulated, self._last = history.world != "real", {}
        for event in history.events:  # before a host's first event its clocks are taken to have run with world time
            if event.host is not None and event.host not in self._last:
                mono, boot = event.reading("mono"), event.reading("boot")
                self._last[event.host] = _Last(event.at, mono, boot, self._ahead(event))

    def see(self, event):
        """Call for each event, in order."""
        if event.host is None:
            return
        last, ahead = self._last[event.host], self._ahead(event)
        known = (ahead if last.ahead is None else last.ahead) + last.jump
        last.ahead, last.jump = known if 0 < known - ahead < 1000 else ahead, 0
        word, strikes = event.get("word"), event.what == "strike"
        changes = strikes or event.what == "heal"
        sets_rate, stops = changes and word == "clock-rate", event.fault("clocks") == "monotonic"
        if not self._simulated or last.rate == 0 or sets_rate or stops:
            last.at, last.mono, last.boot = event.at, event.reading("mono"), event.reading("boot")
        if strikes and word == "clock-jump":
            last.jump = event.get("value", 0)
        if sets_rate:
            last.rate = event.get("value", 0) if strikes else 0
        if stops:
            last.stops += 1 if strikes else -1

    def _ahead(self, event):
        """How far the wall clock is ahead of the boot-time one."""
        seen = event.reading("wall") - event.reading("boot")
        return (seen + 999) // 1000 * 1000 if self._simulated else seen

    def now(self, host, clock, at):
        """In microseconds, finer than the host itself can read its wall clock."""
        last = self._last.get(host, _Last())
        elapsed = at - last.at
        extra = elapsed * abs(last.rate) // PPB
        since = elapsed + (extra if last.rate >= 0 else -extra)
        if clock == "mono":
            return last.mono + (0 if last.stops else since)
        return last.boot + since + (((last.ahead or 0) + last.jump) if clock == "wall" else 0)

    def shown(self, host, clock, at):
        """What the host reads: its wall clock in whole milliseconds."""
        now = self.now(host, clock, at)
        return now // 1000 * 1000 if clock == "wall" else now


@dataclass
class _Last:
    """The last instant at which a host's clocks are known."""

    at: int = 0
    mono: int = 0
    boot: int = 0
    ahead: int | None = None  # of the boot-time clock, by the wall clock
    jump: int = 0  # since then
    rate: int = 0  # against world time, in billionths
    stops: int = 0  # faults that stop its monotonic clock now
