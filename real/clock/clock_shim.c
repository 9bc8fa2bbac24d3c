/* SPDX-License-Identifier: Apache-2.0 */
/* Preloaded into a server, or into a program under test: its wall clock then shows what lockproof's clock page says. As
   a rule only the time of day is faked; monotonic clocks pass through, so the server's event loop is not disturbed. If
   the page says so, its whole life runs faster: then what it does once a second, by its monotonic clock, it does once a
   scenario second. Raw system calls, because the allocator asks for the time before libc can be looked up. Without a
   page it shows the machine's own time. Clocks are scaled, not the numbers in commands: EX 30 divided by 100 would be
   EX 0, an error. */
#define _GNU_SOURCE
#include "clock_shim.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include "clock_layout.h"

__extension__ typedef __int128 wide;
static const int64_t second = INT64_C(1000000000);

static struct lockproof_clock_page* page;

struct setting {
  int64_t mono, fake, rate;
};

__attribute__((constructor)) static void map_page(void) {
  const char* where = getenv(LOCKPROOF_CLOCK_VARIABLE);
  if (!where) return;
  const int fd = *where == '/' ? open(where, O_RDWR | O_CLOEXEC) : atoi(where);
  const int may_write = *where == '/' ? PROT_WRITE : 0;
  void* mapped = mmap(NULL, sizeof *page, PROT_READ | may_write, MAP_SHARED, fd, 0);
  if (*where == '/' && fd >= 0) close(fd);
  if (mapped != MAP_FAILED) page = mapped;
}

static long machine_clock(clockid_t id, struct timespec* ts) { return syscall(SYS_clock_gettime, id, ts); }

static int64_t machine_ns(clockid_t id) {
  struct timespec now;
  machine_clock(id, &now);
  return now.tv_sec * second + now.tv_nsec;
}

static struct setting set(void) {
  struct setting now;
  uint64_t before;
  do {
    before = __atomic_load_n(&page->sequence, __ATOMIC_ACQUIRE);
    now.mono = __atomic_load_n(&page->base_mono_ns, __ATOMIC_ACQUIRE);
    now.fake = __atomic_load_n(&page->base_fake_ns, __ATOMIC_ACQUIRE);
    now.rate = __atomic_load_n(&page->rate_ppb, __ATOMIC_ACQUIRE);
  } while ((before & 1) != 0 || before != __atomic_load_n(&page->sequence, __ATOMIC_RELAXED));
  return now;
}

static int64_t fake_ns(void) {
  const struct setting now = set();
  return now.fake + (int64_t)((wide)(machine_ns(CLOCK_MONOTONIC) - now.mono) * now.rate / second);
}

static int64_t life_ns(void) {
  return page->life_from_ns + (machine_ns(CLOCK_MONOTONIC) - page->life_from_ns) * page->life_speedup;
}

static int is_of_day(clockid_t id) { return id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE; }
static int is_of_life(clockid_t id) {
  return id == CLOCK_MONOTONIC || id == CLOCK_MONOTONIC_COARSE || id == CLOCK_MONOTONIC_RAW || id == CLOCK_BOOTTIME;
}

int64_t lockproof_speedup(void) { return page && page->life_speedup > 0 ? page->life_speedup : 1; }

void lockproof_counts(void) {
  if (page && page->counts_calls) __atomic_fetch_add(&page->calls, 1, __ATOMIC_RELAXED);
}

struct timespec lockproof_on_machine(int of_day, struct timespec shown) {
  const int64_t for_ever = INT64_C(4000000000); /* seconds; more does not fit into nanoseconds, and no run is so long */
  if (lockproof_speedup() == 1 || shown.tv_sec < 0 || shown.tv_sec > for_ever) return shown;
  int64_t ns = shown.tv_sec * second + shown.tv_nsec;
  if (of_day) {
    const struct setting now = set();
    if (now.rate <= 0) return shown;
    ns = now.mono + (int64_t)((wide)(ns - now.fake) * second / now.rate);
    ns += machine_ns(CLOCK_REALTIME) - machine_ns(CLOCK_MONOTONIC);
  } else {
    ns = page->life_from_ns + (ns - page->life_from_ns) / page->life_speedup;
  }
  if (ns < 0) ns = 0;
  return (struct timespec){ns / second, ns % second};
}

int clock_gettime(clockid_t id, struct timespec* ts) {
  const int of_day = is_of_day(id);
  if (!page || !(of_day || (is_of_life(id) && page->life_speedup > 0))) return (int)machine_clock(id, ts);
  lockproof_counts();
  const int64_t ns = of_day ? fake_ns() : life_ns();
  ts->tv_sec = ns / second;
  ts->tv_nsec = ns % second;
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
  const int64_t ns = timeout * INT64_C(1000000) / lockproof_speedup();
  const struct timespec sleep = {ns / 1000000000, ns % 1000000000};
  const long ready = syscall(SYS_epoll_pwait2, epoll, events, most, timeout < 0 ? NULL : &sleep, NULL, (size_t)8);
  if (ready >= 0 || errno != ENOSYS) return (int)ready;
  const int ms = timeout < 0 ? -1 : (int)((ns + 999999) / 1000000);
  return (int)syscall(SYS_epoll_pwait, epoll, events, most, ms, NULL, (size_t)8);
}
