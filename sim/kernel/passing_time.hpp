// SPDX-License-Identifier: Apache-2.0
// PassingTime: ends a run that would have no end. Where nothing takes time, events cause each other at one instant for
// ever, and no horizon is ever reached; where next to nothing does, the history outgrows the memory.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "harness/scenario/scenario.hpp"

namespace lockproof::sim {

class PassingTime {
 public:
  static constexpr std::uint64_t at_one_instant_most = 100'000;
  static constexpr std::uint64_t recorded_most = 500'000;

  /// One more event at this instant. True: so many came before it that the rule which put it there must be named.
  /// Throws InputError where it is one too many.
  [[nodiscard]] bool count(const harness::Scenario& scenario, Duration now, bool is_recorded);
  /// The rule of the scenario, or of the lock, by which an event came at this instant and not later. Empty: none.
  void blame(std::string_view rule);

 private:
  Duration at_{-1};
  std::uint64_t here_ = 0, recorded_ = 0;
  std::vector<std::string_view> rules_;
};

/// For a search that looks ahead: so many events one after the other at one instant have no end.
inline constexpr int ahead_at_one_instant_most = 2'000;
[[noreturn]] void refuse_standing_time(const harness::Scenario& scenario);

}  // namespace lockproof::sim
