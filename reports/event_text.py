# SPDX-License-Identifier: Apache-2.0
"""What an event is, in the words of the trace (harness/report/trace.cpp). An event without words is no step."""

from durations import amount_text, seconds_text
from faults import FaultMark, fault_text
from history import command_text, reply_text

CHANGES = {"acquired": "set {}", "released": "{} deleted", "expired": "{} has expired", "evicted": "{} lost",
           "changed": "{} changed"}
RELEASED = {"yes": "released", "not-ours": "release: the lock is not its own any more", "skipped": "releases nothing"}
OF_ANOTHER_LOCK = {"seek": "wants", "enter": "ENTERS", "exit": "leaves", "gave-up": "gives up"}


def text(event, grant=None):
    """In words, or nothing; `grant` is the client's latest, for what entering is good for."""
    what, peer = event.what, event.get("peer")
    if what == "send":
        return f"→ {peer}: {command_text(event.get('command') or [])}"
    if what == "execute":
        reply = "?" if event.get("reply") is None else reply_text(event.get("reply"))
        return f"runs {peer}'s {verb(event)}: {reply}{effects(event)}"
    if what in ("receive", "discard"):
        late = ", too late: no call waits for it any more" if what == "discard" else ""
        return f"← {peer}: {reply_text(event.get('reply'))}{late}"
    if what == "replicate":
        return f"applies {verb(event)} of {peer}{effects(event)}"
    if what == "enter":
        return "ENTERS" + good_for(grant)
    if what == "granted":
        return f"acquires once more: depth {event.get('value')}" if event.get("value") else ""
    if what == "released":
        ended = f"release {failure(event)}" if event.get("error") else RELEASED.get(event.get("word"), "")
        return ended + (f", depth {event.get('value')}" if event.get("value") else "")
    if what == "strike":
        mark = FaultMark(event.host, event.get("word", "fault"), event.at, None, event.get("value"), peer or "",
                         event.get("fault", 0), event.get("fault_words", {}))
        return "✸ " + fault_text(mark).replace("\n", " ")
    return plain(event, peer)


def failure(event):
    """A program's own words say more than the error that they stand for."""
    word = event.get("word", "")
    return f'fails: "{word}"' if word else f"ends with {event.get('error')}"


def plain(event, peer):
    """Of the events whose words say little more than their name."""
    word = event.get("word", "")
    return {
        "start": f"begins round {event.get('round')}" if event.get("round", 1) > 1 else "",
        "drop": f"the {word} of command {event.get('message')} to {peer} is lost",
        "time-out": f"gives up waiting for {peer}'s answer",
        "refused": f"{peer} refuses the connection",
        "broken": f"loses its connection to {peer}",
        "copy": f"makes a copy of everything for {peer}",
        "push": f"is told on {word}",
        "failed": f"attempt {failure(event)}"
                  + (": it may hold the lock" if event.get("error") == "no-reply" else ""),
        "exit": "leaves" if word == "finished" else f"leaves: {word}",
        "renewed": "renewed" + good_for(event),
        "renewal-failed": f"renewal {failure(event)}",
        "touch-failed": f"touch {failure(event)}",
        "lost": "learns that the lock is lost" if word == "notified" else "the lock is lost; the holder is not told",
        "gave-up": "gives up",
        "heal": f"{word} ends",
        "unmet": f"never happened: {word}",
        "end": "end: nothing more can happen" if word == "finished" else "end: the horizon is reached",
    }.get(event.what) or of_another_lock(event)


def of_another_lock(event):
    told = OF_ANOTHER_LOCK.get(event.get("what"))
    return f"{told} {event.get('lock')}" if told and event.get("lock") else ""


def verb(event):
    words = event.get("command") or [""]
    return command_text(words).split(" ")[0]


def effects(event):
    said = []
    for effect in event.get("effects", []):
        key, change = effect.get("key"), effect.get("change")
        if change == "renewed":
            ttl = effect.get("ttl_ms")
            said.append(f"{key} has no end" if ttl is None else f"{key} ends in {amount_text(ttl * 1000)}")
        else:
            said.append(CHANGES.get(change, change + " {}").format(key))
    return "; " + ", ".join(said) if said else ""


def good_for(promise):
    left = promise.get("left") if promise else None
    return f", good for {seconds_text(left['us'])}" if left else ""
