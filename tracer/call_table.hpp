// SPDX-License-Identifier: Apache-2.0
// The system calls, each with its treatment. A call that is not in the table is refused.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace lockproof::tracer {

class TracedWorld;
struct Thread;

/// What becomes of a call at whose entry a thread stands.
enum class Outcome : std::uint8_t {
  decided,  // the thread's registers say what it returns: it goes on
  passes,   // the kernel makes it
  waits,    // the thread waits, or makes way for another one
  ended,    // the thread, or its process, is gone
};

enum class Treatment : std::uint8_t {
  passed,   // by the kernel, and never stopped: its answer depends on the world alone
  served,   // by a function of calls/, some of which let the kernel do a part
  lacking,  // answered ENOSYS, as by a kernel without it
  refused,  // the run ends, with its name
};

struct Call {
  long number;
  const char* name;
  Treatment treatment;
  Outcome (*serve)(TracedWorld&, Thread&) = nullptr;
};

[[nodiscard]] std::span<const Call> calls();
/// Null: not in the table.
[[nodiscard]] const Call* call_of(long number);
/// Its name, or its number.
[[nodiscard]] std::string name_of_call(long number);

}  // namespace lockproof::tracer
