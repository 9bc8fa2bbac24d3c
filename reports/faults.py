# SPDX-License-Identifier: Apache-2.0
"""The faults of a run and how a picture says them, with their amounts."""

from dataclasses import dataclass

from durations import amount_text, duration_text

STANDS_STILL = ("pause", "suspend")
LASTING = ("partition", "replication-stall", "clock-rate", "client-pause")  # something else than the host's own life


@dataclass
class FaultMark:
    host: str
    kind: str
    start: int
    end: int | None  # None: it does not heal
    amount: int | None  # microseconds; of a clock rate, billionths
    peer: str = ""
    number: int = 0  # in the scenario; 0: no fault of the scenario, but what a sentinel did

    def lasts_until(self, end):
        """When it is over, in a history that ends at `end`; None of what is over at once."""
        if self.end is not None:
            return self.end
        if self.kind in STANDS_STILL + LASTING:
            timed = self.kind != "clock-rate" and self.amount
            return min(self.start + self.amount, end) if timed else end
        return None


def faults(history):
    marks, open_marks = [], {}
    for event in history.events:
        if event.what == "strike" and event.host:
            number = event.get("fault", 0)
            mark = FaultMark(event.host, event.get("word", "fault"), event.at, None, event.get("value"),
                             event.get("peer") or "", number)
            marks.append(mark)
            open_marks[(number, event.host)] = mark
        elif event.what == "heal":
            mark = open_marks.pop((event.get("fault", 0), event.host), None)
            if mark:
                mark.end = event.at
    return marks


def fault_text(fault):
    """In words, with its amount; in two lines where one would be long."""
    amount = amount_text(fault.amount or 0)
    timed = f" for {amount}" if fault.amount else ""
    sign = "+" if (fault.amount or 0) > 0 else "−"
    if fault.kind == "clock-rate":
        percent = f"{abs(fault.amount or 0) / 10_000_000:.7f}".rstrip("0").rstrip(".")
        return f"clocks {sign}{percent} %"
    if fault.kind == "failover":
        by = f",\nsilent for {duration_text(fault.amount)}" if not fault.number and fault.amount else ""
        return f"failover to {fault.peer}{by}" if fault.peer else "failover"
    if fault.kind == "partition":
        whole = f"cut off from {fault.peer}{timed}" if fault.peer else f"cut off{timed}"
        return whole.replace(" for ", "\nfor ") if fault.peer else whole
    return {
        "pause": f"paused{timed}",
        "suspend": f"suspended{timed}",
        "crash": "crashes",
        "kill-task": "worker dies",
        "half-open": "message lost",
        "delay": f"message delayed\nby {amount}",
        "resend": f"reply lost, sent\nagain after {amount}",
        "retry": "timed out,\nsent again",
        "break-connection": "connection breaks",
        "pool-switch": "another connection",
        "clock-jump": f"clock {sign}{amount_text(abs(fault.amount or 0))}",
        "restart": f"restarts,\ndown{timed}",
        "power-cut": f"loses power,\ndown{timed}",
        "demotion": "becomes a replica",
        "replication-stall": f"replication stalls\n{timed.strip()}",
        "evict": "evicts the key",
        "flush": "is flushed",
        "script-flush": "forgets its scripts",
        "client-pause": f"clients paused\n{timed.strip()}",
    }.get(fault.kind, f"{fault.kind}{timed}")
