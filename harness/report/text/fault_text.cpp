// SPDX-License-Identifier: Apache-2.0
#include "harness/report/text/fault_text.hpp"

#include <fmt/format.h>

#include <cstdlib>

#include "harness/report/text/plural.hpp"
#include "harness/scenario/names.hpp"

namespace lockproof::harness {

std::string percent_text(std::int64_t ppb) {
  std::string text =
      fmt::format("{}{}.{:07}", ppb < 0 ? "-" : "+", std::abs(ppb) / 10'000'000, std::abs(ppb) % 10'000'000);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

std::string fault_name(const Fault& fault) {
  std::string text = fmt::format("{} of {}", name(fault.kind), fault.target);
  if (fault.peer.empty()) return text;
  return text + (fault.kind == FaultKind::partition ? " from " : " to ") + fault.peer;
}

std::string fault_text_without_place(const Fault& fault) {
  std::string text = fault_name(fault);
  if (fault.reads_too) text += ", reads too,";
  if (fault.kind == FaultKind::retry) {
    text += fmt::format(" over {} connection", fault.same_connection ? "the same" : "a new");
    if (!fault.reply) text += ", nothing lost,";
  }
  if (!fault.session.empty()) text += ", over the session of " + fault.session;
  const auto amount = [&](Duration most) { return fault.least ? range_text(*fault.least, most) : to_text(most); };
  if (fault.lasts != Duration{}) text += " for " + amount(fault.lasts);
  if (fault.by != Duration{}) text += " by " + amount(fault.by);
  if (fault.rate_ppb != 0) text += fmt::format(" by {}%", percent_text(fault.rate_ppb));
  return text;
}

std::string place_text(const Fault& fault) {
  if (fault.at) return *fault.at == Duration{} ? "" : " at " + to_text(*fault.at);
  if (!fault.when) return "";
  std::string text = ", ";
  if (fault.delay != Duration{}) text += to_text(fault.delay) + " after ";
  return text + to_text(*fault.when);
}

std::string fault_text(const Fault& fault) { return fault_text_without_place(fault) + place_text(fault); }

std::string faults_text(const std::vector<Fault>& faults) {
  std::string text;
  for (const Fault& fault : faults) text += (text.empty() ? "" : "; ") + fault_text(fault);
  return text;
}

std::string with_faults(const std::vector<Fault>& faults) {
  if (faults.empty()) return "without a fault";
  return fmt::format("with {} ({})", plural(faults.size(), "fault"), faults_text(faults));
}

}  // namespace lockproof::harness
