// SPDX-License-Identifier: Apache-2.0
#include "cli/reports/scope_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/report/text/fault_text.hpp"
#include "harness/scenario/names.hpp"

namespace lockproof::cli {

std::string plural(std::uint64_t n, const char* what) { return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s"); }

std::string with_faults(const std::vector<harness::Fault>& faults) {
  if (faults.empty()) return "without a fault";
  return fmt::format("with {} ({})", plural(faults.size(), "fault"), harness::faults_text(faults));
}

std::string scope_text(const harness::Scenario& searched, const harness::Bounds& budget) {
  const harness::Plan& plan = searched.clients.front().plan;
  std::string text = plural(searched.clients.size(), "client");
  text += plan.rounds == harness::rounds_for_ever ? " x unlimited rounds"
                                                  : " x " + plural(static_cast<std::uint64_t>(plan.rounds), "round");
  const bool freely = plan.asking == harness::Asking::freely;
  const std::optional<int> attempts = plan.attempts_most();
  const char* const counted = freely && !plan.counts_refusals ? "failed attempt" : "attempt";
  if (attempts) text += " x " + plural(static_cast<std::uint64_t>(*attempts), counted);
  if (!attempts && plan.acquire_timeout == harness::for_ever) text += " x unlimited attempts";
  text += " on " + plural(searched.servers.size(), "server");
  if (!searched.faults.empty()) text += ", with the scenario's " + plural(searched.faults.size(), "fault");
  if (!budget.budget.empty()) {
    std::vector<std::string> kinds;
    for (const auto& entry : budget.budget) kinds.emplace_back(harness::name(entry.kind));
    text += fmt::format(", at most {} of: {}", plural(static_cast<std::uint64_t>(budget.max_faults), "fault"),
                        fmt::join(kinds, ", "));
  }
  return text;
}

}  // namespace lockproof::cli
