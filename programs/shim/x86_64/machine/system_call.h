/* SPDX-License-Identifier: Apache-2.0 */
/* How a program on x86-64 calls the kernel. */
#pragma once

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
