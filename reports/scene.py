# SPDX-License-Identifier: Apache-2.0
"""One run as a scene: what of its history is shown, and how much room each thing wants. Draws nothing."""

import model
from layout import TimeAxis
from style import duration_text

REQUEST_ROOM, REPLY_ROOM, BETWEEN_ROOM, WORDS_ROOM = 12.0, 8.0, 4.0, 11.0
AFTER_REPLY_ROOM = 23.0  # a request that leaves as the last reply comes in: its words stand between the two
LEASE_ENDS = {"wall": "its lease ends\n(wall clock)", "boot": "its lease ends\n(boot clock)"}
FULL_MESSAGES = 90  # more than these do not fit on a page in full: then the picture looks at what matters


class Scene:
    """`window` is (from, to) in microseconds; without it the whole run, or the part around what broke."""

    def __init__(self, run, window=None):
        self.history, self.verdict = run.history, run.verdict
        self.messages = model.messages(self.history)
        self.retries = model.mark_retries(self.history, self.messages)
        self.holds = model.holds(self.history)
        self.overlaps = model.overlaps(self.holds)
        self.lives = model.key_lives(self.history)
        self.faults = model.faults(self.history)
        self.accesses = model.accesses(self.history)
        self.notes = [
            note for note in model.notes(self.history)
            if not any(r.client == note[0] and r.start <= note[1] <= r.end for r in self.retries)
        ]
        self.whole = window is None  # the whole run is shown
        self.window = window or self._focus()

    def _focus(self):
        begin = min((event.at for event in self.history.events), default=0)
        if sum(not m.retry for m in self.messages) <= FULL_MESSAGES:
            last = [at for m in self.messages for at in m.times] + [hold.exit for hold in self.holds]
            last += [event.at for event in self.history.events if event.what in ("strike", "heal")]
            return begin, max(last, default=self.history.end)
        self.whole = False
        broken = [o.start for o in self.overlaps] + [a.at for a in self.accesses if a.lost_update]
        centre = min(broken, default=begin)
        sent = sorted(m.sent for m in self.messages if m.sent is not None and not m.retry)
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

        plain = [m for m in self.shown_messages() if not m.retry]
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
            if hold.deadline and hold.deadline < hold.exit:
                want(hold.enter, hold.deadline, WORDS_ROOM)
        for overlap in self.overlaps:
            want(overlap.start, overlap.end, 2 * WORDS_ROOM)
        for fault in self.faults:
            want(fault.start, fault.end, 2 * WORDS_ROOM)
            instants.update([fault.start] if self.shows(fault.start) else [])
        for stretch in self.retries:
            want(stretch.start, stretch.end, 2 * WORDS_ROOM)
        instants.update(life.end for life in self.lives if self.shows(life.end))
        return TimeAxis(instants, needs, top, height)

    def remarks(self):
        """Words beside the lanes: (host, at, text, is it what must not happen)."""
        found = [(host, at, text, False) for host, at, text in self.notes]
        for hold in self.holds:
            found.append((hold.client, hold.enter, "enters", False))
            why = "" if hold.ended in ("", "finished") else f" ({hold.ended})"
            if hold.ended not in ("crash", "end of the history"):
                found.append((hold.client, hold.exit, f"leaves{why}", False))
            if hold.deadline and hold.deadline < hold.exit:
                found.append((hold.client, hold.deadline, LEASE_ENDS.get(hold.clock, "its lease ends"), True))
            found += [(hold.client, at, "renewed", False) for at in hold.renewals]
        for fault in self.faults:
            found.append((fault.host, fault.start, fault_text(fault), False))
            if fault.kind == "pause" and fault.end is not None:
                found.append((fault.host, fault.end, "wakes", False))
        for stretch in self.retries:
            middle = (max(stretch.start, self.window[0]) + min(stretch.end, self.window[1])) // 2
            found.append((stretch.client, middle, f"{stretch.count} more tries,\nall {stretch.outcome}", False))
        return [remark for remark in found if self.shows(remark[1])]


def fault_text(fault):
    if fault.kind == "pause":
        lasts = fault.end - fault.start if fault.end is not None else fault.amount
        return f"paused for {duration_text(lasts)}" if lasts else "paused"
    if fault.kind == "clock-jump":
        sign = "+" if (fault.amount or 0) > 0 else "−"
        return f"clock jumps {sign}{duration_text(abs(fault.amount or 0))}"
    return {"crash": "crashes", "drop": "message lost"}.get(fault.kind, fault.kind)
