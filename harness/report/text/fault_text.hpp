// SPDX-License-Identifier: Apache-2.0
// A fault in a few words, for people.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/scenario/fault.hpp"

namespace lockproof::harness {

/// "pause of client-1 for 11s, client-1 after READ"
[[nodiscard]] std::string fault_text(const Fault& fault);
/// The same of several: "pause of client-1 for 11s, client-1 enters; crash of client-2, client-2 after SET"
[[nodiscard]] std::string faults_text(const std::vector<Fault>& faults);
/// "with 2 faults (pause of client-1 for 11s, client-1 enters; …)", or "without a fault".
[[nodiscard]] std::string with_faults(const std::vector<Fault>& faults);
/// "pause of client-1", "partition of client-1 from redis-2"
[[nodiscard]] std::string fault_name(const Fault& fault);
/// "pause of client-1 for 11s"
[[nodiscard]] std::string fault_text_without_place(const Fault& fault);
/// ", client-1 after READ"; " at 5s" where time places it; nothing if it is there from the start.
[[nodiscard]] std::string place_text(const Fault& fault);
/// Parts per billion as a percentage, without zeros at its end.
[[nodiscard]] std::string percent_text(std::int64_t ppb);

}  // namespace lockproof::harness
