# SPDX-License-Identifier: Apache-2.0
"""Two runs of one scenario beside each other: which events are in both, and where they differ, in words."""

import difflib

from durations import seconds_text
from event_text import verb
from history import reply_text

LISTED = 8  # differences that are named one by one


def compare(key, label, first, second):
    """What the page is told of two PageRuns."""
    pairs = _pairs(first, second)
    unlike = [pair for pair in pairs if _reply(first, pair[0]) != _reply(second, pair[1])]
    return {"key": key, "label": label, "runs": [first.key, second.key], "pairs": pairs, "unlike": unlike,
            "says": [*_verdicts(first, second), *_events(first, second, pairs), *_replies(first, second, unlike)]}


def _pairs(first, second):
    """(step of the first, step of the second) of the events that are in both, in order."""
    matcher = difflib.SequenceMatcher(None, _signatures(first), _signatures(second), autojunk=False)
    return [[block.a + i, block.b + i] for block in matcher.get_matching_blocks() for i in range(block.size)]


def _signatures(page_run):
    return [_signature(page_run, i) for i in range(len(page_run.steps))]


def _signature(page_run, i):
    """What an event is, apart from when it was, what was drawn at random, and what was answered."""
    event, step = page_run.event(i), page_run.steps[i]
    if step["kind"] == "time":
        return step["host"], step["kind"], step["text"]
    if step["kind"] == "fold":
        return step["host"], step["kind"]
    return step["host"], step["kind"], event.get("peer"), verb(event), event.get("word")


def _reply(page_run, i):
    event = page_run.event(i)
    return None if event.get("reply") is None else reply_text(event.get("reply"))


def _verdicts(first, second):
    theirs = {one["property"]: one for one in second.verdicts}
    found = []
    for one in first.verdicts:
        other = theirs.get(one["property"], one)
        said, answered = (f"{entry['name']} {entry['verdict']}" for entry in (one, other))
        if said != answered:
            found.append(f"{one['property']}: {said} in the {first.label} run, {answered} in the {second.label} one.")
    return found or ["Every property has the same verdict in both."]


def _events(first, second, pairs):
    found = [f"{len(pairs)} of the events that are shown are in both, in this order."]
    for which, page_run in enumerate((first, second)):
        alone = sorted(set(range(len(page_run.steps))) - {pair[which] for pair in pairs})
        if alone:
            are = "1 is" if len(alone) == 1 else f"{len(alone)} are"
            found.append(f"{are} in the {page_run.label} run only, marked +: {_listed(page_run, alone)}.")
    apart = max((abs(first.steps[a]["at"] - second.steps[b]["at"]) for a, b in pairs), default=0)
    return [*found, f"What is in both is at most {seconds_text(apart)} apart."]


def _replies(first, second, unlike):
    return [f"{first.host_names[first.steps[a]['host']]} {first.steps[a]['text']} in the {first.label} run, "
            f"{_reply(second, b)} in the {second.label} one." for a, b in unlike[:LISTED]]


def _listed(page_run, numbers):
    said = [f"{page_run.host_names[page_run.steps[i]['host']]} {page_run.steps[i]['text']} "
            f"({seconds_text(page_run.steps[i]['at'])})" for i in numbers[:LISTED]]
    return "; ".join(said) + (f"; and {len(numbers) - LISTED} more" if len(numbers) > LISTED else "")
