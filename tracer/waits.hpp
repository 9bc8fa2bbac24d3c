// SPDX-License-Identifier: Apache-2.0
// What calls that wait have in common: copies of descriptors, and whether something is ready there.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "tracer/call_table.hpp"
#include "tracer/traced_world.hpp"

namespace lockproof::tracer {

struct AwaitedDescriptor {
  int descriptor;
  short events;
};

/// Closed, if the process has no such descriptor.
[[nodiscard]] real::Descriptor copy_descriptor(const Process& process, int descriptor);

/// `passes` if one of them is ready, else the thread waits.
Outcome wait_for_descriptors(TracedWorld& world, Thread& thread, std::span<const AwaitedDescriptor> awaited,
                             Nanos until);

/// As the call that reads or writes there needs it. `option`: SO_RCVTIMEO or SO_SNDTIMEO.
Outcome wait_to_transfer(TracedWorld& world, Thread& thread, int descriptor, short events, int option, bool may_wait);

/// What an epoll watches, without signalfds: to ask for those from another process would lose the signal.
[[nodiscard]] std::vector<AwaitedDescriptor> members_of_epoll(const Process& process, int epoll);

/// Of a file in /proc/<id>/.
[[nodiscard]] std::string read_process_file(pid_t id, const std::string& name);

/// The call returns this, and is not made.
Outcome answer(Thread& thread, long result);

/// The kernel makes the call with other arguments; the program keeps its own.
class ChangedCall {
 public:
  explicit ChangedCall(Thread& thread) : thread_(thread), before_(thread.registers) {}
  void set(int argument, std::uint64_t value) { thread_.registers.set_argument(argument, value); }
  void set_number(long number) { thread_.registers.set_call(number); }
  /// False: the thread is gone.
  bool make(TracedWorld& world);
  /// Instead of what the kernel answered.
  void set_result(long result);
  [[nodiscard]] long result() const { return thread_.registers.result(); }

 private:
  Thread& thread_;
  const Registers before_;
};

}  // namespace lockproof::tracer
