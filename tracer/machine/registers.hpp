// SPDX-License-Identifier: Apache-2.0
// Registers: those of a traced thread that stands still. All that is said of a processor stands here and in
// registers.cpp, and it is said of x86-64 alone.
#pragma once

#include <sys/types.h>
#include <sys/user.h>

#include <cstdint>
#include <vector>

#include "tracer/machine/memory.hpp"

namespace lockproof::tracer {

class Registers {
 public:
  [[nodiscard]] static Registers of(pid_t thread);
  void store(pid_t thread) const;

  [[nodiscard]] long call() const { return static_cast<long>(set_.orig_rax); }
  void set_call(long number) { set_.orig_rax = static_cast<std::uint64_t>(number); }
  /// `which`: 0 to 5.
  [[nodiscard]] std::uint64_t argument(int which) const;
  void set_argument(int which, std::uint64_t value);
  [[nodiscard]] long result() const { return static_cast<long>(set_.rax); }
  void set_result(long result) { set_.rax = static_cast<std::uint64_t>(result); }
  [[nodiscard]] Address stack() const { return set_.rsp; }
  /// Memory below the stack that no code of the program uses while it is in a call.
  [[nodiscard]] Address scratch() const { return (set_.rsp - 8192) & ~Address{15}; }

  /// At the entry of a call: it is not made, and returns this.
  void skip_call(long result);
  /// At the exit of a call: the thread makes it again, with the arguments that these registers have.
  void repeat_call(long number);

 private:
  user_regs_struct set_{};
};

/// A thread that got SIGSEGV: whether it read the processor's counter, which then has this value.
[[nodiscard]] bool serve_counter(pid_t thread, std::uint64_t value);

/// To be called in a process before it starts a program: reading the processor's counter is a SIGSEGV from now on.
void forbid_counter();

/// A program that has just been started: no vDSO, and these bytes as the kernel's random ones.
void clean_auxiliary_vector(pid_t thread, std::uint64_t random0, std::uint64_t random1);

/// What seccomp calls this processor's calls.
[[nodiscard]] std::uint32_t audit_name();

}  // namespace lockproof::tracer
