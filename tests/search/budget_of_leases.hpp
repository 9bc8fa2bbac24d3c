// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>
#include <utility>

#include "harness/scenario/file/parse_bounds.hpp"

namespace lockproof::tests {

/// A budget of scenarios/budgets whose lengths are half a lease, a lease, and a step more. Those at the edges of slack
/// and time-out are many, and one message more moves what lies at an edge.
inline harness::Bounds budget_of_leases(const std::string& topology, const harness::Scenario& scenario) {
  std::ifstream file(fmt::format("{}/scenarios/budgets/{}.toml", LOCKPROOF_SOURCE, topology));
  std::string text(std::istreambuf_iterator<char>(file), {});
  const std::pair<const char*, const char*> changes[] = {{"\"timeout-grid\", \"slack\"", "\"slack\""},
                                                         {"\"slack\", \"slack\\+grid\"", "\"T/2\""},
                                                         {", \"down_after-grid\", \"down_after\\+grid\"", ""}};
  for (const auto& [from, to] : changes) text = std::regex_replace(text, std::regex(from), to);
  const std::string written = fmt::format("{}lockproof-budget-{}.toml", testing::TempDir(), ::getpid());
  std::ofstream(written) << text;
  harness::Bounds budget = harness::load_budget(written, scenario);
  std::filesystem::remove(written);
  return budget;
}

}  // namespace lockproof::tests
