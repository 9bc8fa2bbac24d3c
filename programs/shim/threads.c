/* SPDX-License-Identifier: Apache-2.0 */
/* Threads run one at a time, by a baton. A thread runs until it would block; then the next one in order runs that can.
   Only if none can does the process wait, until the least time of all. So the order of threads is a function of what
   reaches the process. */
#include "shim.h"

#include <dlfcn.h>
#include <linux/futex.h>
#include <sched.h>

#include "raw.h"

enum { threads_most = 64 };
enum state { none, runs, ready, waits, gone };

struct thread {
  enum state state;
  int go;             /* a futex: 1 while it has the baton */
  const void* object; /* that it waits on */
  int (*has_come)(const void* what);
  const void* what;
  int64_t until;
  int woken, lost_in_copy;
  int detached; /* nobody joins it: its place is free when it is gone */
  pthread_t id;
  void* (*begins)(void*);
  void* argument;
};

static struct thread threads[threads_most];
static int dying; /* the kernel's number of a thread that has given the baton away for good; 0: none */
static __thread int me;
int shim_threads = 1;

int shim_thread(void) { return me; }

unsigned shim_other_threads(void) {
  unsigned living = 0;
  for (int i = 0; i < shim_threads; ++i) living += i != me && threads[i].state != none && threads[i].state != gone;
  return living;
}

void shim_begin_threads(void) {
  threads[0].state = runs;
  threads[0].until = -1;
  threads[0].go = 1;
}

void shim_forget_other_threads(void) {
  for (int i = 0; i < shim_threads; ++i) {
    if (i != me && threads[i].state == waits) threads[i].lost_in_copy = 1;
  }
}

static int would_run(const struct thread* t) {
  if (t->state != waits) return t->state == ready;
  return t->woken || (t->until >= 0 && shim_mono_ns >= t->until) || (t->has_come && t->has_come(t->what));
}

static int can_run(const struct thread* t) {
  if (!would_run(t)) return 0;
  if (t->lost_in_copy) shim_remark("needs its threads in a copy", "");
  return !t->lost_in_copy;
}

static int next_thread(void) {
  for (int k = 1; k <= shim_threads; ++k) {
    const int i = (me + k) % shim_threads;
    if (can_run(&threads[i])) return i;
  }
  return -1;
}

static int has_been_fed(const void* before) { return shim_inputs != *(const unsigned*)before; }

static int64_t least_until(void) {
  int64_t least = -1;
  for (int i = 0; i < shim_threads; ++i) {
    const struct thread* t = &threads[i];
    if (t->state == waits && t->has_come == has_been_fed) return shim_mono_ns;
    if (t->state == waits && t->until >= 0 && (least < 0 || t->until < least)) least = t->until;
  }
  return least;
}

/* Libc frees what a thread had while the next one runs already: it waits until that is done, so that both find the same
   memory each time. */
static void await_end_of_dying(void) {
  const int thread = dying;
  dying = 0;
  const long process = raw(SYS_getpid, 0, 0, 0, 0, 0, 0);
  while (thread && raw(SYS_tgkill, process, thread, 0, 0, 0, 0) == 0) raw(SYS_sched_yield, 0, 0, 0, 0, 0, 0);
}

static void await_baton(struct thread* t) {
  while (!__atomic_load_n(&t->go, __ATOMIC_ACQUIRE)) raw(SYS_futex, (long)&t->go, FUTEX_WAIT_PRIVATE, 0, 0, 0, 0);
  await_end_of_dying();
}

static void give_baton(int i) {
  if (i == me) return;
  __atomic_store_n(&threads[me].go, 0, __ATOMIC_RELEASE);
  __atomic_store_n(&threads[i].go, 1, __ATOMIC_RELEASE);
  raw(SYS_futex, (long)&threads[i].go, FUTEX_WAKE_PRIVATE, 1, 0, 0, 0);
}

/* If none can run, it is the first thread that waits for the process, so that a copy has that one. */
static void stop_running(enum state state) {
  struct thread* const mine = &threads[me];
  mine->state = state;
  do {
    const int next = next_thread();
    const int waiter = threads[0].state == gone ? me : 0;
    if (next < 0 && waiter == me) {
      shim_wait(least_until());
      continue;
    }
    if (next >= 0) threads[next].state = runs;
    give_baton(next < 0 ? waiter : next);
    if ((state == gone || state == none) && mine->state != runs) return;
    await_baton(mine);
  } while (mine->state != runs);
}

void shim_wait_on(const void* object, int64_t until) {
  struct thread* const t = &threads[me];
  t->object = object;
  t->until = until;
  t->woken = 0;
  stop_running(waits);
  t->object = NULL;
  t->until = -1;
}

int shim_was_woken(void) { return threads[me].woken; }

void shim_wait_until(int (*has_come)(const void* what), const void* what, int64_t until) {
  struct thread* const t = &threads[me];
  t->has_come = has_come;
  t->what = what;
  shim_wait_on(NULL, until);
  t->has_come = NULL;
}

void shim_wait_for_input(void) {
  const unsigned before = shim_inputs;
  shim_wait_until(has_been_fed, &before, -1);
}

void shim_sleep(int64_t until) {
  while (shim_mono_ns < until) shim_wait_on(NULL, until);
}

int shim_wake(const void* object, int all) {
  int woken = 0;
  for (int k = 1; k <= shim_threads; ++k) {
    struct thread* const t = &threads[(me + k) % shim_threads];
    if (t->state != waits || t->object != object || t->woken) continue;
    t->woken = 1;
    ++woken;
    if (!all) break;
  }
  return woken;
}

int sched_yield(void) {
  if (shim_on && shim_threads > 1) stop_running(ready);
  return 0;
}

/* The life of a thread. */

static void* born(void* as) {
  struct thread* const t = as;
  me = (int)(t - threads);
  await_baton(t);
  void* const result = t->begins(t->argument);
  shim_wake(t, 1);
  dying = (int)raw(SYS_gettid, 0, 0, 0, 0, 0, 0);
  stop_running(t->detached ? none : gone);
  return result;
}

int pthread_create(pthread_t* id, const pthread_attr_t* how, void* (*begins)(void*), void* argument) {
  static int (*real)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  if (!real) real = dlsym(RTLD_NEXT, "pthread_create");
  if (!shim_on) return real(id, how, begins, argument);
  int i = 1;
  while (i < shim_threads && threads[i].state != none) ++i;
  if (i == threads_most) {
    shim_refuse("has more than 64 threads at a time", "");
    return EAGAIN;
  }
  if (i == shim_threads) ++shim_threads;
  threads[i] = (struct thread){.state = ready, .until = -1, .begins = begins, .argument = argument};
  if (how) pthread_attr_getdetachstate(how, &threads[i].detached);
  const int failed = real(id, how, born, &threads[i]);
  if (failed) threads[i].state = none;
  threads[i].id = *id;
  return failed;
}

int pthread_detach(pthread_t id) {
  static int (*real)(pthread_t);
  if (!real) real = dlsym(RTLD_NEXT, "pthread_detach");
  for (int i = 1; shim_on && i < shim_threads; ++i) {
    if (threads[i].state == none || !pthread_equal(threads[i].id, id)) continue;
    threads[i].detached = 1;
    if (threads[i].state == gone) threads[i].state = none;
  }
  return real(id);
}

/* A thread that waits for the baton could not be. */
int pthread_cancel(pthread_t id) {
  (void)id;
  shim_refuse("cancels a thread", "");
  return ENOSYS;
}

int pthread_join(pthread_t id, void** result) {
  static int (*real)(pthread_t, void**);
  if (!real) real = dlsym(RTLD_NEXT, "pthread_join");
  for (int i = 1; shim_on && i < shim_threads; ++i) {
    if (threads[i].state == none || !pthread_equal(threads[i].id, id)) continue;
    while (threads[i].state != gone) shim_wait_on(&threads[i], -1);
    threads[i].state = none;
    break;
  }
  return real(id, result);
}
