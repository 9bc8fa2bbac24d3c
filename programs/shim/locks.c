/* SPDX-License-Identifier: Apache-2.0 */
/* What threads wait on beside mutexes, conditions and semaphores: locks of readers and writers, spin locks, barriers,
   and words of memory, by the kernel's futex. */
#include "shim.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <time.h>

enum { barriers_most = 64 };

/* Tries until it is not busy; `until`: by the monotonic clock, or -1. */
static int take(int (*attempt)(pthread_rwlock_t*), pthread_rwlock_t* lock, int64_t until) {
  int busy;
  while ((busy = attempt(lock)) == EBUSY) {
    if (until >= 0 && shim_mono_ns >= until) return ETIMEDOUT;
    shim_wait_on(lock, until);
  }
  return busy;
}

int pthread_rwlock_rdlock(pthread_rwlock_t* lock) { return take(pthread_rwlock_tryrdlock, lock, -1); }

int pthread_rwlock_wrlock(pthread_rwlock_t* lock) { return take(pthread_rwlock_trywrlock, lock, -1); }

int pthread_rwlock_clockrdlock(pthread_rwlock_t* lock, clockid_t clock, const struct timespec* at) {
  return take(pthread_rwlock_tryrdlock, lock, shim_until(clock, at));
}

int pthread_rwlock_clockwrlock(pthread_rwlock_t* lock, clockid_t clock, const struct timespec* at) {
  return take(pthread_rwlock_trywrlock, lock, shim_until(clock, at));
}

int pthread_rwlock_timedrdlock(pthread_rwlock_t* restrict lock, const struct timespec* restrict at) {
  return pthread_rwlock_clockrdlock(lock, CLOCK_REALTIME, at);
}

int pthread_rwlock_timedwrlock(pthread_rwlock_t* restrict lock, const struct timespec* restrict at) {
  return pthread_rwlock_clockwrlock(lock, CLOCK_REALTIME, at);
}

int pthread_rwlock_unlock(pthread_rwlock_t* lock) {
  static int (*real)(pthread_rwlock_t*);
  if (!real) real = dlsym(RTLD_NEXT, "pthread_rwlock_unlock");
  const int failed = real(lock);
  if (shim_on) shim_wake(lock, 1);
  return failed;
}

int pthread_spin_lock(pthread_spinlock_t* lock) {
  int busy;
  while ((busy = pthread_spin_trylock(lock)) == EBUSY) shim_wait_on((const void*)lock, -1);
  return busy;
}

int pthread_spin_unlock(pthread_spinlock_t* lock) {
  static int (*real)(pthread_spinlock_t*);
  if (!real) real = dlsym(RTLD_NEXT, "pthread_spin_unlock");
  const int failed = real(lock);
  if (shim_on) shim_wake((const void*)lock, 0);
  return failed;
}

/* How many wait at a barrier stands in a part of it that glibc keeps to itself. */
static struct barrier {
  const pthread_barrier_t* at; /* null: free */
  unsigned members, here, round;
} barriers[barriers_most];

static struct barrier* barrier_of(const pthread_barrier_t* at) {
  for (int i = 0; i < barriers_most; ++i) {
    if (barriers[i].at == at) return &barriers[i];
  }
  return NULL;
}

int pthread_barrier_init(pthread_barrier_t* restrict barrier, const pthread_barrierattr_t* restrict how,
                         unsigned members) {
  (void)how;
  if (members == 0) return EINVAL;
  struct barrier* b = barrier_of(barrier);
  if (!b) b = barrier_of(NULL);
  if (!b) return EAGAIN;
  *b = (struct barrier){.at = barrier, .members = members};
  return 0;
}

int pthread_barrier_destroy(pthread_barrier_t* barrier) {
  struct barrier* const b = barrier_of(barrier);
  if (b) b->at = NULL;
  return 0;
}

int pthread_barrier_wait(pthread_barrier_t* barrier) {
  struct barrier* const b = barrier_of(barrier);
  if (!b) return EINVAL;
  if (++b->here == b->members) {
    b->here = 0;
    ++b->round;
    shim_wake(barrier, 1);
    return PTHREAD_BARRIER_SERIAL_THREAD;
  }
  const unsigned round = b->round;
  while (b->round == round) shim_wait_on(barrier, -1);
  return 0;
}

/* A plain wait has a length, another one an end. */
static int64_t until_of(int operation, const struct timespec* at) {
  if (!at) return -1;
  if ((operation & FUTEX_CMD_MASK) == FUTEX_WAIT) return shim_after(shim_length(at));
  return shim_until(operation & FUTEX_CLOCK_REALTIME ? CLOCK_REALTIME : CLOCK_MONOTONIC, at);
}

/* As the kernel answers: an error is a small negative number. */
long shim_futex(const int* word, int operation, int value, const struct timespec* at) {
  switch (operation & FUTEX_CMD_MASK) {
    case FUTEX_WAIT:
    case FUTEX_WAIT_BITSET:
      if (*(const volatile int*)word != value) return -EAGAIN;
      shim_wait_on(word, until_of(operation, at));
      return shim_was_woken() ? 0 : -ETIMEDOUT;
    case FUTEX_WAKE:
    case FUTEX_WAKE_BITSET: {
      long woken = 0;
      while (woken < value && shim_wake(word, 0)) ++woken;
      return woken;
    }
    default: shim_refuse("uses a futex in a way that is not served", ""); return -ENOSYS;
  }
}
