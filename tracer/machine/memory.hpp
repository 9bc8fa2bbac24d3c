// SPDX-License-Identifier: Apache-2.0
// The memory of a traced program.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

#include "tracer/nanos.hpp"

namespace lockproof::tracer {

/// An address in a traced program; 0 is null there, too.
using Address = std::uint64_t;

/// False, and zeros in `to`, where the program has no such memory.
bool read_bytes(pid_t thread, Address from, void* to, std::size_t count);
bool write_bytes(pid_t thread, Address to, const void* from, std::size_t count);

template <typename T>
requires std::is_trivially_copyable_v<T>
[[nodiscard]] T read_value(pid_t thread, Address from) {
  T value{};
  read_bytes(thread, from, &value, sizeof value);
  return value;
}

template <typename T>
requires std::is_trivially_copyable_v<T>
void write_value(pid_t thread, Address to, const T& value) {
  if (to != 0) write_bytes(thread, to, &value, sizeof value);
}

/// Up to its terminating zero; at most 4095 characters.
[[nodiscard]] std::string read_text(pid_t thread, Address from);

/// Of a timespec; negative: there is none at 0.
[[nodiscard]] Nanos read_timespec(pid_t thread, Address from);
/// Of a timeval.
[[nodiscard]] Nanos read_timeval(pid_t thread, Address from);

}  // namespace lockproof::tracer
