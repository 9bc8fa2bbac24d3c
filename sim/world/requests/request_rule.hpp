// SPDX-License-Identifier: Apache-2.0
// RequestRule: a request that the model of a service knows, and how many words it has, its own among them.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "algorithms/port/command.hpp"

namespace lockproof::sim {

struct RequestRule {
  std::string_view verb;
  std::size_t least, most;
};

/// Executed::lacks of this request: that it is none of them, or has another number of words. Empty: it is one.
[[nodiscard]] std::string describe_lack(std::span<const RequestRule> known, std::string_view service,
                                        const Command& command);

}  // namespace lockproof::sim
