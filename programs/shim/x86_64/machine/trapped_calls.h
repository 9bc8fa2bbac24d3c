/* SPDX-License-Identifier: Apache-2.0 */
/* The system calls of x86-64 that aarch64 does not have, and where a trapped call has its arguments. */
#pragma once

#include <errno.h>
#include <poll.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>

#include "programs/shim/raw.h"
#include "programs/shim/shim.h"

static const int trapped_here[] = {SYS_time, SYS_poll, SYS_open, SYS_alarm, SYS_stat, SYS_lstat};
static const int refused_here[] = {SYS_fork, SYS_vfork, SYS_execve};

static inline long serve_here(long n, long a, long b, long c) {
  switch (n) {
    case SYS_time: return result_of(time((time_t*)a));
    case SYS_poll: return result_of(poll((struct pollfd*)a, (nfds_t)b, (int)c));
    case SYS_open: return result_of(shim_open(-100 /* AT_FDCWD */, (const char*)a, (int)b, (int)c));
    case SYS_stat:
    case SYS_lstat: return shim_stat(raw(n, a, b, 0, 0, 0, 0), (struct stat*)b);
    default: return -ENOSYS;
  }
}

static inline const char* name_here(long n) {
  switch (n) {
    case SYS_poll: return "poll";
    case SYS_alarm: return "alarm";
    default: return NULL;
  }
}

static inline void answer_call(ucontext_t* context, long n,
                               long (*serve)(long n, long a, long b, long c, long d, long e)) {
  greg_t* const r = context->uc_mcontext.gregs;
  r[REG_RAX] = serve(n, r[REG_RDI], r[REG_RSI], r[REG_RDX], r[REG_R10], r[REG_R8]);
}
