/* SPDX-License-Identifier: Apache-2.0 */
/* The page through which lockproof sets the clock of a server, or of a program under test: written by clock_page.cpp,
   read by clock_shim.c inside of it. C, because the shim is. Fields are read and written with __atomic builtins. */
#pragma once

#include <stdint.h>

/* In the environment: the number of an inherited descriptor, or a path. */
#define LOCKPROOF_CLOCK_VARIABLE "LOCKPROOF_CLOCK"

/* fake = base_fake_ns + (CLOCK_MONOTONIC - base_mono_ns) * rate_ppb / 10^9, both in nanoseconds. */
struct lockproof_clock_page {
  uint64_t sequence; /* odd while it is being written */
  int64_t base_mono_ns;
  int64_t base_fake_ns; /* since 1970 */
  int64_t rate_ppb;     /* 10^9: as fast as the machine; 0: frozen */
  /* Set once, before the server starts. Above 0, all its time runs so many times as fast as the machine's from that
     instant on: its monotonic clock, and how long it sleeps. */
  int64_t life_from_ns;
  int64_t life_speedup;
  /* Set once, too: not 0 where the calls that ask for the time, or wait for some, are counted. */
  uint64_t counts_calls;
  uint64_t calls;
};
