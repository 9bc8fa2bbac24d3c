/* SPDX-License-Identifier: Apache-2.0
 *
 * token_3x2: the twin of scenarios/bench/token-3x2.toml and token-anytime.toml for Spin, in lockproof's own semantics
 * (docs/semantics.md).
 *
 * Clients take a lock on one Redis server with SET NX PX and give it back with a script that compares and deletes. One
 * client may be paused, one may crash, and one connection may die silently. What can happen here can happen there, one
 * event each: one `atomic` or `d_step` of this model is one transition of lockproof's, and a stored state of Spin's is
 * one of lockproof's. tests/bench/spin_twin.py compares the counts, for several sizes; they are equal. (Spin counts the
 * initial state as a transition, so it has one more.)
 *
 * All of this can be set with -D; spin_twin.py takes it from a scenario:
 *   CLIENTS, ROUNDS, ATTEMPTS    how many clients, up to 4; rounds of each; attempts in a round
 *   PAUSES, CRASHES, LOSSES      0 or 1 of each; a loss is of a command or of its answer
 *   TIMEOUT, LEASE, HOLD, RETRY, PAUSE, WAY    durations; the last is a message's way, 1
 *   FREELY, GRID                 clients ask when they like (contention = "anytime"), each GRID; else as written: at
 *                                once, and RETRY after a refusal
 *   ADVERSARIAL                  with FREELY: at asking instants, see asking_instants.pml
 *   OUTLIVED_IS_FINE             only two who are both entitled break mutual exclusion
 */
#ifndef CLIENTS
#define CLIENTS 3
#endif
#ifndef ROUNDS
#define ROUNDS 2
#endif
#ifndef ATTEMPTS
#define ATTEMPTS 2
#endif
#ifndef PAUSES
#define PAUSES 1
#endif
#ifndef CRASHES
#define CRASHES 1
#endif
#ifndef LOSSES
#define LOSSES 1
#endif

#ifndef WAY
#define WAY 1
#endif
#ifndef TIMEOUT
#define TIMEOUT 4 /* of a call, from its sending: answers come before it, or never */
#endif
#ifndef LEASE
#define LEASE 6
#endif
#ifndef HOLD
#define HOLD 2
#endif
#ifndef RETRY
#define RETRY 2
#endif
#ifndef PAUSE
#define PAUSE 6
#endif
#ifndef OVER
#define OVER 1
#endif
#ifndef GRID
#define GRID 1
#endif

/* Instants are relative to now, as in lockproof's states: NOW + 2 is two ways from now, NOW - 1 was one way
 * ago, 0 is never. An instant that has passed goes on ageing where lockproof keeps it: a deadline that its holder
 * ignores; and a lease that ended, but not for longer than OVER, until a command looks at the key. */
#define NOW 100
#define NEVER 255

mtype = {
  Resting,                       /* before a round */
  Asking,                        /* SET is about to leave, under way, or answered and unseen */
  Waiting, Trying,               /* between two attempts: the lock was asked how long; it is time soon */
  Refused, Failed,               /* the same where clients ask freely: an attempt has just ended */
  Wanting,                       /* … and it asks when it likes */
  Entered, Holding,              /* inside */
  Leaving,                       /* out of it, about to release */
  Releasing,                     /* the same as Asking, of the script */
  Done, GaveUp,
  /* Crashed where? Monitors remember whether it was at an attempt, inside, outside with a grant, or releasing. */
  CrashedAsking, CrashedInside, CrashedLeaving, CrashedReleasing
};
mtype = { Silent, Request, Yes, No };     /* what is on the wire, or arrived during a pause */
mtype = { Alive, LosesRequests, LosesReplies };

typedef Client {
  mtype phase = Resting;
  mtype wire = Silent;
  mtype line = Alive;
  unsigned round : 3;
  unsigned attempts : 3;         /* of this round that have ended */
  bit asked;                     /* in this round; kept while it wants the lock: monitors remember what it did last */
  unsigned granted : 3;          /* the place of its latest grant among those of all clients; 0: none */
  byte alarm = NOW;              /* its next event, or that of its message; while it is paused it may have passed */
  byte began;                    /* while releasing: when that was due */
  byte deadline                  /* of its grant, counted from before SET left */
}

Client c[CLIENTS];

/* The server: the key, whose it is, and whether the script has ever run. Of a token nothing counts but who has the
 * same one: that is its owner, or nobody any more. */
unsigned key_owner : 3;          /* client + 1; 0: no key */
bit key_forgotten;               /* its owner has another token now, or none */
byte key_until;                  /* the key lives through this instant, and is there until somebody looks later */
bit script_known;

/* The budget, and the pause that is under way. */
bit pauses, crashes, losses;
unsigned paused : 3;             /* client + 1 */
byte wake_at;

byte next;                       /* time from now to the next event: a function of the rest */

hidden byte k, by;               /* scratch, set before it is read in each step */

#ifdef ADVERSARIAL
#include "asking_instants.pml"
#else
#define tick(instant) (instant)  /* of the server's clock, at or before the instant */
#define turn() skip
#define find_instants() skip
#define can_ask true
/* Until what happens next; if nothing does, to the end of the lease that is left. */
#define latest_ask (next < NEVER -> next : (key_until > NOW -> key_until - NOW : 0))
#define can_ask_after(by_) ((by_) % GRID == 0)
#define can_ask_before(by_) ((by_) > 0)
#endif

/* ---- time ---- */

#define aged(instant) (instant -> instant - by : 0)

/* Time jumps to the next event. */
inline elapse() {
  if
  :: next > 0 ->
    by = next;
    for (k : 0 .. CLIENTS - 1) {
      c[k].alarm = aged(c[k].alarm);
      c[k].began = aged(c[k].began);
      c[k].deadline = aged(c[k].deadline)
    }
    key_until = aged(key_until);
    wake_at = aged(wake_at);
    turn();
    if
    :: key_until && key_until + OVER < tick(NOW) -> key_until = tick(NOW) - OVER
    :: else
    fi
  :: else
  fi
}

/* What fell due during a pause is due now. */
inline find_next() {
  next = NEVER;
  for (k : 0 .. CLIENTS - 1) {
    if
    :: c[k].alarm && paused != k + 1 && c[k].alarm < NOW + next ->
      next = (c[k].alarm > NOW -> c[k].alarm - NOW : 0)
    :: else
    fi
  }
  if
  :: wake_at && wake_at < NOW + next -> next = wake_at - NOW
  :: else
  fi;
  find_instants()
}

#define is_due(i) (c[i].alarm && paused != i + 1 && c[i].alarm <= NOW + next)

/* ---- a client ---- */

#define me c[_pid]
#define my_name (_pid + 1)
#define crashed(i) (c[i].phase == CrashedAsking || c[i].phase == CrashedInside || c[i].phase == CrashedLeaving || \
                    c[i].phase == CrashedReleasing)
#define runs (paused != my_name && !crashed(_pid))

inline forget() {                /* what does not belong to a state any more */
  me.wire = Silent;
  me.line = Alive;
  me.attempts = 0;
  me.alarm = 0;
  me.began = 0;
  me.deadline = 0;
  if
  :: key_owner == my_name -> key_forgotten = 1
  :: else
  fi
}

inline pause() {
  d_step {
    pauses = 1;
    paused = my_name;
    wake_at = NOW + PAUSE
  }
}

inline crash() {
  d_step {
    crashes = 1;
    if
    :: me.phase == Asking -> me.phase = CrashedAsking
    :: me.phase == Entered -> me.phase = CrashedInside
    :: me.phase == Leaving -> me.phase = CrashedLeaving
    :: me.phase == Releasing -> me.phase = CrashedReleasing
    fi;
    me.round = 0;
    forget()
  }
}

inline lose(what) {
  d_step {
    losses = 1;
    me.line = what
  }
}

/* What may strike after an answer has come, on entering and on leaving. */
inline strike_here() {
  if
  :: true
  :: pauses < PAUSES ->
    pause();
    if
    :: true
    :: crashes < CRASHES -> crash()
    fi
  :: crashes < CRASHES -> crash()
  fi
}

/* What may strike before a command leaves. Several at once, in the order of the budget, so that each set comes once. */
inline strike_before_a_command() {
  if
  :: true
  :: pauses < PAUSES ->
    pause();
    if
    :: true
    :: crashes < CRASHES -> crash()
    :: losses < LOSSES -> lose(LosesRequests)
    :: losses < LOSSES -> lose(LosesReplies)
    fi
  :: crashes < CRASHES -> crash()
  :: losses < LOSSES -> lose(LosesRequests)
  :: losses < LOSSES -> lose(LosesReplies)
  fi
}

inline send() {
  if
  :: me.line == LosesRequests -> me.alarm = NOW + TIMEOUT
  :: else -> me.wire = Request; me.alarm = NOW + WAY
  fi
}

/* Who is inside when this one enters? If both are entitled, the lock broke its promise. */
inline enter() {
  for (k : 0 .. CLIENTS - 1) {
    if
    :: k != _pid && (c[k].phase == Entered || c[k].phase == Holding) ->
      assert(!(me.deadline > NOW && c[k].deadline > NOW)); /* double-grant */
#ifndef OUTLIVED_IS_FINE
      assert(me.deadline > NOW && c[k].deadline > NOW)     /* outlived */
#endif
    :: else
    fi
  }
  /* Its grant is the newest: those that were newer than its last one move up. */
  by = me.granted;
  me.granted = 1;
  for (k : 0 .. CLIENTS - 1) {
    if
    :: k != _pid && c[k].granted && (by == 0 || c[k].granted < by) -> c[k].granted++
    :: else
    fi
  }
}

inline round_is_over() {
  forget();
  if
  :: me.round < ROUNDS -> me.phase = Resting; me.alarm = NOW
  :: else -> me.phase = Done; me.round = 0
  fi
}

/* Whoever asks freely is not counted what leaves nothing behind. */
inline attempt_refused() {
#ifdef FREELY
  by = me.attempts;
  forget();
  me.phase = Refused;
  me.attempts = by;
  me.alarm = NOW
#else
  attempt_failed()
#endif
}

inline attempt_failed() {
  by = me.attempts + 1;
  forget();
  if
  :: by < ATTEMPTS ->
#ifdef FREELY
    me.phase = Failed;
#else
    me.phase = Waiting;
#endif
    me.attempts = by;
    me.alarm = NOW
  :: else -> me.phase = GaveUp; me.round = 0
  fi
}

inline see_answer() {
  if
  :: me.phase == Asking && me.wire == Yes ->
    enter();
    me.phase = Entered;
    me.wire = Silent;
    me.attempts = 0;
    me.alarm = NOW
  :: me.phase == Asking && me.wire == No -> attempt_refused()
  :: me.phase == Releasing -> round_is_over()
  fi
}

inline ask() {
  me.phase = Asking;
  me.asked = 0;
  me.deadline = NOW + LEASE;
  me.alarm = 0
}

inline want() {
  me.asked = (me.phase != Resting);
  me.phase = Wanting;
  me.alarm = 0;
  find_next()
}

inline leave_the_process() {     /* the command of this step, unless something strikes */
  strike_before_a_command();
  d_step {
    if
    :: runs -> send()
    :: else
    fi;
    find_next()
  }
}

inline go_on_with_the_answer() { /* whoever enters may be struck once more */
  d_step { see_answer() }
  if
  :: me.phase == Entered -> strike_here()
  :: else
  fi
}

active [CLIENTS] proctype client() {
end:
  do
#ifdef FREELY
  :: atomic { /* it begins to want the lock: with a round, or again; and asks at once, or not */
      is_due(_pid) && (me.phase == Resting || me.phase == Failed) ->
      d_step {
        elapse();
        if
        :: me.phase == Resting -> me.round++
        :: else
        fi
      }
      if
      :: true -> d_step { want() }
      :: true -> d_step { ask() } leave_the_process()
      fi
    }
  :: d_step { /* it has just been refused, and does not ask at once */
      is_due(_pid) && me.phase == Refused ->
      elapse();
      want()
    }
  :: atomic { /* it asks, so long from now */
      me.phase == Wanting && can_ask ->
      next = latest_ask;
      do
      :: can_ask_before(next) -> next--
      :: can_ask_after(next) -> break
      od;
      true; /* Spin has no jumps into d_step */
      d_step {
        elapse();
        ask()
      }
      leave_the_process()
    }
#else
  :: atomic { /* an attempt begins, and with the first one a round */
      is_due(_pid) && (me.phase == Resting || me.phase == Trying) ->
      d_step {
        elapse();
        if
        :: me.phase == Resting -> me.round++
        :: else
        fi;
        ask()
      }
      leave_the_process()
    }
  :: d_step { /* the lock has no news to wait for, so it is the delay */
      is_due(_pid) && me.phase == Waiting ->
      elapse();
      me.phase = Trying;
      me.alarm = NOW + RETRY;
      find_next()
    }
#endif
  :: d_step { /* the work begins */
      is_due(_pid) && me.phase == Entered ->
      elapse();
      me.phase = Holding;
      me.alarm = NOW + HOLD;
      find_next()
    }
  :: atomic { /* … and ends */
      is_due(_pid) && me.phase == Holding ->
      d_step {
        elapse();
        me.phase = Leaving;
        me.alarm = NOW
      }
      strike_here();
      d_step { find_next() }
    }
  :: atomic { /* the release is a step of its own */
      is_due(_pid) && me.phase == Leaving ->
      d_step {
        elapse();
        me.phase = Releasing;
        me.began = me.alarm;
        me.alarm = 0
      }
      leave_the_process()
    }
  :: atomic { /* an answer comes */
      is_due(_pid) && (me.wire == Yes || me.wire == No) ->
      d_step {
        elapse();
        me.alarm = 0
      }
      strike_here();
      if
      :: !runs
      :: else -> go_on_with_the_answer()
      fi;
      d_step { find_next() }
    }
  :: d_step { /* no answer came in time; the driver opens another connection */
      is_due(_pid) && me.wire == Silent && (me.phase == Asking || me.phase == Releasing) ->
      elapse();
      if
      :: me.phase == Asking -> attempt_failed()
      :: else -> round_is_over()
      fi;
      find_next()
    }
  :: atomic { /* the pause ends: first leaves what was about to, then what has come is seen */
      paused == my_name && wake_at == NOW + next ->
      d_step {
        elapse();
        paused = 0;
        wake_at = 0;
        if
        :: (me.phase == Asking || me.phase == Releasing) && me.wire == Silent -> send()
        :: else
        fi
      }
      if
      :: me.wire == Yes || me.wire == No -> go_on_with_the_answer()
      :: else
      fi;
      d_step { find_next() }
    }
  od
}

/* ---- the server ---- */

#define asked_by(i) (c[i].wire == Request && is_due(i))

inline serve(i) {
  elapse();
  if /* expiry is lazy: whoever looks first deletes */
  :: key_until && key_until < tick(NOW) -> key_owner = 0; key_forgotten = 0; key_until = 0
  :: else
  fi;
  c[i].wire = No;
  if
  :: c[i].phase == Asking && key_owner == 0 -> /* SET NX PX */
    key_owner = i + 1;
    key_until = tick(NOW) + LEASE;
    c[i].wire = Yes
  :: c[i].phase == Releasing -> /* EVAL: compare and delete */
    if /* not just an assignment: Spin leaves out of the state what is never read */
    :: !script_known -> script_known = 1
    :: else
    fi;
    if
    :: key_owner == i + 1 && !key_forgotten ->
      key_owner = 0;
      key_until = 0;
      c[i].wire = Yes
    :: else
    fi
  :: else
  fi;
  c[i].alarm = NOW + WAY;
  if
  :: c[i].line == LosesReplies -> c[i].wire = Silent; c[i].alarm = NOW + TIMEOUT - WAY
  :: else
  fi;
  find_next()
}

active proctype server() {
end:
  do
  :: d_step { asked_by(0) -> serve(0) }
#if CLIENTS > 1
  :: d_step { asked_by(1) -> serve(1) }
#endif
#if CLIENTS > 2
  :: d_step { asked_by(2) -> serve(2) }
#endif
#if CLIENTS > 3
  :: d_step { asked_by(3) -> serve(3) }
#endif
  od
}
