/* SPDX-License-Identifier: Apache-2.0 */
/* Preloaded into a server together with the clock. A segment of System V shared memory outlives its processes, unless
   they delete it, which a killed one does not: PostgreSQL would leave one behind with each run, of the some thousands
   that a machine has. Marked as deleted once it is attached, it lives as long as a process has it, and no longer. */
#define _GNU_SOURCE
#include <sys/ipc.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <unistd.h>

void* shmat(int segment, const void* at, int flags) {
  void* const there = (void*)syscall(SYS_shmat, segment, at, flags);
  if (there != (void*)-1) syscall(SYS_shmctl, segment, IPC_RMID, NULL);
  return there;
}
