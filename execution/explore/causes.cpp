// SPDX-License-Identifier: Apache-2.0
#include "execution/explore/causes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "execution/explore/scope_text.hpp"
#include "harness/check/properties.hpp"
#include "harness/report/text/entry_text.hpp"
#include "harness/report/text/shell_word.hpp"
#include "harness/scenario/faults/unpreventable.hpp"

namespace lockproof::execution {

namespace {

/// "elsewhere": at none of the other parts of its entry.
std::string place_text(const harness::BudgetedFault& part) {
  if (part.spot) return harness::spot_text(*part.spot);
  return part.elsewhere.empty() ? "" : "elsewhere";
}

void add_lines(std::string& text, const std::vector<Cause>& causes, bool unpreventable, const harness::Style& style) {
  const sim::ViolationKind* last = nullptr;
  for (const Cause& cause : causes) {
    if (cause.unpreventable != unpreventable) continue;
    const auto& [property, kind] = cause.violation;
    if (!last || *last != cause.violation) text += fmt::format("  {}{}\n", property, kind.empty() ? "" : ", " + kind);
    last = &cause.violation;
    text += fmt::format("    {}\n        {}, {}\n",
                        cause.faults.empty() ? "no fault" : fmt::to_string(fmt::join(words_of(cause), " + ")),
                        cause.with, plural(static_cast<std::uint64_t>(cause.events), "event"));
    if (cause.file.empty()) continue;
    text += style.command("        ", "lockproof run " + harness::shell_word(cause.file)) + "\n";
  }
}

}  // namespace

std::vector<Cause> causes_of(
    const harness::Scenario& searched, const sim::PartedBudget& budget, const sim::Exploration& found,
    const std::function<std::optional<sim::Counterexample>(const sim::ViolationKind&, const sim::ShortestViolation&)>&
        show) {
  sim::Frontier frontier = sim::frontier_of(found, budget.bounds);
  std::vector<Cause> causes;
  for (const check::Property& property : check::properties_of(searched)) {
    const auto enough = frontier.enough.find(std::string(property.name));
    if (enough == frontier.enough.end()) continue;
    std::ranges::stable_sort(enough->second, {}, &sim::MinimalFaults::kind);
    for (const sim::MinimalFaults& one : enough->second) {
      Cause cause{{enough->first, one.kind}, {}, one.faults, {}, false, "", one.broken.depth, {}, ""};
      for (const std::size_t entry : one.faults) {
        const harness::BudgetedFault& part = budget.bounds.budget[entry];
        cause.faults.push_back(harness::entry_label(searched, part));
        cause.places.push_back(place_text(part));
      }
      const bool is_known = std::ranges::any_of(causes, [&](const Cause& known) {
        return known.violation == cause.violation && known.faults == cause.faults && known.places == cause.places;
      });
      auto shown = is_known ? std::nullopt : show(cause.violation, one.broken);
      if (!shown) continue;
      cause.with = with_faults(shown->scenario.faults);
      cause.unpreventable = harness::is_unpreventable(searched, enough->first, shown->scenario.faults);
      cause.witness = std::move(shown->scenario);
      causes.push_back(std::move(cause));
    }
  }
  return causes;
}

std::vector<std::string> words_of(const Cause& cause) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < cause.faults.size(); ++i) {
    words.push_back(cause.faults[i] + (cause.places[i].empty() ? "" : ", " + cause.places[i]));
  }
  return words;
}

std::string causes_text(const std::vector<Cause>& causes, const harness::Style& style) {
  std::string text = "each least set of faults that is enough, by kind of violation, and by where they strike:\n";
  if (causes.empty()) return text + "  none was found\n";
  add_lines(text, causes, false, style);
  if (std::ranges::none_of(causes, &Cause::unpreventable)) return text;
  text += "of these no lock on this service can prevent:\n";
  add_lines(text, causes, true, style);
  return text;
}

}  // namespace lockproof::execution
