// SPDX-License-Identifier: Apache-2.0
#include "execution/minimize/minimize_report.hpp"

#include <fmt/format.h>

#include "execution/explore/scope_text.hpp"

namespace lockproof::execution {
namespace {

using harness::Style;

std::string size_text(const sim::Size& size) {
  return fmt::format("{:<9}  {:<9}  {}", plural(size.faults, "fault"), plural(size.steps, "step"),
                     plural(static_cast<std::uint64_t>(size.events), "event"));
}

std::string changed_text(const sim::Change& change) {
  if (change.part == "name") return fmt::format("{} is now called {}", change.from, change.to);
  if (change.part == "place") return fmt::format("{}: {}; was {}", change.what, change.to, change.from);
  const bool named = change.part != "fault" && change.part != "duration";
  return fmt::format("{}{}{}: {}, was {}", named ? change.part : "", named && !change.what.empty() ? " of " : "",
                     change.what, change.to, change.from);
}

std::string answer_text(const sim::NecessityTrial& needed) {
  const std::string states = plural(needed.states, "state");
  switch (needed.answer) {
    case sim::Answer::holds: return "holds, " + states;
    case sim::Answer::vacuous: return "nothing breaks, but no two clients contend for the lock either, " + states;
    case sim::Answer::longer:
      return fmt::format("takes {}, which is more; {}", plural(static_cast<std::uint64_t>(needed.events), "event"),
                         states);
    case sim::Answer::undecided: return "undecided after " + states;
    case sim::Answer::breaks: return "breaks too";
    case sim::Answer::otherwise: return "breaks by another cause, " + states;
  }
  return "";
}

/// A heading and its lines; nothing without lines.
std::string paragraph(const Style& style, const char* heading, const std::vector<std::string>& lines) {
  if (lines.empty()) return "";
  std::string text = style.strong(heading) + "\n";
  for (const std::string& line : lines) text += "  " + line + "\n";
  return text;
}

std::string cost_text(const MinimizeReport& r) {
  std::string text = fmt::format("tried: {}, {} in all", plural(r.found.candidates, "smaller scenario"),
                                 plural(r.found.states, "state"));
  if (r.found.undecided > 0) {
    text += fmt::format("; {} of them undecided, and not taken for that: --states N (now {}) and --memory allow more",
                        r.found.undecided, r.states_most);
  }
  return text + "\n";
}

}  // namespace

std::string way_text(const sim::ViolationKind& way) {
  return way.second.empty() ? way.first : fmt::format("{} ({})", way.first, way.second);
}

std::string minimize_text(const MinimizeReport& r, const Style& style) {
  const sim::Minimization& found = r.found;
  std::string text = fmt::format("{}\n", style.strong(fmt::format("{}, violated", way_text(found.way))));
  if (!found.by_its_run) text += "by another schedule than that of its own run, which violates nothing\n";
  text += fmt::format("  before  {}\n  after   {}\n", size_text(found.before), size_text(found.after));
  std::vector<std::string> dropped, smaller, needed;
  for (const sim::Change& change : found.changes) {
    (change.to.empty() ? dropped : smaller).push_back(change.to.empty() ? change.what : changed_text(change));
  }
  for (const sim::NecessityTrial& one : found.needed) needed.push_back(one.what + ": " + answer_text(one));
  text += paragraph(style, "dropped", dropped) + paragraph(style, "changed", smaller);
  if (dropped.empty() && smaller.empty() && r.stopped.empty())
    text += "nothing of it could be left out or made smaller\n";
  text += paragraph(style, "with less", needed);
  text += cost_text(r);
  if (!r.stopped.empty()) text += style.unsure(fmt::format("stopped before the end, since {}", r.stopped)) + "\n";
  return text;
}

std::string_view answer_word(sim::Answer answer) {
  switch (answer) {
    case sim::Answer::holds: return "holds";
    case sim::Answer::vacuous: return "vacuous";
    case sim::Answer::longer: return "longer";
    case sim::Answer::undecided: return "undecided";
    case sim::Answer::breaks: return "breaks";
    case sim::Answer::otherwise: return "otherwise";
  }
  return "";
}

}  // namespace lockproof::execution
