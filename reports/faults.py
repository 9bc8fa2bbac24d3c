# SPDX-License-Identifier: Apache-2.0
"""The faults of a run and how a picture says them, with their amounts. Their words come with the history."""

import re
from dataclasses import dataclass, field

from durations import amount_text, duration_text


@dataclass
class FaultMark:
    host: str
    kind: str
    start: int
    end: int | None  # None: it does not heal
    amount: int | None  # microseconds; of a clock rate, billionths
    peer: str = ""
    number: int = 0  # in the scenario; 0: no fault of the scenario, but what a sentinel did
    words: dict = field(default_factory=dict)  # of its kind: action, mark, meanwhile, clocks

    @property
    def stands_still(self):
        return self.words.get("action") == "stand-still"

    @property
    def beside(self):
        """Whether it lasts and is something else than the host's own life."""
        return "meanwhile" in self.words and self.words["action"] not in ("stand-still", "take-down")

    def lasts_until(self, end):
        """When it is over, in a history that ends at `end`; None of what is over at once."""
        if self.end is not None:
            return self.end
        if self.stands_still or self.beside:
            timed = self.words["action"] != "set-rate" and self.amount
            return min(self.start + self.amount, end) if timed else end
        return None


def faults(history):
    marks, open_marks = [], {}
    for event in history.events:
        if event.what == "strike" and event.host:
            number = event.get("fault", 0)
            mark = FaultMark(event.host, event.get("word", "fault"), event.at, None, event.get("value"),
                             event.get("peer") or "", number, event.get("fault_words", {}))
            marks.append(mark)
            open_marks[(number, event.host)] = mark
        elif event.what == "heal":
            mark = open_marks.pop((event.get("fault", 0), event.host), None)
            if mark:
                mark.end = event.at
    return marks


def fill(words, amounts):
    """A template of harness/scenario/faults/fault_words.hpp: "[…]" is there only if its placeholders have values."""
    def put(text):
        return re.sub(r"\{(\w+)\}", lambda found: amounts.get(found[1], ""), text)

    def choose(found):
        complete = all(name in amounts for name in re.findall(r"\{(\w+)\}", found[1]))
        return put(found[1] if complete else found[2] or "")

    innermost = re.compile(r"\[([^][|]*)(?:\|([^][]*))?\]")
    while innermost.search(words):
        words = innermost.sub(choose, words)
    return put(words)


def fault_text(fault):
    """In words, with its amount; in two lines where one would be long."""
    amount, sign = abs(fault.amount or 0), "+" if (fault.amount or 0) > 0 else "−"
    percent = f"{amount / 10_000_000:.7f}".rstrip("0").rstrip(".")
    amounts = {"rate": f"{sign}{percent}", "jump": f"{sign}{amount_text(amount)}"}
    if fault.amount:
        amounts["time"] = amount_text(fault.amount)
    if fault.peer:
        amounts["peer"] = fault.peer
    silent = fault.kind == "failover" and not fault.number and fault.amount  # a sentinel's
    by_itself = "becomes a replica" if fault.kind == "demotion" else fault.kind
    text = fill(fault.words["mark"], amounts) if fault.words else by_itself
    return text + (f",\nsilent for {duration_text(fault.amount)}" if silent else "")
