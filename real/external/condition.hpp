// SPDX-License-Identifier: Apache-2.0
// Condition: what an external server reports about itself at one moment, as far as it can affect a run. The comparison
// of two conditions shows whether something outside the run has disturbed the server in between.
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

/// The fields of INFO, by name.
using Info = std::map<std::string, std::string, std::less<>>;
[[nodiscard]] Info info_from(std::string_view text);
/// Empty if the field is absent.
[[nodiscard]] std::string at(const Info& info, std::string_view name);
[[nodiscard]] std::int64_t number_in(std::string_view text);

struct Condition {
  Info info;                    // with `commandstats`
  std::int64_t machine_us = 0;  // when it was requested, by this machine's monotonic clock
  std::int64_t took_us = 0;     // time until the answer came
};

/// Nothing: the server does not answer, or does not permit the request.
[[nodiscard]] std::optional<Condition> condition_of(ExternalLink& link);

/// What happened to the server in between, as a clause; empty: nothing observable.
[[nodiscard]] std::string struck_between(const Condition& before, const Condition& after);

/// What has happened to the servers since they were in these conditions, one sentence each.
[[nodiscard]] std::vector<std::string> struck_since(const ExternalServers& servers,
                                                    const std::vector<Condition>& before);

}  // namespace lockproof::real
