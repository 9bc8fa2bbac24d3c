// SPDX-License-Identifier: Apache-2.0
#include "cli/reports/explore_causes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "cli/reports/fault_labels.hpp"
#include "cli/reports/scope_text.hpp"
#include "harness/check/properties.hpp"
#include "harness/report/text/shell_word.hpp"
#include "sim/explore/results/frontier.hpp"

namespace lockproof::cli {

std::vector<Cause> causes_of(
    const harness::Scenario& searched, const harness::Bounds& budget, const sim::Exploration& found,
    const std::function<std::optional<sim::Counterexample>(const sim::ViolationKind&, const sim::Broken&)>& show) {
  sim::Frontier frontier = sim::frontier_of(found, budget);
  std::vector<Cause> causes;
  for (const check::Property& property : check::properties_of(searched)) {
    const auto enough = frontier.enough.find(std::string(property.name));
    if (enough == frontier.enough.end()) continue;
    std::ranges::stable_sort(enough->second, {}, &sim::Enough::kind);
    for (const sim::Enough& one : enough->second) {
      const sim::ViolationKind way{enough->first, one.kind};
      std::vector<std::string> labels;
      for (const std::size_t entry : one.faults) labels.push_back(fault_label(searched, budget.budget[entry]));
      const bool is_known =
          std::ranges::any_of(causes, [&](const Cause& known) { return known.way == way && known.faults == labels; });
      auto shown = is_known ? std::nullopt : show(way, one.broken);
      if (!shown) continue;
      std::string with = with_faults(shown->scenario.faults);
      causes.push_back({way, std::move(labels), std::move(with), one.broken.depth, std::move(shown->scenario), ""});
    }
  }
  return causes;
}

std::string causes_text(const std::vector<Cause>& causes) {
  std::string text = "each least set of faults that is enough, by kind of violation:\n";
  if (causes.empty()) return text + "  none was found\n";
  const sim::ViolationKind* last = nullptr;
  for (const Cause& cause : causes) {
    const auto& [property, kind] = cause.way;
    if (!last || *last != cause.way) text += fmt::format("  {}{}\n", property, kind.empty() ? "" : ", " + kind);
    last = &cause.way;
    text += fmt::format("    {}\n        {}, {}\n",
                        cause.faults.empty() ? "no fault" : fmt::to_string(fmt::join(cause.faults, " + ")), cause.with,
                        plural(static_cast<std::uint64_t>(cause.events), "event"));
    if (!cause.file.empty()) text += fmt::format("        lockproof run {}\n", harness::shell_word(cause.file));
  }
  return text;
}

}  // namespace lockproof::cli
