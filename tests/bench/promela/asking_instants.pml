/* SPDX-License-Identifier: Apache-2.0
 *
 * asking_instants: when a client of token_3x2.pml may ask for the lock with contention = "adversarial"
 * (docs/semantics/asking.md): at whatever is due if nobody else asks, less none to LEGS ways, so that the request, or what follows it,
 * arrives then; and so that what it is granted is released when a paused client goes on.
 *
 * lockproof runs each state on and looks what is due. This is written from the other end: with two clients, of which
 * one wants the lock, all that can happen is what the other one has begun, and that is a chain of durations. With more
 * than two clients it would not be. Nor does it know lost messages and time-outs.
 *
 * Whatever a server's clock decides counts at the clock's tick and 1 us before, so an instant is at a tick, or just
 * before one. Two units are one tick, which has to be a message's way; an odd instant is just before the next tick.
 */
#ifndef LEGS
#define LEGS 4                   /* twice the command of an attempt, and two */
#endif
#define RELEASE_LEGS 6           /* at most, of a grant from the ask to the answer to the release, without the work */
#define LATEST 30                /* of the instants that `may` has bits for */

bit odd;                         /* now is just before a tick */
int may;                         /* the asking instants from now on, as bits: a function of the rest */

hidden int last, leg, at, doing; /* scratch */
hidden byte any;

#define tick(instant) ((instant) - (((instant) + odd) & 1))
#define turn() odd = odd ^ (by & 1)

#define can_ask (may != 0)
#define latest_ask (next < LATEST -> next : LATEST)
#define can_ask_after(by_) (may & (1 << (by_)))
#define can_ask_before(by_) (may & ((1 << (by_)) - 1))

inline add(instant) {
  if
  :: instant >= NOW && instant <= NOW + last -> may = may | (1 << (instant - NOW))
  :: else
  fi
}

inline happens(instant) {
  any = 1;
  for (leg : 0 .. LEGS) {
    add(instant - leg * WAY)
  }
}

/* It is not known yet: seen by running on, but not for longer than this. */
inline will_happen(instant) {
  if
  :: instant <= NOW + next + LEGS * WAY -> happens(instant)
  :: else
  fi
}

/* By a clock. */
inline is_over(instant) {
  happens(instant);
  for (leg : 0 .. LEGS) {
    if
    :: instant - leg * WAY >= NOW && instant - leg * WAY <= NOW + last ->
      add(tick(instant - leg * WAY));
      add(tick(instant - leg * WAY) - 1)
    :: else
    fi
  }
}

/* What comes of what client k is doing. An attempt that is refused is no reason for anybody. */
inline foresee() {
  at = (paused == k + 1 -> wake_at : c[k].alarm);
  at = (at < NOW -> NOW : at);
  doing = c[k].phase;
  if /* its command leaves on waking */
  :: paused == k + 1 && c[k].wire == Silent && (doing == Asking || doing == Releasing) -> at = at + WAY
  :: else
  fi;
  if
  :: doing == Asking ->
    if
    :: c[k].wire == Yes -> doing = Entered
    :: c[k].wire != Yes && c[k].wire != No && (key_owner == 0 || key_until < tick(at)) ->
      will_happen(tick(at) + LEASE + WAY);
      at = at + WAY;
      doing = Entered
    :: else
    fi;
    if
    :: doing == Entered && c[k].deadline >= at -> will_happen(c[k].deadline)
    :: else
    fi
  :: else
  fi;
  if
  :: doing == Entered ->
    will_happen(at);
    at = at + HOLD;
    doing = Leaving
  :: doing == Holding -> doing = Leaving
  :: else
  fi;
  if
  :: doing == Leaving ->
    will_happen(at);
    at = at + WAY;
    will_happen(at);
    at = at + WAY;
    doing = Releasing
  :: doing == Releasing && c[k].wire != Yes && c[k].wire != No ->
    will_happen(at);
    at = at + WAY
  :: else
  fi;
  if
  :: doing == Releasing || doing == Resting -> will_happen(at)
  :: else
  fi
}

#define has_the_lock(i) (c[i].phase == Entered || c[i].phase == Holding || c[i].phase == Leaving || \
                         c[i].phase == Releasing)
#define key_is_over (key_until + WAY) /* the first tick at which it is gone */

inline find_instants() {
  may = 0;
  any = 0;
  last = next;
  if
  :: next == NEVER -> last = (key_until && key_is_over >= NOW -> key_is_over - NOW : 0)
  :: else
  fi;
  if
  :: key_until && key_is_over >= NOW -> is_over(key_is_over)
  :: else
  fi;
  if
  :: wake_at ->
    happens(wake_at);
    for (leg : 2 .. RELEASE_LEGS) {
      add(wake_at - HOLD - leg * WAY)
    }
  :: else
  fi;
  for (k : 0 .. CLIENTS - 1) {
    if
    :: has_the_lock(k) && c[k].deadline >= NOW -> is_over(c[k].deadline)
    :: else
    fi;
    if
    :: c[k].alarm >= NOW && (has_the_lock(k) || c[k].phase == Resting) -> happens(c[k].alarm)
    :: else
    fi;
    if
    :: has_the_lock(k) || c[k].phase == Resting || c[k].phase == Asking -> foresee()
    :: else
    fi
  };
  may = (any -> may : 1) /* now or never */
}
