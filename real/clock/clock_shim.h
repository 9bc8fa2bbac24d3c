/* SPDX-License-Identifier: Apache-2.0 */
/* What the two parts of the shim share: clock_shim.c, which shows clocks, and wait_shim.c, which waits by them. */
#pragma once

#include <stdint.h>
#include <time.h>

#pragma GCC visibility push(hidden)

/* How many times as fast as the machine this process lives; 1: as fast. */
int64_t lockproof_speedup(void);
/* A call that asks for the time or waits for some has been made. */
void lockproof_counts(void);
/* When the machine's clock shows what it shows as the process's own one shows this. Not 0: the time of day, else the
   monotonic clock. */
struct timespec lockproof_on_machine(int of_day, struct timespec shown);

#pragma GCC visibility pop
