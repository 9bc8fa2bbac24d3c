/* SPDX-License-Identifier: Apache-2.0 */
/* Preloaded into a program under test whose life runs faster than the machine, beside clock_shim.c: what waits for some
   time, waits as much shorter as its clocks are faster. A program whose runtime does not call libc for this (Go does
   not; nor do static ones) is not reached; lockproof counts the calls, and refuses such a program. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "clock_shim.h"

static const int64_t second = INT64_C(1000000000);
static const size_t signals = 8; /* bytes of the kernel's set of signals */

static struct timespec from_ns(int64_t ns) { return (struct timespec){ns / second, ns % second}; }

/* A duration, by the machine. What is not nothing stays something. */
static struct timespec shorter(struct timespec wait) {
  const int64_t for_ever = INT64_C(4000000000); /* seconds */
  lockproof_counts();
  if (lockproof_speedup() == 1 || wait.tv_sec < 0 || wait.tv_sec > for_ever) return wait;
  const int64_t ns = wait.tv_sec * second + wait.tv_nsec;
  const int64_t less = ns / lockproof_speedup();
  return from_ns(less == 0 && ns > 0 ? 1 : less);
}

static struct timespec longer(struct timespec left) {
  return from_ns((left.tv_sec * second + left.tv_nsec) * lockproof_speedup());
}

static struct timespec of_ms(int ms) { return shorter((struct timespec){ms / 1000, ms % 1000 * INT64_C(1000000)}); }

/* An instant. A condition does not say by which clock it waits: the time of day has passed 1 000 000 000 s in 2001, and
   no machine is up for so long. */
static struct timespec instant(const struct timespec* shown) {
  lockproof_counts();
  return lockproof_on_machine(shown->tv_sec >= 1000000000, *shown);
}

/* Descriptors. */

int epoll_pwait2(int epoll, struct epoll_event* events, int most, const struct timespec* wait, const sigset_t* mask) {
  struct timespec less;
  if (wait) less = shorter(*wait);
  return (int)syscall(SYS_epoll_pwait2, epoll, events, most, wait ? &less : NULL, mask, signals);
}

int epoll_pwait(int epoll, struct epoll_event* events, int most, int ms, const sigset_t* mask) {
  const struct timespec less = of_ms(ms);
  return (int)syscall(SYS_epoll_pwait2, epoll, events, most, ms < 0 ? NULL : &less, mask, signals);
}

int ppoll(struct pollfd* fds, nfds_t count, const struct timespec* wait, const sigset_t* mask) {
  struct timespec less; /* the kernel writes into it */
  if (wait) less = shorter(*wait);
  return (int)syscall(SYS_ppoll, fds, count, wait ? &less : NULL, mask, signals);
}

int poll(struct pollfd* fds, nfds_t count, int ms) {
  struct timespec less = of_ms(ms);
  return (int)syscall(SYS_ppoll, fds, count, ms < 0 ? NULL : &less, NULL, signals);
}

/* What a program calls that was compiled with _FORTIFY_SOURCE. */
int __poll_chk(struct pollfd* fds, nfds_t count, int ms, size_t size);
int __poll_chk(struct pollfd* fds, nfds_t count, int ms, size_t size) {
  (void)size;
  return poll(fds, count, ms);
}

static int wait_for_any(int count, fd_set* in, fd_set* out, fd_set* other, struct timespec* wait,
                        const sigset_t* mask) {
  const struct {
    const sigset_t* mask;
    size_t size;
  } with = {mask, signals};
  return (int)syscall(SYS_pselect6, count, in, out, other, wait, mask ? &with : NULL);
}

int pselect(int count, fd_set* restrict in, fd_set* restrict out, fd_set* restrict other,
            const struct timespec* restrict wait, const sigset_t* restrict mask) {
  struct timespec less;
  if (wait) less = shorter(*wait);
  return wait_for_any(count, in, out, other, wait ? &less : NULL, mask);
}

int select(int count, fd_set* restrict in, fd_set* restrict out, fd_set* restrict other,
           struct timeval* restrict wait) {
  struct timespec less;
  if (wait) less = shorter((struct timespec){wait->tv_sec, wait->tv_usec * 1000});
  const int ready = wait_for_any(count, in, out, other, wait ? &less : NULL, NULL);
  if (wait) { /* what is left of it */
    const struct timespec left = longer(less);
    *wait = (struct timeval){left.tv_sec, left.tv_nsec / 1000};
  }
  return ready;
}

int timerfd_settime(int fd, int flags, const struct itimerspec* to, struct itimerspec* was) {
  struct itimerspec set = *to;
  const int off = to->it_value.tv_sec == 0 && to->it_value.tv_nsec == 0;
  if (!off) set.it_value = flags & TFD_TIMER_ABSTIME ? instant(&to->it_value) : shorter(to->it_value);
  set.it_interval = shorter(to->it_interval);
  return (int)syscall(SYS_timerfd_settime, fd, flags, &set, was);
}

int setsockopt(int fd, int level, int option, const void* value, socklen_t size) {
  const int waits = level == SOL_SOCKET && (option == SO_RCVTIMEO || option == SO_SNDTIMEO);
  if (!waits || size != sizeof(struct timeval)) return (int)syscall(SYS_setsockopt, fd, level, option, value, size);
  const struct timeval* const wait = value;
  const struct timespec less = shorter((struct timespec){wait->tv_sec, wait->tv_usec * 1000});
  struct timeval set = {less.tv_sec, less.tv_nsec / 1000};
  if (set.tv_sec == 0 && set.tv_usec == 0 && less.tv_nsec > 0) set.tv_usec = 1; /* 0 is for ever */
  return (int)syscall(SYS_setsockopt, fd, level, option, &set, size);
}

/* Sleeping. */

int clock_nanosleep(clockid_t id, int flags, const struct timespec* wait, struct timespec* left) {
  const int of_day = id == CLOCK_REALTIME;
  lockproof_counts();
  const struct timespec on = flags & TIMER_ABSTIME ? lockproof_on_machine(of_day, *wait) : shorter(*wait);
  struct timespec rest = {0, 0};
  if (syscall(SYS_clock_nanosleep, of_day ? CLOCK_REALTIME : CLOCK_MONOTONIC, flags, &on, &rest) == 0) return 0;
  if (left && !(flags & TIMER_ABSTIME)) *left = longer(rest);
  return errno;
}

int nanosleep(const struct timespec* wait, struct timespec* left) {
  const int error = clock_nanosleep(CLOCK_MONOTONIC, 0, wait, left);
  if (error != 0) errno = error;
  return error == 0 ? 0 : -1;
}

int usleep(useconds_t us) {
  const struct timespec wait = {us / 1000000, us % 1000000 * 1000};
  return nanosleep(&wait, NULL);
}

unsigned sleep(unsigned seconds) {
  const struct timespec wait = {seconds, 0};
  struct timespec left = {0, 0};
  return nanosleep(&wait, &left) == 0 ? 0 : (unsigned)left.tv_sec + (left.tv_nsec > 0);
}

/* Threads. libc's own function does the waiting. */

static void* of_libc(const char* name) { return dlsym(RTLD_NEXT, name); }

int pthread_cond_timedwait(pthread_cond_t* restrict condition, pthread_mutex_t* restrict mutex,
                           const struct timespec* restrict until) {
  static int (*wait)(pthread_cond_t*, pthread_mutex_t*, const struct timespec*);
  /* Without its version this is a function for conditions of another layout. */
  if (!wait) *(void**)&wait = dlvsym(RTLD_NEXT, "pthread_cond_timedwait", "GLIBC_2.3.2");
  if (!wait) *(void**)&wait = of_libc("pthread_cond_timedwait");
  const struct timespec at = instant(until);
  return wait(condition, mutex, &at);
}

int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t id,
                           const struct timespec* until) {
  static int (*wait)(pthread_cond_t*, pthread_mutex_t*, clockid_t, const struct timespec*);
  if (!wait) *(void**)&wait = of_libc("pthread_cond_clockwait");
  lockproof_counts();
  const struct timespec at = lockproof_on_machine(id == CLOCK_REALTIME, *until);
  return wait(condition, mutex, id, &at);
}

int sem_timedwait(sem_t* restrict semaphore, const struct timespec* restrict until) {
  static int (*wait)(sem_t*, const struct timespec*);
  if (!wait) *(void**)&wait = of_libc("sem_timedwait");
  lockproof_counts();
  const struct timespec at = lockproof_on_machine(1, *until);
  return wait(semaphore, &at);
}

int sem_clockwait(sem_t* restrict semaphore, clockid_t id, const struct timespec* restrict until) {
  static int (*wait)(sem_t*, clockid_t, const struct timespec*);
  if (!wait) *(void**)&wait = of_libc("sem_clockwait");
  lockproof_counts();
  const struct timespec at = lockproof_on_machine(id == CLOCK_REALTIME, *until);
  return wait(semaphore, id, &at);
}
