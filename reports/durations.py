# SPDX-License-Identifier: Apache-2.0
"""Durations as a person writes them."""


def duration_text(microseconds):
    """A duration as a person writes it, in three digits: 12 s, 3.18 s, 250 ms, 90 µs."""
    for unit, size in (("s", 1_000_000), ("ms", 1000)):
        if abs(microseconds) >= size:
            amount = microseconds / size
            return f"{amount:.0f} {unit}" if abs(amount) >= 99.95 else f"{amount:.3g} {unit}"
    return f"{microseconds} µs"


def amount_text(microseconds):
    """A duration as the scenario states it, exactly: 10.05 s, 15 s, 250 ms."""
    unit, size = next(((unit, size) for unit, size in (("s", 1_000_000), ("ms", 1000))
                       if abs(microseconds) >= size), ("µs", 1))
    return f"{microseconds / size:.6f}".rstrip("0").rstrip(".") + f" {unit}"


def seconds_text(microseconds):
    """As traces and verdicts write an instant: 10.050 s."""
    whole, rest = divmod(abs(microseconds), 1_000_000)
    return f"{'-' if microseconds < 0 else ''}{whole}.{rest // 1000:03} s"
