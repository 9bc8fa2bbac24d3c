/* SPDX-License-Identifier: Apache-2.0 */
/* Preloaded into a server: its wall clock then shows what lockproof's clock page says. As a rule only the time of
   day is faked; monotonic clocks pass through, so the server's event loop is not disturbed. If the page says so, its
   whole life runs faster: then what it does once a second, by its monotonic clock, it does once a scenario second.
   Raw system calls, because the allocator asks for the time before libc can be looked up. Without a page it shows the
   machine's own time. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "clock_layout.h"

static const struct lockproof_clock_page* page;

__attribute__((constructor)) static void map_page(void) {
  const char* fd = getenv(LOCKPROOF_CLOCK_VARIABLE);
  if (!fd) return;
  void* mapped = mmap(NULL, sizeof *page, PROT_READ, MAP_SHARED, atoi(fd), 0);
  if (mapped != MAP_FAILED) page = mapped;
}

static long machine_clock(clockid_t id, struct timespec* ts) { return syscall(SYS_clock_gettime, id, ts); }

static int64_t fake_ns(void) {
  struct timespec now;
  uint64_t before;
  int64_t mono, fake, rate;
  do {
    before = __atomic_load_n(&page->sequence, __ATOMIC_ACQUIRE);
    mono = __atomic_load_n(&page->base_mono_ns, __ATOMIC_ACQUIRE);
    fake = __atomic_load_n(&page->base_fake_ns, __ATOMIC_ACQUIRE);
    rate = __atomic_load_n(&page->rate_ppb, __ATOMIC_ACQUIRE);
  } while ((before & 1) != 0 || before != __atomic_load_n(&page->sequence, __ATOMIC_RELAXED));
  machine_clock(CLOCK_MONOTONIC, &now);
  const int64_t passed = now.tv_sec * INT64_C(1000000000) + now.tv_nsec - mono;
  __extension__ typedef __int128 wide;
  return fake + (int64_t)((wide)passed * rate / 1000000000);
}

static int64_t life_ns(void) {
  struct timespec now;
  machine_clock(CLOCK_MONOTONIC, &now);
  const int64_t passed = now.tv_sec * INT64_C(1000000000) + now.tv_nsec - page->life_from_ns;
  return page->life_from_ns + passed * page->life_speedup;
}

int clock_gettime(clockid_t id, struct timespec* ts) {
  const int of_day = id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE;
  const int of_life = id == CLOCK_MONOTONIC || id == CLOCK_MONOTONIC_COARSE;
  if (!page || !(of_day || (of_life && page->life_speedup > 0))) return (int)machine_clock(id, ts);
  const int64_t ns = of_day ? fake_ns() : life_ns();
  ts->tv_sec = ns / 1000000000;
  ts->tv_nsec = ns % 1000000000;
  return 0;
}

int gettimeofday(struct timeval* restrict tv, void* restrict zone) {
  (void)zone;
  struct timespec ts;
  if (clock_gettime(CLOCK_REALTIME, &ts) != 0) return -1;
  tv->tv_sec = ts.tv_sec;
  tv->tv_usec = ts.tv_nsec / 1000;
  return 0;
}

time_t time(time_t* into) {
  struct timespec ts;
  clock_gettime(CLOCK_REALTIME, &ts);
  if (into) *into = ts.tv_sec;
  return ts.tv_sec;
}

/* The event loop sleeps here, for milliseconds of its own. */
int epoll_wait(int epoll, struct epoll_event* events, int most, int timeout) {
  const int64_t speedup = page && page->life_speedup > 0 ? page->life_speedup : 1;
  const int64_t ns = timeout * INT64_C(1000000) / speedup;
  const struct timespec sleep = {ns / 1000000000, ns % 1000000000};
  const long ready = syscall(SYS_epoll_pwait2, epoll, events, most, timeout < 0 ? NULL : &sleep, NULL, (size_t)8);
  if (ready >= 0 || errno != ENOSYS) return (int)ready;
  const int ms = timeout < 0 ? -1 : (int)((ns + 999999) / 1000000);
  return (int)syscall(SYS_epoll_pwait, epoll, events, most, ms, NULL, (size_t)8);
}
