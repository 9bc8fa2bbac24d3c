# SPDX-License-Identifier: Apache-2.0
"""Stretches of a history that repeat themselves, by position: attempts that end alike, and renewals that go well.

The first and the last of a stretch stay as they are, the middle becomes one line. Shorter stretches are left alone.
"""

from dataclasses import dataclass, field

LEAST = 4
INNER = ("step", "read", "draw", "call", "answer")  # what is no line of its own
ENDS = {"busy": "attempts, all busy", "failed": "attempts, all failed", "renewed": "renewals"}
OF_A_TURN = ("send", "receive", "execute", "time-out", "refused", "drop", "discard")


@dataclass
class Fold:
    client: str
    first: int  # position of its first event
    until: int  # world time of its last event
    count: int
    what: str


@dataclass
class _Turn:
    positions: list = field(default_factory=list)
    verbs: list = field(default_factory=list)
    alike: tuple = ()
    until: int = 0


@dataclass
class _Row:
    turns: list = field(default_factory=list)
    open: _Turn | None = None


def folded(history, keep=frozenset()):
    """(folds, the positions that they hide). None goes over a position of `keep`."""
    rows, found, hidden = {}, [], set()

    def finish(client):
        row = rows.pop(client, None)
        if row is None or len(row.turns) < LEAST:
            return
        middle = row.turns[1:-1]
        hidden.update(position for turn in middle for position in turn.positions)
        what = ENDS[middle[0].alike[0]]
        found.append(Fold(client, middle[0].positions[0], middle[-1].until, len(middle), what))

    for position, event in enumerate(history.events):
        client = event.get("peer") if event.what == "execute" else event.host
        if position in keep:
            finish(client)
        if client is None or event.what in INNER or _is_work(history, event):
            continue
        row = rows.setdefault(client, _Row())
        if event.what in ("attempt", "renew"):
            row.open = _Turn([position])
        elif event.what in OF_A_TURN and row.open:
            row.open.positions.append(position)
            if event.what == "send":
                row.open.verbs.append((event.get("command") or [""])[0])
        elif event.what in ENDS and row.open:
            turn, row.open = row.open, None
            turn.positions.append(position)
            turn.alike, turn.until = (event.what, *map(str, turn.verbs)), event.at
            if row.turns and row.turns[-1].alike != turn.alike:
                finish(client)
            rows.setdefault(client, _Row()).turns.append(turn)
        elif event.what not in OF_A_TURN:
            finish(client)
            if event.what == "strike":
                rows.pop(client, None)
    for client in list(rows):
        finish(client)
    return sorted(found, key=lambda fold: fold.first), hidden


def _is_work(history, event):
    """Whether it is a message between the client's work and the resource, which belongs to no attempt or renewal."""
    return event.what in OF_A_TURN and "resource" in (history.kind(event.host), history.kind(event.get("peer")))
