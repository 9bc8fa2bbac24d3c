// SPDX-License-Identifier: Apache-2.0
#include "harness/report/text/entry_text.hpp"

#include <algorithm>

#include "harness/report/text/told_fault.hpp"
#include "harness/scenario/fault_table.hpp"
#include "harness/scenario/names.hpp"

namespace lockproof::harness {
namespace {

/// " (client)" or " (server)"; empty where it strikes both, or where its kind says which.
std::string hosts_text(const Scenario& scenario, const BudgetedFault& entry) {
  if (row_of(entry.kind).targets != FaultRow::Targets::hosts) return "";
  const auto at_client = [&](const Fault& form) {
    return std::ranges::find(scenario.clients, form.target, &ClientSpec::name) != scenario.clients.end();
  };
  if (std::ranges::all_of(entry.forms, at_client)) return " (client)";
  return std::ranges::none_of(entry.forms, at_client) ? " (server)" : "";
}

}  // namespace

std::string entry_label(const Scenario& scenario, const BudgetedFault& entry) {
  return std::string(name(entry.kind)) + hosts_text(scenario, entry);
}

std::string entry_text(const Scenario& scenario, const BudgetedFault& entry) {
  const std::string amount = label(entry.forms.front());
  const bool is_one = std::ranges::all_of(entry.forms, [&](const Fault& other) { return label(other) == amount; });
  return (is_one ? amount : std::string(name(entry.kind))) + hosts_text(scenario, entry) +
         (entry.most > 1 ? ", twice" : "");
}

std::vector<std::string> entry_labels(const Scenario& scenario, const std::vector<BudgetedFault>& budget) {
  std::vector<std::string> short_ones, long_ones, labels;
  for (const BudgetedFault& entry : budget) {
    short_ones.push_back(entry_label(scenario, entry));
    long_ones.push_back(entry_text(scenario, entry));
  }
  for (std::size_t i = 0; i < budget.size(); ++i) {
    const bool is_clear = std::ranges::count(short_ones, short_ones[i]) == 1;
    std::string label = is_clear ? short_ones[i] : long_ones[i];
    const auto same = std::ranges::count(labels, label);
    for (auto number = same + 1; std::ranges::find(labels, label) != labels.end(); ++number)
      label = long_ones[i] + " #" + std::to_string(number);
    labels.push_back(std::move(label));
  }
  return labels;
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

}  // namespace lockproof::harness
