# SPDX-License-Identifier: Apache-2.0
"""PostgreSQL, and locks on it. It has a process for each connection: after a pause these go on in any order."""

from redis import UNKNOWN, fresh_token
from service import Service


class Advisory(Service):
    """Advisory locks of sessions: who has it is a connection."""

    minds_connections = True

    def initial(self, plan):
        return None  # or (connection, how often, client)

    def minds(self, w, number):
        return w.store is not None and w.store[0] == number

    def closed(self, w, number):
        if self.minds(w, number):
            w.store = None

    def run(self, w, number, payload, what, current):
        by = w.conns[number].client
        if payload[0] == "TRY":
            if w.store is not None and w.store[0] != number:
                return "NO", None, None
            w.store = (number, 1 + (w.store[1] if w.store else 0), by)
            return "YES", None, None
        if w.store is None or w.store[0] != number:
            return "NO", None, None
        w.store = (number, w.store[1] - 1, by) if w.store[1] > 1 else None
        if w.store is None:
            w.lock_changed_by_release(by, (by,))
        return "YES", None, None

    def restart(self, w):
        pass

    def owner(self, w):
        return w.store[2] if w.store else None

    def stuck(self, w):
        return ("orphaned",) if w.store else ()

    def key(self, w, index):
        return w.store and (index[w.store[0]],) + w.store[1:]

    def token_of(self, w):
        return None


class Rows(Advisory):
    """One row: (owner's token, the millisecond until which it is taken, or None; its number; owners)."""

    minds_connections = False

    def minds(self, w, number):
        return False

    def closed(self, w, number):
        pass

    def over(self, w):
        return w.store is None or w.store[1] is None or w.store[1] < w.server_wall()

    def run(self, w, number, payload, what, current):
        by = w.conns[number].client
        fence = w.store[2] if w.store else 0
        if payload[0] == "TAKE":
            if not self.over(w):
                return "NIL", None, None
            w.store = (payload[1], w.server_wall() + payload[2], fence + 1, (by,))
            return "FENCE", None, fence + 1
        if w.store is None or w.store[0] != payload[1]:
            return "NIL", None, None
        owners = w.store[3] if not self.over(w) else (None,)
        w.store = (w.store[0], None, fence, (None,))
        if what == "release":
            w.lock_changed_by_release(by, owners)
        return "FENCE", None, fence

    def owner(self, w):
        return None if self.over(w) else w.store[3][0]

    def stuck(self, w):
        return ()

    def key(self, w, index):
        if w.store is None:
            return None
        token, until, fence, owners = w.store
        if until is not None:
            until = until - w.server_wall()
            if until < -w.plan.past:
                token, until, owners = None, None, (None,)
        return token, until, fence, owners

    def token_of(self, w):
        return w.store[0]


class RowsByClients(Rows):
    """The time is the clients': the row is free at the very instant that was named, and anybody gives it back."""

    def over(self, w):
        return w.store is None or w.store[1] is None or w.store[1] <= w.server_wall()

    def run(self, w, number, payload, what, current):
        by = w.conns[number].client
        fence = w.store[2] if w.store else 0
        if payload[0] == "TAKE":
            (_, now), (_, until) = payload[2]
            if w.store is not None and w.store[1] > now:
                return "NIL", None, None
            w.store = (payload[1], until, fence + 1, (by,))
            return "FENCE", None, fence + 1
        if w.store is None:
            return "NIL", None, None
        owners = w.store[3] if not self.over(w) else (None,)
        w.store = (w.store[0], payload[2][0][1], fence, (None,))
        if what == "release":
            w.lock_changed_by_release(by, owners)
        return "FENCE", None, fence

    def key(self, w, index):
        if w.store is None:
            return None
        token, until, fence, owners = w.store
        until = until - w.now // w.plan.grid
        if w.quiet() and until < -w.plan.past:
            token, until, owners = None, -w.plan.past, (None,)
        return token, until, fence, owners


class AdvisoryLock:
    fenced = refusal_writes = stamps = False

    def attempt(self, w, i, position, reply):
        if position == 0:
            return "call", ("TRY", None, None), 1
        if reply in UNKNOWN:
            return ("failed",)
        return ("granted",) if reply[0] == "YES" else ("busy",)

    def release(self, w, i, position, reply):
        if position == 0:
            return "call", ("UNLOCK", None, None), 1
        return ("error",) if reply in UNKNOWN else ("yes",) if reply[0] == "YES" else ("no",)


class RowLock:
    refusal_writes = stamps = False
    fenced = True

    def words_to_take(self, w, c, i):
        c.deadline = w.now + w.plan.lease * w.plan.grid
        return w.plan.lease

    def attempt(self, w, i, position, reply):
        c = w.clients[i]
        if position == 0:
            c.token = fresh_token(w)
            return "call", ("TAKE", c.token, self.words_to_take(w, c, i)), 1
        if reply in UNKNOWN:
            return ("failed",)
        if reply[0] == "NIL":
            return ("busy",)
        c.extra = reply[2]
        return ("granted",)

    def release(self, w, i, position, reply):
        if position == 0:
            return "call", ("GIVE", w.clients[i].token, self.words_to_give(w, i)), 1
        return ("error",) if reply in UNKNOWN else ("yes",) if reply[0] == "FENCE" else ("no",)

    def words_to_give(self, w, i):
        return None


class RowLockByClients(RowLock):
    stamps = True

    def words_to_take(self, w, c, i):
        now = w.wall(i)
        c.deadline = now + w.plan.lease
        c.by_wall = True
        return ("stamp", now), ("stamp", c.deadline)

    def words_to_give(self, w, i):
        return (("stamp", w.wall(i)),)


LOCKS = {"postgres-advisory": (AdvisoryLock(), Advisory()), "postgres-row": (RowLock(), Rows()),
         "postgres-row-client-time": (RowLockByClients(), RowsByClients())}
