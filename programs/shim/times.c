/* SPDX-License-Identifier: Apache-2.0 */
/* When files were written. The kernel writes that down by the machine's clock: of a file that was there before the
   program it is a fact about the machine, like what the file has; of one that was written since, it is shown as now. */
#include "shim.h"

#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>

#include "raw.h"

static const int64_t second_ns = 1000000000;

int64_t shim_files_from_ns;

static int is_new(int64_t seconds, int64_t ns) {
  return seconds >= shim_files_from_ns / second_ns - 1 && seconds * second_ns + ns >= shim_files_from_ns;
}

static void tell(mode_t mode) {
  if (S_ISREG(mode)) shim_remark("asks when a file was written, which it has written itself: it is shown as now", "");
}

static int show(struct timespec* at) {
  if (!is_new(at->tv_sec, at->tv_nsec)) return 0;
  *at = (struct timespec){shim_wall_ns / second_ns, shim_wall_ns % second_ns};
  return 1;
}

static int show_x(struct statx_timestamp* at) {
  if (!is_new(at->tv_sec, at->tv_nsec)) return 0;
  at->tv_sec = shim_wall_ns / second_ns;
  at->tv_nsec = (uint32_t)(shim_wall_ns % second_ns);
  return 1;
}

/* What the kernel has answered to a call that ended well. When a file was read last is no part of it: that changes
   whenever somebody reads it. */
long shim_stat(long answer, struct stat* of) {
  if (answer != 0) return answer;
  if (S_ISFIFO(of->st_mode) || S_ISSOCK(of->st_mode)) of->st_ino = 1; /* of pipes it is another one in each run */
  show(&of->st_ctim);
  if (show(&of->st_mtim)) tell(of->st_mode);
  of->st_atim = of->st_mtim;
  return answer;
}

long shim_statx(long answer, struct statx* of) {
  if (answer != 0) return answer;
  if (S_ISFIFO(of->stx_mode) || S_ISSOCK(of->stx_mode)) of->stx_ino = 1;
  show_x(&of->stx_ctime);
  show_x(&of->stx_btime);
  if (show_x(&of->stx_mtime)) tell(of->stx_mode);
  of->stx_atime = of->stx_mtime;
  return answer;
}
