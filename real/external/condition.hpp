// SPDX-License-Identifier: Apache-2.0
// Condition: what a server that is not ours says of itself at one moment, as far as it decides what a run on it shows.
// Two of them tell whether somebody, or something, has struck it in between.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "real/external/link.hpp"

namespace lockproof::real {

struct ExternalServers;

/// What INFO says, by its names.
using Info = std::map<std::string, std::string, std::less<>>;
[[nodiscard]] Info info_from(std::string_view text);
/// Empty if it does not say.
[[nodiscard]] std::string at(const Info& info, std::string_view name);
[[nodiscard]] std::int64_t number_in(std::string_view text);

struct Condition {
  Info info;                    // with `commandstats`
  std::int64_t machine_us = 0;  // when it was asked for, by this machine's monotonic clock
  std::int64_t took_us = 0;     // until it had come
};

/// Nothing: there is no answer, or no right to ask.
[[nodiscard]] std::optional<Condition> condition_of(ExternalLink& link);

/// What happened to it in between, as a clause; empty: nothing that can be seen.
[[nodiscard]] std::string struck_between(const Condition& before, const Condition& after);

/// Of servers that were in these conditions: what has happened to them since, a sentence each.
[[nodiscard]] std::vector<std::string> struck_since(const ExternalServers& servers,
                                                    const std::vector<Condition>& before);

}  // namespace lockproof::real
