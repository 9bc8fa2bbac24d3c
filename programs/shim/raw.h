/* SPDX-License-Identifier: Apache-2.0 */
/* System calls without libc, whose functions the shim replaces. Calls from the shim's own code pass its filter. */
#pragma once

#include <errno.h>
#include <sys/syscall.h>

/* The kernel's own result: an error is a small negative number. */
static inline long raw(long n, long a, long b, long c, long d, long e, long f) {
  long result;
  register long r10 __asm__("r10") = d;
  register long r8 __asm__("r8") = e;
  register long r9 __asm__("r9") = f;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(n), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                   : "rcx", "r11", "memory");
  return result;
}

/* As libc's functions answer: -1 and errno. */
static inline long answered(long result) {
  if (result >= 0 || result < -4095) return result;
  errno = (int)-result;
  return -1;
}

static inline long call(long n, long a, long b, long c, long d, long e, long f) {
  return answered(raw(n, a, b, c, d, e, f));
}
