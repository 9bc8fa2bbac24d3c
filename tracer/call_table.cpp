// SPDX-License-Identifier: Apache-2.0
#include "tracer/call_table.hpp"

#include <sys/syscall.h>

#include <algorithm>
#include <array>

#include "tracer/calls/handlers.hpp"

namespace lockproof::tracer {
namespace {

constexpr Call served(long number, const char* name, Outcome (*serve)(TracedWorld&, Thread&)) {
  return {number, name, Treatment::served, serve};
}
constexpr Call passed(long number, const char* name) { return {number, name, Treatment::passed}; }
constexpr Call lacking(long number, const char* name) { return {number, name, Treatment::lacking}; }
constexpr Call refused(long number, const char* name) { return {number, name, Treatment::refused}; }

// clang-format off
constexpr std::array table{
    // Descriptors.
    served(SYS_read, "read", serve_read),
    served(SYS_readv, "readv", serve_read),
    served(SYS_write, "write", serve_write),
    served(SYS_writev, "writev", serve_write),
    served(SYS_recvfrom, "recvfrom", serve_recvfrom),
    served(SYS_recvmsg, "recvmsg", serve_recvmsg),
    served(SYS_sendto, "sendto", serve_sendto),
    served(SYS_sendmsg, "sendmsg", serve_sendmsg),
    served(SYS_poll, "poll", serve_poll),
    served(SYS_ppoll, "ppoll", serve_poll),
    served(SYS_select, "select", serve_select),
    served(SYS_pselect6, "pselect6", serve_select),
    served(SYS_epoll_wait, "epoll_wait", serve_epoll_wait),
    served(SYS_epoll_pwait, "epoll_pwait", serve_epoll_wait),
    served(SYS_epoll_pwait2, "epoll_pwait2", serve_epoll_wait),
    served(SYS_fcntl, "fcntl", serve_fcntl),
    served(SYS_flock, "flock", serve_flock),
    passed(SYS_close, "close"), passed(SYS_close_range, "close_range"), passed(SYS_dup, "dup"),
    passed(SYS_dup2, "dup2"), passed(SYS_dup3, "dup3"), passed(SYS_pipe, "pipe"), passed(SYS_pipe2, "pipe2"),
    passed(SYS_eventfd, "eventfd"), passed(SYS_eventfd2, "eventfd2"), passed(SYS_epoll_create, "epoll_create"),
    passed(SYS_epoll_create1, "epoll_create1"), passed(SYS_epoll_ctl, "epoll_ctl"), passed(SYS_ioctl, "ioctl"),
    passed(SYS_lseek, "lseek"), passed(SYS_pread64, "pread64"), passed(SYS_pwrite64, "pwrite64"),
    passed(SYS_preadv, "preadv"), passed(SYS_pwritev, "pwritev"), passed(SYS_preadv2, "preadv2"),
    passed(SYS_pwritev2, "pwritev2"), passed(SYS_sendfile, "sendfile"),
    passed(SYS_copy_file_range, "copy_file_range"), passed(SYS_splice, "splice"), passed(SYS_tee, "tee"),
    // Files.
    served(SYS_open, "open", serve_open),
    served(SYS_openat, "openat", serve_open),
    served(SYS_stat, "stat", serve_stat),
    served(SYS_lstat, "lstat", serve_stat),
    served(SYS_fstat, "fstat", serve_stat),
    served(SYS_newfstatat, "newfstatat", serve_stat),
    served(SYS_statx, "statx", serve_statx),
    served(SYS_statfs, "statfs", serve_statfs),
    served(SYS_fstatfs, "fstatfs", serve_statfs),
    served(SYS_getdents64, "getdents64", serve_getdents),
    passed(SYS_access, "access"), passed(SYS_faccessat, "faccessat"), passed(SYS_faccessat2, "faccessat2"),
    passed(SYS_readlink, "readlink"), passed(SYS_readlinkat, "readlinkat"), passed(SYS_creat, "creat"),
    passed(SYS_mkdir, "mkdir"), passed(SYS_mkdirat, "mkdirat"), passed(SYS_rmdir, "rmdir"),
    passed(SYS_rename, "rename"), passed(SYS_renameat, "renameat"), passed(SYS_renameat2, "renameat2"),
    passed(SYS_unlink, "unlink"), passed(SYS_unlinkat, "unlinkat"), passed(SYS_link, "link"),
    passed(SYS_linkat, "linkat"), passed(SYS_symlink, "symlink"), passed(SYS_symlinkat, "symlinkat"),
    passed(SYS_chmod, "chmod"), passed(SYS_fchmod, "fchmod"), passed(SYS_fchmodat, "fchmodat"),
    passed(SYS_chown, "chown"), passed(SYS_fchown, "fchown"), passed(SYS_lchown, "lchown"),
    passed(SYS_fchownat, "fchownat"), passed(SYS_truncate, "truncate"), passed(SYS_ftruncate, "ftruncate"),
    passed(SYS_fallocate, "fallocate"), passed(SYS_fadvise64, "fadvise64"), passed(SYS_readahead, "readahead"),
    passed(SYS_fsync, "fsync"), passed(SYS_fdatasync, "fdatasync"), passed(SYS_sync_file_range, "sync_file_range"),
    passed(SYS_syncfs, "syncfs"), passed(SYS_sync, "sync"), passed(SYS_chdir, "chdir"), passed(SYS_fchdir, "fchdir"),
    passed(SYS_getcwd, "getcwd"), passed(SYS_umask, "umask"), passed(SYS_utime, "utime"),
    passed(SYS_utimes, "utimes"), passed(SYS_utimensat, "utimensat"), passed(SYS_getxattr, "getxattr"),
    passed(SYS_lgetxattr, "lgetxattr"), passed(SYS_fgetxattr, "fgetxattr"), passed(SYS_listxattr, "listxattr"),
    passed(SYS_llistxattr, "llistxattr"), passed(SYS_flistxattr, "flistxattr"), passed(SYS_setxattr, "setxattr"),
    passed(SYS_fsetxattr, "fsetxattr"), passed(SYS_mknod, "mknod"), passed(SYS_mknodat, "mknodat"),
    passed(SYS_inotify_init, "inotify_init"), passed(SYS_inotify_init1, "inotify_init1"),
    passed(SYS_inotify_add_watch, "inotify_add_watch"), passed(SYS_inotify_rm_watch, "inotify_rm_watch"),
    passed(SYS_memfd_create, "memfd_create"),
    // Sockets.
    served(SYS_socket, "socket", serve_socket),
    served(SYS_connect, "connect", serve_connect),
    served(SYS_bind, "bind", serve_bind),
    served(SYS_accept, "accept", serve_accept),
    served(SYS_accept4, "accept4", serve_accept),
    served(SYS_getsockname, "getsockname", serve_socket_name),
    served(SYS_getpeername, "getpeername", serve_socket_name),
    served(SYS_setsockopt, "setsockopt", serve_setsockopt),
    served(SYS_getsockopt, "getsockopt", serve_getsockopt),
    served(SYS_listen, "listen", serve_listen),
    served(SYS_shutdown, "shutdown", serve_shutdown),
    passed(SYS_socketpair, "socketpair"),
    // Time and timers.
    served(SYS_clock_gettime, "clock_gettime", serve_clock_gettime),
    served(SYS_gettimeofday, "gettimeofday", serve_gettimeofday),
    served(SYS_time, "time", serve_time),
    served(SYS_times, "times", serve_times),
    served(SYS_nanosleep, "nanosleep", serve_nanosleep),
    served(SYS_clock_nanosleep, "clock_nanosleep", serve_clock_nanosleep),
    served(SYS_sched_yield, "sched_yield", serve_sched_yield),
    served(SYS_setitimer, "setitimer", serve_setitimer),
    served(SYS_getitimer, "getitimer", serve_getitimer),
    served(SYS_alarm, "alarm", serve_alarm),
    served(SYS_timerfd_create, "timerfd_create", serve_timerfd_create),
    served(SYS_timerfd_settime, "timerfd_settime", serve_timerfd_settime),
    served(SYS_timerfd_gettime, "timerfd_gettime", serve_timerfd_gettime),
    passed(SYS_clock_getres, "clock_getres"),
    // Processes, threads, signals.
    served(SYS_clone, "clone", serve_clone),
    served(SYS_fork, "fork", serve_fork),
    served(SYS_vfork, "vfork", serve_vfork),
    served(SYS_exit, "exit", serve_exit),
    served(SYS_exit_group, "exit_group", serve_exit_group),
    served(SYS_wait4, "wait4", serve_wait),
    served(SYS_waitid, "waitid", serve_wait),
    served(SYS_kill, "kill", serve_kill),
    served(SYS_tkill, "tkill", serve_kill),
    served(SYS_tgkill, "tgkill", serve_kill),
    served(SYS_rt_sigqueueinfo, "rt_sigqueueinfo", serve_kill),
    served(SYS_pidfd_send_signal, "pidfd_send_signal", serve_kill),
    served(SYS_pause, "pause", serve_pause),
    served(SYS_rt_sigsuspend, "rt_sigsuspend", serve_rt_sigsuspend),
    served(SYS_rt_sigtimedwait, "rt_sigtimedwait", serve_rt_sigtimedwait),
    served(SYS_signalfd, "signalfd", serve_signalfd),
    served(SYS_signalfd4, "signalfd4", serve_signalfd),
    served(SYS_futex, "futex", serve_futex),
    passed(SYS_execve, "execve"), passed(SYS_execveat, "execveat"), passed(SYS_getpid, "getpid"),
    passed(SYS_getppid, "getppid"), passed(SYS_gettid, "gettid"), passed(SYS_getuid, "getuid"),
    passed(SYS_geteuid, "geteuid"), passed(SYS_getgid, "getgid"), passed(SYS_getegid, "getegid"),
    passed(SYS_getresuid, "getresuid"), passed(SYS_getresgid, "getresgid"), passed(SYS_getgroups, "getgroups"),
    passed(SYS_setuid, "setuid"), passed(SYS_setgid, "setgid"), passed(SYS_setresuid, "setresuid"),
    passed(SYS_setresgid, "setresgid"), passed(SYS_setreuid, "setreuid"), passed(SYS_setregid, "setregid"),
    passed(SYS_setgroups, "setgroups"), passed(SYS_getpgid, "getpgid"), passed(SYS_getpgrp, "getpgrp"),
    passed(SYS_setpgid, "setpgid"), passed(SYS_getsid, "getsid"), passed(SYS_setsid, "setsid"),
    passed(SYS_getpriority, "getpriority"), passed(SYS_setpriority, "setpriority"),
    passed(SYS_set_tid_address, "set_tid_address"), passed(SYS_set_robust_list, "set_robust_list"),
    passed(SYS_get_robust_list, "get_robust_list"), passed(SYS_rt_sigaction, "rt_sigaction"),
    passed(SYS_rt_sigprocmask, "rt_sigprocmask"), passed(SYS_rt_sigpending, "rt_sigpending"),
    passed(SYS_rt_sigreturn, "rt_sigreturn"), passed(SYS_sigaltstack, "sigaltstack"),
    passed(SYS_arch_prctl, "arch_prctl"), passed(SYS_capget, "capget"), passed(SYS_capset, "capset"),
    passed(SYS_getrlimit, "getrlimit"), passed(SYS_setrlimit, "setrlimit"), passed(SYS_prlimit64, "prlimit64"),
    passed(SYS_sched_getparam, "sched_getparam"), passed(SYS_sched_setparam, "sched_setparam"),
    passed(SYS_sched_getscheduler, "sched_getscheduler"), passed(SYS_sched_setscheduler, "sched_setscheduler"),
    passed(SYS_sched_get_priority_max, "sched_get_priority_max"),
    passed(SYS_sched_get_priority_min, "sched_get_priority_min"), passed(SYS_seccomp, "seccomp"),
    passed(SYS_personality, "personality"), passed(SYS_pidfd_open, "pidfd_open"),
    passed(SYS_ioprio_get, "ioprio_get"), passed(SYS_ioprio_set, "ioprio_set"),
    // Memory, and the machine.
    served(SYS_getrandom, "getrandom", serve_getrandom),
    served(SYS_sched_getaffinity, "sched_getaffinity", serve_sched_getaffinity),
    served(SYS_sched_setaffinity, "sched_setaffinity", serve_as_done),
    served(SYS_getcpu, "getcpu", serve_getcpu),
    served(SYS_sysinfo, "sysinfo", serve_sysinfo),
    served(SYS_getrusage, "getrusage", serve_getrusage),
    served(SYS_prctl, "prctl", serve_prctl),
    served(SYS_membarrier, "membarrier", serve_as_done),
    passed(SYS_mmap, "mmap"), passed(SYS_munmap, "munmap"), passed(SYS_mremap, "mremap"),
    passed(SYS_mprotect, "mprotect"), passed(SYS_madvise, "madvise"), passed(SYS_brk, "brk"),
    passed(SYS_msync, "msync"), passed(SYS_mincore, "mincore"), passed(SYS_mlock, "mlock"),
    passed(SYS_mlock2, "mlock2"), passed(SYS_munlock, "munlock"), passed(SYS_mlockall, "mlockall"),
    passed(SYS_munlockall, "munlockall"), passed(SYS_shmget, "shmget"), passed(SYS_shmat, "shmat"),
    passed(SYS_shmdt, "shmdt"), passed(SYS_shmctl, "shmctl"), passed(SYS_semget, "semget"),
    passed(SYS_semctl, "semctl"), passed(SYS_set_mempolicy, "set_mempolicy"),
    passed(SYS_get_mempolicy, "get_mempolicy"), passed(SYS_mbind, "mbind"), passed(SYS_pkey_alloc, "pkey_alloc"),
    passed(SYS_pkey_free, "pkey_free"), passed(SYS_pkey_mprotect, "pkey_mprotect"), passed(SYS_uname, "uname"),
    // Programs do without them.
    lacking(SYS_rseq, "rseq"), lacking(SYS_clone3, "clone3"), lacking(SYS_io_uring_setup, "io_uring_setup"),
    lacking(SYS_io_uring_enter, "io_uring_enter"), lacking(SYS_io_uring_register, "io_uring_register"),
    lacking(SYS_io_setup, "io_setup"), lacking(SYS_timer_create, "timer_create"), lacking(SYS_openat2, "openat2"),
    lacking(SYS_perf_event_open, "perf_event_open"), lacking(SYS_userfaultfd, "userfaultfd"),
    lacking(SYS_keyctl, "keyctl"), lacking(SYS_add_key, "add_key"), lacking(SYS_request_key, "request_key"),
    lacking(449, "futex_waitv"),
    // What they do would leave the world, or is not there yet.
    refused(SYS_ptrace, "ptrace"), refused(SYS_process_vm_readv, "process_vm_readv"),
    refused(SYS_process_vm_writev, "process_vm_writev"), refused(SYS_setns, "setns"), refused(SYS_unshare, "unshare"),
    refused(SYS_mount, "mount"), refused(SYS_umount2, "umount2"), refused(SYS_pivot_root, "pivot_root"),
    refused(SYS_chroot, "chroot"), refused(SYS_bpf, "bpf"), refused(SYS_settimeofday, "settimeofday"),
    refused(SYS_clock_settime, "clock_settime"), refused(SYS_adjtimex, "adjtimex"),
    refused(SYS_clock_adjtime, "clock_adjtime"), refused(SYS_reboot, "reboot"), refused(SYS_semop, "semop"),
    refused(SYS_semtimedop, "semtimedop"), refused(SYS_msgsnd, "msgsnd"), refused(SYS_msgrcv, "msgrcv"),
    refused(SYS_mq_open, "mq_open"),
    refused(SYS_pidfd_getfd, "pidfd_getfd"), refused(SYS_vmsplice, "vmsplice"), refused(SYS_recvmmsg, "recvmmsg"),
    refused(SYS_sendmmsg, "sendmmsg"), refused(SYS_restart_syscall, "restart_syscall"),
};
// clang-format on

}  // namespace

std::span<const Call> calls() { return table; }

const Call* call_of(long number) {
  static const auto by_number = [] {
    constexpr std::size_t most = 512;
    std::array<const Call*, most> all{};
    for (const Call& call : table) all.at(static_cast<std::size_t>(call.number)) = &call;
    return all;
  }();
  return number >= 0 && number < static_cast<long>(by_number.size()) ? by_number[static_cast<std::size_t>(number)]
                                                                     : nullptr;
}

std::string name_of_call(long number) {
  const Call* call = call_of(number);
  return call ? call->name : "number " + std::to_string(number);
}

}  // namespace lockproof::tracer
