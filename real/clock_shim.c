/* SPDX-License-Identifier: Apache-2.0 */
/* Preloaded into redis-server: its wall clock then shows what lockproof's clock page says. Only the time of day is
   faked; monotonic clocks pass through, so the server's event loop is not disturbed. Raw system calls, because the
   allocator asks for the time before libc can be looked up. Without a page it shows the machine's own time. */
#define _GNU_SOURCE
#include <stdlib.h>
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
    mono = __atomic_load_n(&page->base_mono_ns, __ATOMIC_RELAXED);
    fake = __atomic_load_n(&page->base_fake_ns, __ATOMIC_RELAXED);
    rate = __atomic_load_n(&page->rate_ppb, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
  } while ((before & 1) != 0 || before != __atomic_load_n(&page->sequence, __ATOMIC_RELAXED));
  machine_clock(CLOCK_MONOTONIC, &now);
  const int64_t passed = now.tv_sec * INT64_C(1000000000) + now.tv_nsec - mono;
  __extension__ typedef __int128 wide;
  return fake + (int64_t)((wide)passed * rate / 1000000000);
}

int clock_gettime(clockid_t id, struct timespec* ts) {
  if (!page || (id != CLOCK_REALTIME && id != CLOCK_REALTIME_COARSE)) return (int)machine_clock(id, ts);
  const int64_t ns = fake_ns();
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
