/* SPDX-License-Identifier: Apache-2.0 */
/* Clocks, which stand still between two waits, and sleeping. */
#include "shim.h"

#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "raw.h"

enum {
  second_ns = 1000000000,
  waiting_readings = 64, /* from then on each reading adds a nanosecond: who waits until it is *later* ends */
  spinning_readings = 200000,
  vain_looks = 20000
};
static const int64_t spin_ns = 1000000;
static const int64_t cpu_ns = 1000000; /* what clocks of processor time show */

unsigned shim_readings;

static int64_t creep(void) { return shim_readings > waiting_readings ? (int64_t)shim_readings - waiting_readings : 0; }

int64_t shim_clock(int clock) {
  switch (clock) {
    case CLOCK_REALTIME:
    case CLOCK_REALTIME_COARSE:
    case CLOCK_TAI: return shim_wall_ns + creep();
    case CLOCK_BOOTTIME: return shim_boot_ns + creep();
    case CLOCK_PROCESS_CPUTIME_ID:
    case CLOCK_THREAD_CPUTIME_ID: return cpu_ns;
    default: return shim_mono_ns + creep();
  }
}

/* Beyond what a clock can count: for ever. */
static int64_t in_ns(int64_t seconds, int64_t ns) {
  return seconds > INT64_MAX / second_ns / 4 ? INT64_MAX / 4 : seconds * second_ns + ns;
}

int64_t shim_length(const struct timespec* t) { return in_ns(t->tv_sec, t->tv_nsec); }

int64_t shim_after(int64_t wait_ns) { return shim_mono_ns + wait_ns; }

int64_t shim_until(int clock, const struct timespec* at) {
  const int64_t base = clock == CLOCK_REALTIME ? shim_wall_ns : clock == CLOCK_BOOTTIME ? shim_boot_ns : shim_mono_ns;
  return in_ns(at->tv_sec, at->tv_nsec) - base + shim_mono_ns;
}

/* Twice as long each time: who looks so for ever shall not take for ever. */
void shim_look_in_vain(void) {
  static unsigned looks, inputs;
  static int64_t pass_ns;
  if (inputs != shim_inputs) {
    inputs = shim_inputs;
    looks = 0;
    pass_ns = spin_ns;
  }
  if (++looks < vain_looks) return;
  shim_remark("looks again and again without waiting", "");
  shim_sleep(shim_mono_ns + pass_ns);
  inputs = shim_inputs;
  looks = 0;
  if (pass_ns < second_ns) pass_ns *= 2;
}

int clock_gettime(clockid_t clock, struct timespec* into) {
  if (!shim_on) return (int)call(SYS_clock_gettime, clock, (long)into, 0, 0, 0, 0);
  if (++shim_readings > spinning_readings) {
    shim_remark("waits by looking at the clock again and again", "");
    shim_sleep(shim_mono_ns + spin_ns);
  }
  const int64_t ns = shim_clock(clock);
  into->tv_sec = ns / second_ns;
  into->tv_nsec = ns % second_ns;
  return 0;
}

int gettimeofday(struct timeval* restrict into, void* restrict zone) {
  struct timespec now;
  (void)zone;
  clock_gettime(CLOCK_REALTIME, &now);
  into->tv_sec = now.tv_sec;
  into->tv_usec = now.tv_nsec / 1000;
  return 0;
}

time_t time(time_t* into) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (into) *into = now.tv_sec;
  return now.tv_sec;
}

int clock_nanosleep(clockid_t clock, int flags, const struct timespec* wanted, struct timespec* rest) {
  if (!shim_on) return (int)-raw(SYS_clock_nanosleep, clock, flags, (long)wanted, (long)rest, 0, 0);
  const int64_t until = flags & TIMER_ABSTIME ? shim_until(clock, wanted) : shim_after(shim_length(wanted));
  if (until <= shim_mono_ns) shim_look_in_vain();
  shim_sleep(until);
  return 0;
}

int nanosleep(const struct timespec* wanted, struct timespec* rest) {
  return clock_nanosleep(CLOCK_MONOTONIC, 0, wanted, rest) == 0 ? 0 : -1;
}

int usleep(useconds_t us) {
  const struct timespec wanted = {us / 1000000, us % 1000000 * 1000L};
  return nanosleep(&wanted, NULL);
}

unsigned sleep(unsigned seconds) {
  const struct timespec wanted = {seconds, 0};
  nanosleep(&wanted, NULL);
  return 0;
}
