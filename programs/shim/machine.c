/* SPDX-License-Identifier: Apache-2.0 */
/* What a program learns of its machine: it is the same on every one. */
#include "shim.h"

#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <sys/times.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "raw.h"

static const int64_t second_ns = 1000000000;
static const unsigned long memory = 4UL << 30, free_memory = 2UL << 30, used_memory = 64UL << 20;
static const int64_t ticks = 100; /* in a second */

/* The kernel is the one that there is: programs ask what it can do. */
int uname(struct utsname* into) {
  const int failed = (int)call(SYS_uname, (long)into, 0, 0, 0, 0, 0);
  if (!failed && shim_on) {
    memset(into->nodename, 0, sizeof into->nodename);
    memcpy(into->nodename, "lockproof", sizeof "lockproof");
  }
  return failed;
}

int gethostname(char* name, size_t length) {
  struct utsname machine;
  if (uname(&machine) != 0) return -1;
  const size_t needed = strlen(machine.nodename) + 1;
  if (needed > length) {
    errno = ENAMETOOLONG;
    return -1;
  }
  memcpy(name, machine.nodename, needed);
  return 0;
}

int sysinfo(struct sysinfo* into) {
  if (!shim_on) return (int)call(SYS_sysinfo, (long)into, 0, 0, 0, 0, 0);
  memset(into, 0, sizeof *into);
  into->uptime = (long)(shim_boot_ns / second_ns);
  into->totalram = memory;
  into->freeram = free_memory;
  into->procs = 1;
  into->mem_unit = 1;
  return 0;
}

/* What the program has used, always the same: of the processor as little as its clock shows (clock.c). */
int getrusage(__rusage_who_t whose, struct rusage* into) {
  if (!shim_on) return (int)call(SYS_getrusage, whose, (long)into, 0, 0, 0, 0);
  memset(into, 0, sizeof *into);
  into->ru_maxrss = (long)(used_memory >> 10);
  if (whose != RUSAGE_CHILDREN) into->ru_utime.tv_usec = 1000;
  return 0;
}

clock_t times(struct tms* into) {
  if (!shim_on) return call(SYS_times, (long)into, 0, 0, 0, 0, 0);
  if (into) memset(into, 0, sizeof *into);
  return shim_boot_ns / (second_ns / ticks);
}

/* One processor. Answers as the kernel does: the bytes that it has written. */
long shim_affinity(size_t size, unsigned char* mask) {
  if (size < sizeof(unsigned long)) return -EINVAL;
  memset(mask, 0, sizeof(unsigned long));
  mask[0] = 1;
  return sizeof(unsigned long);
}

int sched_getaffinity(pid_t of, size_t size, cpu_set_t* mask) {
  const long written = shim_on ? shim_affinity(size, (unsigned char*)mask)
                               : raw(SYS_sched_getaffinity, of, (long)size, (long)mask, 0, 0, 0);
  if (written < 0) return (int)answered(written);
  memset((unsigned char*)mask + written, 0, size - (size_t)written);
  return 0;
}

/* How much room a file system has left changes with all that others do. */
long shim_statfs(long answer, struct statfs* of) {
  if (answer != 0) return answer;
  of->f_bfree = of->f_bavail = of->f_blocks / 2;
  of->f_ffree = of->f_files / 2;
  return answer;
}

/* It leads its group and its session. */
pid_t getpgrp(void) { return shim_on ? shim_pid : (pid_t)raw(SYS_getpgid, 0, 0, 0, 0, 0, 0); }

pid_t getpgid(pid_t of) {
  if (!shim_on) return (pid_t)call(SYS_getpgid, of, 0, 0, 0, 0, 0);
  if (of == 0 || of == shim_pid) return shim_pid;
  errno = ESRCH;
  return -1;
}

pid_t getsid(pid_t of) { return shim_on ? getpgid(of) : (pid_t)call(SYS_getsid, of, 0, 0, 0, 0, 0); }
