// SPDX-License-Identifier: Apache-2.0
// The memory of programs in virtual time. Their processes are many, and most of them are kept for later: who has a
// limit of memory counts them, and lets fewer be kept before it comes to that limit.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>

#include "algorithms/port/pinned_object.hpp"

namespace lockproof::programs {

/// As long as it lives, what runs below this keeper (real/program/keeper.hpp) is counted.
class CountedKeeper final : public PinnedObject {
 public:
  explicit CountedKeeper(pid_t keeper);
  ~CountedKeeper();

 private:
  const pid_t keeper_;
};

/// Bytes that all counted processes have now. What several of them share counts once.
[[nodiscard]] std::uint64_t memory_of_processes();

/// Who keeps processes for later, as long as it lives.
class ProcessKeeper : public PinnedObject {
 public:
  ProcessKeeper();
  virtual ~ProcessKeeper();
  /// Keeps half as many from now on, from any thread, if nobody uses them at this moment. Returns how many it let go.
  virtual std::size_t let_go_of_half() = 0;
};

/// Whoever has a limit tells that he has counted, and whether the limit is near: then whoever has made a step waits
/// until that is counted, too, so that no more than a few steps lie behind the count.
void tell_count(bool is_near);
[[nodiscard]] bool is_near_limit();
void await_count();

/// Makes all of them let go. Returns how many processes that were; they end soon.
std::size_t let_go_of_processes();

}  // namespace lockproof::programs
