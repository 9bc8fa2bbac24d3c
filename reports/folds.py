# SPDX-License-Identifier: Apache-2.0
"""Stretches of a client's life that repeat themselves, attempts and renewals: their middle is told in one mark.

The first and the last of a stretch stay as they are; shorter stretches than four are left alone.
"""

from dataclasses import dataclass

from history import command_text

LEAST = 4


@dataclass
class Fold:
    client: str
    start: int
    end: int
    count: int  # what is not drawn in full
    what: str  # busy or failed, of attempts; renewed


@dataclass(frozen=True)
class _Turn:
    """One attempt or one renewal."""

    start: int
    end: int
    alike: tuple  # turns of which this is the same repeat each other
    outcome: str


def fold_attempts(history, messages):
    """Marks the messages of attempts that are like the ones around them, and tells the stretches that they form."""
    return _folds(history, messages, _attempts, lambda message: True)


def fold_renewals(history, messages):
    """The same of renewals that all went well. What the work sends meanwhile is no part of them."""
    return _folds(history, messages, _renewals, lambda message: history.kind(message.server) == "server")


def _folds(history, messages, turns_of, belongs):
    found = []
    for client in (name for name in history.hosts if history.kind(name) == "client"):
        ours = [m for m in messages if m.client == client and m.sent is not None and belongs(m)]
        for run in _runs(turns_of(history, client)):
            start, end = run[1].start, run[-2].end
            for message in ours:
                message.folded = message.folded or start <= message.sent <= end
            found.append(Fold(client, start, end, len(run) - 2, run[0].outcome))
    return found


def _runs(turns):
    run = []
    for turn in [*turns, None]:
        if turn and run and turn.alike == run[-1].alike:
            run.append(turn)
            continue
        if len(run) >= LEAST and run[0].outcome in ("busy", "failed", "renewed"):
            yield run
        run = [turn] if turn else []


def _attempts(history, client):
    start, verbs = None, []
    for event in history.events:
        if event.host != client:
            continue
        if event.what == "attempt":
            start, verbs = event.at, []
        elif event.what == "send":
            verbs.append(command_text(event.get("command") or []).split(" ")[0])
        elif event.what in ("busy", "failed", "granted") and start is not None:
            yield _Turn(start, event.at, (event.what, *verbs), event.what)
            start = None


def _renewals(history, client):
    """Renewals of one round, until something befalls the client or a renewal ends otherwise."""
    start, stretch = None, 0
    for event in history.events:
        if event.host != client:
            continue
        if event.what == "renew":
            start = event.at
        elif event.what == "renewed" and start is not None:
            yield _Turn(start, event.at, (event.get("round"), stretch), event.what)
            start = None
        elif event.what in ("renewal-failed", "lost", "strike", "heal", "enter", "exit"):
            stretch += 1
