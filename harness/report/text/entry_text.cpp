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
