/* SPDX-License-Identifier: Apache-2.0 */
/* What does not pass through libc's functions is trapped by the kernel, unless it comes from the shim itself, and
   served here: system calls that a runtime makes by itself, and those from inside of libc, such as stdio's write. So
   are those that are made by their number, with libc's syscall. */
#include "shim.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include <machine/trapped_calls.h>
#include "raw.h"

/* Trapped wherever they come from, with those of this kind of machine. */
static const int trapped[] = {SYS_getrandom,
                              SYS_clock_gettime,
                              SYS_gettimeofday,
                              SYS_nanosleep,
                              SYS_clock_nanosleep,
                              SYS_getpid,
                              SYS_connect,
                              SYS_sendto,
                              SYS_recvfrom,
                              SYS_io_uring_setup,
                              SYS_openat,
                              SYS_setitimer,
                              SYS_timer_create,
                              SYS_timerfd_create,
                              SYS_close,
                              SYS_uname,
                              SYS_exit_group,
                              SYS_sysinfo,
                              SYS_sched_getaffinity,
                              SYS_getrusage,
                              SYS_times,
                              SYS_newfstatat,
                              SYS_statx,
                              SYS_fstat,
                              SYS_kill,
                              SYS_statfs,
                              SYS_fstatfs,
                              SYS_getpgid,
                              SYS_getsid};
/* Refused without a trap: libc has blocked all signals when it makes these, and a blocked trap kills. */
static const struct { int call, error; } refused[] = {{SYS_execveat, EPERM}, {SYS_clone3, ENOSYS}};
enum {
  trapped_count = sizeof trapped / sizeof *trapped,
  trapped_here_count = sizeof trapped_here / sizeof *trapped_here,
  refused_count = sizeof refused / sizeof *refused,
  refused_here_count = sizeof refused_here / sizeof *refused_here,
};

static uintptr_t code_from, code_to; /* of this library */

static int find_code(struct dl_phdr_info* library, size_t size, void* unused) {
  (void)size, (void)unused;
  for (int i = 0; i < library->dlpi_phnum; ++i) {
    const ElfW(Phdr)* part = &library->dlpi_phdr[i];
    const uintptr_t from = library->dlpi_addr + part->p_vaddr, to = from + part->p_memsz;
    const uintptr_t mine = (uintptr_t)&find_code;
    if (part->p_type != PT_LOAD || !(part->p_flags & PF_X) || mine < from || mine >= to) continue;
    code_from = from;
    code_to = to;
    return 1;
  }
  return 0;
}

static long serve(long n, long a, long b, long c, long d, long e) {
  switch (n) {
    case SYS_getrandom: shim_draw((void*)a, (size_t)b); return b;
    case SYS_clock_gettime: return result_of(clock_gettime((clockid_t)a, (struct timespec*)b));
    case SYS_gettimeofday: return result_of(gettimeofday((struct timeval*)a, NULL));
    case SYS_nanosleep: return result_of(nanosleep((const struct timespec*)a, NULL));
    case SYS_clock_nanosleep: return -clock_nanosleep((clockid_t)a, (int)b, (const struct timespec*)c, NULL);
    case SYS_getpid: return getpid();
    case SYS_gettid: return gettid();
    case SYS_connect: return result_of(connect((int)a, (const struct sockaddr*)b, (socklen_t)c));
    case SYS_sendto: return result_of(sendto((int)a, (const void*)b, (size_t)c, (int)d, NULL, 0));
    case SYS_recvfrom: return result_of(recvfrom((int)a, (void*)b, (size_t)c, (int)d, NULL, NULL));
    case SYS_openat: return result_of(shim_open((int)a, (const char*)b, (int)c, (int)d));
    case SYS_read: return result_of(read((int)a, (void*)b, (size_t)c));
    case SYS_write: return result_of(write((int)a, (const void*)b, (size_t)c));
    case SYS_close: return result_of(close((int)a));
    case SYS_exit_group: shim_end((int)a); return 0;
    case SYS_kill: return result_of(kill((pid_t)a, (int)b));
    case SYS_getpgid: return result_of(getpgid((pid_t)a));
    case SYS_getsid: return result_of(getsid((pid_t)a));
    case SYS_statfs:
    case SYS_fstatfs: return shim_statfs(raw(n, a, b, 0, 0, 0, 0), (struct statfs*)b);
    case SYS_uname: return result_of(uname((struct utsname*)a));
    case SYS_sysinfo: return result_of(sysinfo((struct sysinfo*)a));
    case SYS_getrusage: return result_of(getrusage((__rusage_who_t)a, (struct rusage*)b));
    case SYS_times: return times((struct tms*)a);
    case SYS_fstat: return shim_stat(raw(SYS_fstat, a, b, 0, 0, 0, 0), (struct stat*)b);
    case SYS_newfstatat: return shim_stat(raw(SYS_newfstatat, a, b, c, d, 0, 0), (struct stat*)c);
    case SYS_statx: return shim_statx(raw(SYS_statx, a, b, c, d, e, 0), (struct statx*)e);
    case SYS_sched_getaffinity: return shim_affinity((size_t)b, (unsigned char*)c);
    case SYS_futex: return shim_futex((const int*)a, (int)b, (int)c, (const struct timespec*)d);
    default: return serve_here(n, a, b, c);
  }
}

static const char* name_of(long n) {
  switch (n) {
    case SYS_clock_gettime: return "clock_gettime";
    case SYS_connect: return "connect";
    case SYS_io_uring_setup: return "io_uring_setup";
    case SYS_timerfd_create: return "timerfd_create";
    case SYS_setitimer: return "setitimer";
    case SYS_timer_create: return "timer_create";
    default: return name_here(n); /* or nothing to tell: it is served as libc's function is */
  }
}

static __thread int was_refused; /* the last call of this thread that was served here */

static long serve_or_refuse(long n, long a, long b, long c, long d, long e) {
  const long answer = serve(n, a, b, c, d, e);
  const char* const name = name_of(n);
  was_refused = answer == -ENOSYS && name;
  if (was_refused) shim_refuse("calls ", name);
  return answer;
}

/* libc's way to call the kernel by number. It would come from the shim's own code, and pass the filter. */
long syscall(long n, ...) {
  long with[6];
  va_list arguments;
  va_start(arguments, n);
  for (int i = 0; i < 6; ++i) with[i] = va_arg(arguments, long);
  va_end(arguments);
  int is_served = n == SYS_read || n == SYS_write || n == SYS_futex || n == SYS_gettid;
  for (int i = 0; i < trapped_count; ++i) is_served |= trapped[i] == n;
  for (int i = 0; i < trapped_here_count; ++i) is_served |= trapped_here[i] == n;
  if (shim_on && is_served) return answered(serve_or_refuse(n, with[0], with[1], with[2], with[3], with[4]));
  return call(n, with[0], with[1], with[2], with[3], with[4], with[5]);
}

static void on_trap(int signal, siginfo_t* about, void* context) {
  (void)signal;
  const int before = errno;
  const char* const name = name_of(about->si_syscall);
  answer_call(context, about->si_syscall, serve_or_refuse);
  if (name && !was_refused) shim_remark("calls the kernel directly: ", name);
  errno = before;
}

/* The filter, as a list of instructions. */
static struct sock_filter filter[2 * (trapped_count + trapped_here_count + refused_count + refused_here_count) + 40];
static unsigned short filter_length;

static void add(uint16_t code, uint32_t k, uint8_t if_so, uint8_t if_not) {
  filter[filter_length++] = (struct sock_filter){code, if_so, if_not, k};
}
static void load(size_t field) { add(BPF_LD | BPF_W | BPF_ABS, (uint32_t)field, 0, 0); }
static void answer(uint32_t what) { add(BPF_RET | BPF_K, what, 0, 0); }
static void unless(uint32_t equal, uint8_t skip) { add(BPF_JMP | BPF_JEQ | BPF_K, equal, 0, skip); }
static void answer_one(int call, uint32_t what) {
  unless((uint32_t)call, 1);
  answer(what);
}

/* What is done with the call if its first argument, under this mask, is that. */
static void add_rule(int call, uint32_t mask, uint32_t argument, uint32_t what) {
  unless((uint32_t)call, 5);
  load(offsetof(struct seccomp_data, args[0]));
  add(BPF_ALU | BPF_AND | BPF_K, mask, 0, 0);
  unless(argument, 1);
  answer(what);
  answer(SECCOMP_RET_ALLOW);
}

static void make_filter(void) {
  load(offsetof(struct seccomp_data, instruction_pointer) + 4);
  unless((uint32_t)(code_from >> 32), 4);
  load(offsetof(struct seccomp_data, instruction_pointer));
  add(BPF_JMP | BPF_JGE | BPF_K, (uint32_t)code_from, 0, 2);
  add(BPF_JMP | BPF_JGE | BPF_K, (uint32_t)code_to, 1, 0);
  answer(SECCOMP_RET_ALLOW);
  load(offsetof(struct seccomp_data, nr));
  for (int i = 0; i < trapped_count; ++i) answer_one(trapped[i], SECCOMP_RET_TRAP);
  for (int i = 0; i < trapped_here_count; ++i) answer_one(trapped_here[i], SECCOMP_RET_TRAP);
  for (int i = 0; i < refused_count; ++i) answer_one(refused[i].call, SECCOMP_RET_ERRNO | (uint32_t)refused[i].error);
  for (int i = 0; i < refused_here_count; ++i) answer_one(refused_here[i], SECCOMP_RET_ERRNO | EPERM);
  add_rule(SYS_write, ~0u, 1, SECCOMP_RET_TRAP); /* standard output */
  add_rule(SYS_read, ~0u, 0, SECCOMP_RET_TRAP);  /* standard input */
  add_rule(SYS_clone, CLONE_THREAD, 0, SECCOMP_RET_ERRNO | EPERM);
  answer(SECCOMP_RET_ALLOW);
}

void shim_trap(void) {
  dl_iterate_phdr(find_code, NULL);
  struct sigaction action = {0};
  action.sa_sigaction = on_trap;
  action.sa_flags = SA_SIGINFO | SA_NODEFER;
  sigaction(SIGSYS, &action, NULL);
  make_filter();
  const struct sock_fprog program = {filter_length, filter};
  raw(SYS_prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0, 0);
  if (raw(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, (long)&program, 0, 0, 0) != 0) {
    shim_remark("the kernel refuses a seccomp filter", "");
  }
}

/* A blocked SIGSYS would kill. */
static const sigset_t* without_trap(const sigset_t* set, sigset_t* into) {
  if (!set) return set;
  *into = *set;
  sigdelset(into, SIGSYS);
  return into;
}

int pthread_sigmask(int how, const sigset_t* restrict set, sigset_t* restrict old) {
  sigset_t allowed;
  const sigset_t* const to = shim_on && how != SIG_UNBLOCK ? without_trap(set, &allowed) : set;
  return (int)-raw(SYS_rt_sigprocmask, how, (long)to, (long)old, 8, 0, 0);
}

int sigprocmask(int how, const sigset_t* restrict set, sigset_t* restrict old) {
  const int failed = pthread_sigmask(how, set, old);
  if (!failed) return 0;
  errno = failed;
  return -1;
}
