/* SPDX-License-Identifier: Apache-2.0 */
/* System calls without libc, whose functions the shim replaces. Calls from the shim's own code pass its filter. */
#pragma once

#include <errno.h>
#include <sys/syscall.h>

#include <machine/system_call.h> /* of the machine it is compiled for */

/* The other way round: what libc's functions answer, as the kernel would. */
static inline long result_of(long answer) { return answer < 0 ? -errno : answer; }

/* As libc's functions answer: -1 and errno. */
static inline long answered(long result) {
  if (result >= 0 || result < -4095) return result;
  errno = (int)-result;
  return -1;
}

static inline long call(long n, long a, long b, long c, long d, long e, long f) {
  return answered(raw(n, a, b, c, d, e, f));
}
