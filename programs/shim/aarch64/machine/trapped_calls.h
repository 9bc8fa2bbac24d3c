/* SPDX-License-Identifier: Apache-2.0 */
/* The system calls of aarch64 that stand for several of x86-64, and where a trapped call has its arguments. */
#pragma once

#include <errno.h>
#include <poll.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>

#include "programs/shim/raw.h"

static const int trapped_here[] = {SYS_ppoll};
static const int refused_here[] = {SYS_execve};

static inline long serve_here(long n, long a, long b, long c) {
  return n == SYS_ppoll ? result_of(ppoll((struct pollfd*)a, (nfds_t)b, (const struct timespec*)c, NULL)) : -ENOSYS;
}

static inline const char* name_here(long n) { return n == SYS_ppoll ? "ppoll" : NULL; }

static inline void answer_call(ucontext_t* context, long n,
                               long (*serve)(long n, long a, long b, long c, long d, long e)) {
  unsigned long long* const x = context->uc_mcontext.regs;
  x[0] = (unsigned long long)serve(n, (long)x[0], (long)x[1], (long)x[2], (long)x[3], (long)x[4]);
}
