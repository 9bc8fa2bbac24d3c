/* SPDX-License-Identifier: Apache-2.0 */
/* Signals that the program sends. In virtual time there is nobody but itself, by a number that is another process's on
   this machine: a signal to itself strikes the thread that runs, before the call returns. */
#include "shim.h"

#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <unistd.h>

#include "raw.h"

static int strike(int number) {
  if (number == SIGSTOP || number == SIGTSTP) {
    shim_refuse("stops itself", "");
    errno = EPERM;
    return -1;
  }
  const long process = raw(SYS_getpid, 0, 0, 0, 0, 0, 0), thread = raw(SYS_gettid, 0, 0, 0, 0, 0, 0);
  return (int)call(SYS_tgkill, process, thread, number, 0, 0, 0);
}

static int miss(int number) {
  if (number != 0) shim_refuse("sends a signal to another process", "");
  errno = ESRCH;
  return -1;
}

/* It is alone in its group. */
int kill(pid_t to, int number) {
  if (!shim_on) return (int)call(SYS_kill, to, number, 0, 0, 0, 0);
  return to == shim_pid || to == -shim_pid || to == 0 ? strike(number) : miss(number);
}

int killpg(pid_t group, int number) { return kill(group == 0 ? 0 : -group, number); }

int sigqueue(pid_t to, int number, const union sigval value) {
  (void)value;
  return kill(to, number);
}

int tgkill(pid_t process, pid_t thread, int number) {
  if (!shim_on) return (int)call(SYS_tgkill, process, thread, number, 0, 0, 0);
  return process == shim_pid && thread == gettid() ? strike(number) : miss(number);
}

int raise(int number) { return strike(number); }

/* Another thread waits for the baton, where it must not be disturbed. */
int pthread_kill(pthread_t thread, int number) {
  static int (*real)(pthread_t, int);
  if (!real) real = dlsym(RTLD_NEXT, "pthread_kill");
  if (!shim_on) return real(thread, number);
  if (pthread_equal(thread, pthread_self())) return strike(number) == 0 ? 0 : errno;
  if (number != 0) shim_refuse("sends a signal to another of its threads", "");
  return number == 0 ? 0 : ENOSYS;
}
