/* SPDX-License-Identifier: Apache-2.0 */
/* What threads wait on. Nobody else runs while a thread has the baton, so that to try is enough; who fails waits until
   it is woken. */
#include "shim.h"

#include <dlfcn.h>
#include <errno.h>
#include <semaphore.h>
#include <signal.h>
#include <time.h>

static int64_t until_of(int clock, const struct timespec* at) { return shim_until(clock, at); }

int pthread_mutex_lock(pthread_mutex_t* mutex) {
  static int (*real)(pthread_mutex_t*);
  if (!real) real = dlsym(RTLD_NEXT, "pthread_mutex_lock");
  if (!shim_on || shim_threads == 1) return real(mutex);
  int busy;
  while ((busy = pthread_mutex_trylock(mutex)) == EBUSY) shim_wait_on(mutex, -1);
  return busy;
}

int pthread_mutex_clocklock(pthread_mutex_t* mutex, clockid_t clock, const struct timespec* at) {
  const int64_t until = until_of(clock, at);
  int busy;
  while ((busy = pthread_mutex_trylock(mutex)) == EBUSY) {
    if (shim_mono_ns >= until) return ETIMEDOUT;
    shim_wait_on(mutex, until);
  }
  return busy;
}

int pthread_mutex_timedlock(pthread_mutex_t* restrict mutex, const struct timespec* restrict at) {
  return pthread_mutex_clocklock(mutex, CLOCK_REALTIME, at);
}

int pthread_mutex_unlock(pthread_mutex_t* mutex) {
  static int (*real)(pthread_mutex_t*);
  if (!real) real = dlsym(RTLD_NEXT, "pthread_mutex_unlock");
  const int failed = real(mutex);
  if (shim_on && shim_threads > 1) shim_wake(mutex, 0);
  return failed;
}

int pthread_cond_signal(pthread_cond_t* condition) {
  if (shim_on) shim_wake(condition, 0);
  return 0;
}

int pthread_cond_broadcast(pthread_cond_t* condition) {
  if (shim_on) shim_wake(condition, 1);
  return 0;
}

static int wait_for(pthread_cond_t* condition, pthread_mutex_t* mutex, int64_t until) {
  pthread_mutex_unlock(mutex);
  shim_wait_on(condition, until);
  const int late = until >= 0 && !shim_was_woken();
  pthread_mutex_lock(mutex);
  return late ? ETIMEDOUT : 0;
}

int pthread_cond_wait(pthread_cond_t* condition, pthread_mutex_t* mutex) { return wait_for(condition, mutex, -1); }

/* The clock of a condition is a bit of it that glibc keeps to itself: a time far from the monotonic clock's is one of
   the wall clock. */
int pthread_cond_timedwait(pthread_cond_t* restrict condition, pthread_mutex_t* restrict mutex,
                           const struct timespec* restrict at) {
  const int wall = at->tv_sec > shim_wall_ns / 1000000000 / 2;
  return wait_for(condition, mutex, until_of(wall ? CLOCK_REALTIME : CLOCK_MONOTONIC, at));
}

int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                           const struct timespec* at) {
  return wait_for(condition, mutex, until_of(clock, at));
}

/* No signal ever comes. */
int sigwait(const sigset_t* restrict set, int* restrict signal) {
  (void)set, (void)signal;
  for (;;) shim_wait_on(NULL, -1);
}

int sigtimedwait(const sigset_t* restrict set, siginfo_t* restrict about, const struct timespec* restrict most) {
  int signal;
  if (!most) return sigwait(set, &signal);
  (void)about;
  shim_sleep(shim_after(shim_length(most)));
  errno = EAGAIN;
  return -1;
}

int sigwaitinfo(const sigset_t* restrict set, siginfo_t* restrict about) { return sigtimedwait(set, about, NULL); }

static int take(sem_t* semaphore, int64_t until) {
  while (sem_trywait(semaphore) != 0) {
    if (until >= 0 && shim_mono_ns >= until) {
      errno = ETIMEDOUT;
      return -1;
    }
    shim_wait_on(semaphore, until);
  }
  return 0;
}

int sem_wait(sem_t* semaphore) { return take(semaphore, -1); }

int sem_timedwait(sem_t* restrict semaphore, const struct timespec* restrict at) {
  return take(semaphore, until_of(CLOCK_REALTIME, at));
}

int sem_clockwait(sem_t* restrict semaphore, clockid_t clock, const struct timespec* restrict at) {
  return take(semaphore, until_of(clock, at));
}

int sem_post(sem_t* semaphore) {
  static int (*real)(sem_t*);
  if (!real) real = dlsym(RTLD_NEXT, "sem_post");
  const int failed = real(semaphore);
  if (shim_on) shim_wake(semaphore, 0);
  return failed;
}
