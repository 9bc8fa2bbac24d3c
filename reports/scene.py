# SPDX-License-Identifier: Apache-2.0
"""One run as a scene: what of its history is shown, and how much room each thing wants. Draws nothing."""

import faults
import folds
import keys
import model
from layout import TimeAxis

REQUEST_ROOM, REPLY_ROOM, BETWEEN_ROOM, WORDS_ROOM = 12.0, 8.0, 4.0, 11.0
AFTER_REPLY_ROOM = 23.0  # a request that leaves as the last reply comes in: its words stand between the two
LEASE_ENDS = {"wall": "its lease ends\n(wall clock)", "boot": "its lease ends\n(boot clock)"}
FULL_MESSAGES = 90  # more than these do not fit on a page in full: then the picture looks at what matters


class Scene:
    """`window` is (from, to) in microseconds; without it the whole run, or the part around what broke."""

    def __init__(self, run, window=None):
        self.history, self.verdict = run.history, run.verdict
        self.messages = model.messages(self.history)
        self.tries = folds.fold_attempts(self.history, self.messages)
        self.renewals = folds.fold_renewals(self.history, self.messages)
        self.holds = model.holds(self.history)
        self.overlaps = model.overlaps(self.holds, run.history)
        self.downs = keys.downtimes(self.history)
        self.lives = keys.key_lives(self.history)
        self.faults = faults.faults(self.history)
        self.accesses = model.accesses(self.history)
        self.notes = [
            note for note in model.notes(self.history)
            if not self._is_in(self.tries, *note[:2])
        ]
        self.whole = window is None  # the whole run is shown
        self.window = window or self._focus()

    def _focus(self):
        begin = min((event.at for event in self.history.events), default=0)
        if sum(not m.folded for m in self.messages) <= FULL_MESSAGES:
            last = [at for m in self.messages for at in m.times] + [hold.exit for hold in self.holds]
            last += [event.at for event in self.history.events if event.what in ("strike", "heal")]
            return begin, max(last, default=self.history.end)
        self.whole = False
        broken = [o.start for o in self.overlaps] + [a.at for a in self.accesses if a.lost_update]
        centre = min(broken, default=begin)
        sent = sorted(m.sent for m in self.messages if m.sent is not None and not m.folded)
        before = [at for at in sent if at <= centre][-FULL_MESSAGES // 2 :]
        after = [at for at in sent if at > centre][: FULL_MESSAGES - len(before)]
        return min(before, default=begin), max(after, default=self.history.end)

    def shows(self, at):
        return at is not None and self.window[0] <= at <= self.window[1]

    def clip(self, at):
        return min(max(at, self.window[0]), self.window[1])

    def shown_messages(self):
        return [m for m in self.messages if self.shows(m.times[0])]

    def axis(self, top, height):
        instants, needs = {*self.window}, []

        def want(start, end, room):
            if self.shows(start) and self.shows(end):
                instants.update((start, end))
                needs.append((start, end, room))

        plain = [m for m in self.shown_messages() if not m.folded]
        replied = {(m.client, m.received) for m in plain}
        for message in plain:
            instants.update(at for at in message.times if self.shows(at))
            for executed in message.executed[:1]:
                after_reply = (message.client, message.sent) in replied
                want(message.sent, executed, AFTER_REPLY_ROOM if after_reply else REQUEST_ROOM)
                want(executed, message.received, REPLY_ROOM)
        latest = {}  # of each client: when its last message was over
        for message in plain:
            if message.sent is not None and message.client in latest:
                want(latest[message.client], message.sent, BETWEEN_ROOM if message.executed else WORDS_ROOM)
            latest[message.client] = max(message.times)
        for hold in self.holds:
            want(hold.enter, hold.exit, WORDS_ROOM)
            if hold.outlived:
                want(hold.enter, hold.deadline, WORDS_ROOM)
        for overlap in self.overlaps:
            want(overlap.start, overlap.end, 2 * WORDS_ROOM)
        for fault in self.faults:
            want(fault.start, fault.lasts_until(self.history.end) or fault.start, 2 * WORDS_ROOM)
            instants.update([fault.start] if self.shows(fault.start) else [])
        for down in self.downs:
            want(down.start, down.end, 2 * WORDS_ROOM)
        for fold in self.tries + self.renewals:
            want(fold.start, fold.end, 2 * WORDS_ROOM)
        instants.update(life.end for life in self.lives if self.shows(life.end))
        return TimeAxis(instants, needs, top, height)

    def remarks(self):
        """Words beside the lanes: (host, at, text, is it what must not happen)."""
        found = [(host, at, text, False) for host, at, text in self.notes]
        for hold in self.holds:
            found.append((hold.client, hold.enter, "enters", False))
            why = "" if hold.ended in ("", "finished") else f" ({hold.ended})"
            if hold.ended not in (*model.ENDS_WORK, "end of the history"):
                found.append((hold.client, hold.exit, f"leaves{why}", False))
            if hold.outlived:
                found.append((hold.client, hold.deadline, LEASE_ENDS.get(hold.clock, "its lease ends"), True))
            found += [(hold.client, at, "renewed", False) for at in hold.renewals
                      if not self._is_in(self.renewals, hold.client, at)]
        for fault in self.faults:
            found.append((fault.host, fault.start, faults.fault_text(fault), False))
            if fault.stands_still and fault.end is not None:
                found.append((fault.host, fault.end, "wakes", False))
        found += [(down.server, down.end, "is up again", False) for down in self.downs if down.end < self.history.end]
        for fold in self.tries + self.renewals:
            middle = (self.clip(fold.start) + self.clip(fold.end)) // 2
            found.append((fold.client, middle, fold_text(fold), False))
        return [remark for remark in found if self.shows(remark[1])]

    @staticmethod
    def _is_in(some_folds, client, at):
        return any(fold.client == client and fold.start <= at <= fold.end for fold in some_folds)


def fold_text(fold):
    return f"{fold.count} more renewals" if fold.what == "renewed" else f"{fold.count} more tries,\nall {fold.what}"
