// SPDX-License-Identifier: Apache-2.0
#include "conformance/core/report.hpp"

#include <fmt/format.h>

namespace lockproof::conformance {

std::uint64_t Report::count_of(const std::string& heading, const std::string& row) const {
  const auto table = tables.find(heading);
  if (table == tables.end()) return 0;
  const auto found = table->second.find(row);
  return found == table->second.end() ? 0 : found->second;
}

std::string text_of(const Difference& difference) {
  std::string text = fmt::format("a difference, in {} of the steps\n\n{}\n", difference.steps, difference.sequence);
  if (!difference.what.empty()) text += fmt::format("{} differs\n", difference.what);
  text += fmt::format("  simulated: {}\n  real:      {}\n", difference.simulated, difference.real);
  return difference.test.empty() ? text : text + "\n" + difference.test;
}

std::string text_of(const Report& report, const Options& options) {
  std::string text = fmt::format("{} and its model, seed {}\n{} commands in {} sequences\n", report.version,
                                 options.seed, report.commands, report.sequences);
  if (report.thrown_away > 0) {
    text += fmt::format("{} sequences were thrown away, since the machine was late\n", report.thrown_away);
  }
  if (report.unconfirmed > 0) {
    text += fmt::format("{} sequences had a difference that no replay showed again\n", report.unconfirmed);
  }
  if (report.difference) return text + "\n" + text_of(*report.difference);
  for (const auto& [heading, counts] : report.tables) {
    text += fmt::format("\n{}\n", heading);
    for (const auto& [row, count] : counts) text += fmt::format("  {:>9}  {}\n", count, row);
  }
  return text + "\nno difference\n";
}

}  // namespace lockproof::conformance
