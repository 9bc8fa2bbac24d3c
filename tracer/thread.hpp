// SPDX-License-Identifier: Apache-2.0
// Host, Process and Thread: what the tracer knows of what it traces.
#pragma once

#include <poll.h>
#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "real/os/descriptor.hpp"
#include "tracer/machine/registers.hpp"
#include "tracer/nanos.hpp"

namespace lockproof::tracer {

struct Host {
  bool up = false;
  Nanos start = never;      // when its program is to be started
  Nanos stands_until = -1;  // paused before then
  int code = -1;            // of its first process
  real::Descriptor input;   // of its program; closed when all lines are told
  real::Descriptor output, errors;
  std::string printed, complaints, unread_line;
  std::size_t lines_given = 0;  // lines of its input
};

struct Process {
  pid_t pid;
  int host;
  Process* parent;          // null: its host's first one, or the parent is gone
  bool is_first;            // of its host: its end is the host's
  real::Descriptor handle;  // a pidfd
  bool dead = false;
  bool reads_signals = false;          // it has had a signalfd
  bool is_stopped = false;             // by SIGSTOP
  bool is_signaled = false;            // a signal has been sent to it at some time
  Nanos alarm = -1, alarm_period = 0;  // ITIMER_REAL
};

/// A thread that does not run stands at the entry of a system call, or is about to start.
struct Thread {
  enum class State : std::uint8_t {
    ready,
    sleeps,
    waits_for_futex,
    waits_for_descriptor,
    waits_for_child,
    waits_for_signal,
    looks_again,  // it stands at the exit of a call, and makes it again after a time
    dead,
  };
  /// How a ready thread goes on.
  enum class Resume : std::uint8_t {
    plainly,       // the call at whose entry it stands is decided, or it stands at none
    served_again,  // something is ready for its call
    at_once,       // the kernel makes the call with a time-out of zero
    by_signal,     // the kernel makes the call, which a signal interrupts
  };
  pid_t tid;
  Process* process;
  std::size_t number;  // among all threads of the world, from 0
  State state = State::ready;
  Resume resume = Resume::plainly;
  bool newborn = true;       // its first stop has not been seen
  bool timed_out = false;    // the time of its wait has come: nothing is an answer
  Nanos until = -1;          // of its wait; negative: for ever
  bool keeps_until = false;  // its call is served again: the end of its wait is the same
  bool has_looked = false;   // there was nothing, so it waits
  Registers registers{};
  long call = -1;
  long interrupted = -1;  // the last one of the program's own: the kernel may make it again, after a signal
  Address futex = 0;
  int futex_value = 0;
  bool futex_is_private = true;
  bool has_mask = false;
  std::uint64_t mask = 0;                 // of signals, while it waits
  std::vector<real::Descriptor> awaited;  // copies
  std::vector<pollfd> polled;             // of `awaited`

  [[nodiscard]] bool waits() const { return state != State::ready && state != State::dead; }
};

}  // namespace lockproof::tracer
