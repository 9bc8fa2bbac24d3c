// SPDX-License-Identifier: Apache-2.0
// A fault as a person would tell it: "client-1 stands still for 11s as it enters".
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/scenario/fault.hpp"

namespace lockproof::harness {

[[nodiscard]] std::string told(const Fault& fault);
/// All of them, with "and" between them; "without any fault" if there are none.
[[nodiscard]] std::string told(const std::vector<Fault>& faults);
/// "43.004 s", "4 ms": as a person writes it; shorter than a second in milliseconds.
[[nodiscard]] std::string in_seconds(Duration d);
/// The kind and its amount: "pause 11s", "failover".
[[nodiscard]] std::string label(const Fault& fault);

}  // namespace lockproof::harness
