// SPDX-License-Identifier: Apache-2.0
// The functions that serve system calls, by the file that has them. Each is called while its thread stands at the entry
// of the call, and says what becomes of it.
#pragma once

#include "tracer/call_table.hpp"
#include "tracer/traced_world.hpp"

namespace lockproof::tracer {

// descriptors.cpp
Outcome serve_read(TracedWorld& world, Thread& thread);
Outcome serve_write(TracedWorld& world, Thread& thread);
Outcome serve_recvfrom(TracedWorld& world, Thread& thread);
Outcome serve_recvmsg(TracedWorld& world, Thread& thread);
Outcome serve_sendto(TracedWorld& world, Thread& thread);
Outcome serve_sendmsg(TracedWorld& world, Thread& thread);
Outcome serve_poll(TracedWorld& world, Thread& thread);
Outcome serve_select(TracedWorld& world, Thread& thread);
Outcome serve_epoll_wait(TracedWorld& world, Thread& thread);
Outcome serve_fcntl(TracedWorld& world, Thread& thread);
Outcome serve_flock(TracedWorld& world, Thread& thread);

// files.cpp
Outcome serve_open(TracedWorld& world, Thread& thread);
Outcome serve_stat(TracedWorld& world, Thread& thread);
Outcome serve_statx(TracedWorld& world, Thread& thread);
Outcome serve_statfs(TracedWorld& world, Thread& thread);
Outcome serve_getdents(TracedWorld& world, Thread& thread);

// futexes.cpp
Outcome serve_futex(TracedWorld& world, Thread& thread);

// machine.cpp
Outcome serve_getrandom(TracedWorld& world, Thread& thread);
Outcome serve_sched_getaffinity(TracedWorld& world, Thread& thread);
Outcome serve_getcpu(TracedWorld& world, Thread& thread);
Outcome serve_sysinfo(TracedWorld& world, Thread& thread);
Outcome serve_getrusage(TracedWorld& world, Thread& thread);
Outcome serve_prctl(TracedWorld& world, Thread& thread);
Outcome serve_as_done(TracedWorld& world, Thread& thread);

// processes.cpp
Outcome serve_clone(TracedWorld& world, Thread& thread);
Outcome serve_vfork(TracedWorld& world, Thread& thread);
Outcome serve_fork(TracedWorld& world, Thread& thread);
Outcome serve_exit(TracedWorld& world, Thread& thread);
Outcome serve_exit_group(TracedWorld& world, Thread& thread);
Outcome serve_wait(TracedWorld& world, Thread& thread);
Outcome serve_kill(TracedWorld& world, Thread& thread);
Outcome serve_pause(TracedWorld& world, Thread& thread);
Outcome serve_rt_sigsuspend(TracedWorld& world, Thread& thread);
Outcome serve_rt_sigtimedwait(TracedWorld& world, Thread& thread);
Outcome serve_signalfd(TracedWorld& world, Thread& thread);

// sockets.cpp
Outcome serve_socket(TracedWorld& world, Thread& thread);
Outcome serve_connect(TracedWorld& world, Thread& thread);
Outcome serve_bind(TracedWorld& world, Thread& thread);
Outcome serve_listen(TracedWorld& world, Thread& thread);
Outcome serve_shutdown(TracedWorld& world, Thread& thread);
Outcome serve_accept(TracedWorld& world, Thread& thread);
Outcome serve_socket_name(TracedWorld& world, Thread& thread);
Outcome serve_setsockopt(TracedWorld& world, Thread& thread);
Outcome serve_getsockopt(TracedWorld& world, Thread& thread);

// timers.cpp
Outcome serve_setitimer(TracedWorld& world, Thread& thread);
Outcome serve_getitimer(TracedWorld& world, Thread& thread);
Outcome serve_alarm(TracedWorld& world, Thread& thread);
Outcome serve_timerfd_create(TracedWorld& world, Thread& thread);
Outcome serve_timerfd_settime(TracedWorld& world, Thread& thread);
Outcome serve_timerfd_gettime(TracedWorld& world, Thread& thread);

// times.cpp
Outcome serve_clock_gettime(TracedWorld& world, Thread& thread);
Outcome serve_gettimeofday(TracedWorld& world, Thread& thread);
Outcome serve_time(TracedWorld& world, Thread& thread);
Outcome serve_times(TracedWorld& world, Thread& thread);
Outcome serve_nanosleep(TracedWorld& world, Thread& thread);
Outcome serve_clock_nanosleep(TracedWorld& world, Thread& thread);
Outcome serve_sched_yield(TracedWorld& world, Thread& thread);
/// What this clock shows at the world's start.
[[nodiscard]] Nanos origin_of_clock(int clock);

}  // namespace lockproof::tracer
