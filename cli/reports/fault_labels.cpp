// SPDX-License-Identifier: Apache-2.0
#include "cli/reports/fault_labels.hpp"

#include <algorithm>

#include "harness/scenario/fault_table.hpp"
#include "harness/scenario/names.hpp"

namespace lockproof::cli {

std::string fault_label(const harness::Scenario& scenario, const harness::BudgetedFault& entry) {
  const std::string kind(harness::name(entry.kind));
  if (harness::row_of(entry.kind).targets != harness::FaultRow::Targets::hosts) return kind;
  const auto at_client = [&](const harness::Fault& form) {
    return std::ranges::find(scenario.clients, form.target, &harness::ClientSpec::name) != scenario.clients.end();
  };
  if (std::ranges::all_of(entry.forms, at_client)) return kind + " (client)";
  return std::ranges::none_of(entry.forms, at_client) ? kind + " (server)" : kind;
}

std::string in_a_name(const std::vector<std::string>& labels) {
  std::string text;
  for (const std::string& label : labels) {
    if (!text.empty()) text += '+';
    for (const char c : label) {
      if (c == ' ') text += '-';
      if (c != ' ' && c != '(' && c != ')' && c != ',') text += c;
    }
  }
  return text.empty() ? "no-fault" : text;
}

}  // namespace lockproof::cli
