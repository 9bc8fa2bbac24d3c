// SPDX-License-Identifier: Apache-2.0
#include "harness/report/frontier.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <set>

#include "harness/report/text/assumptions.hpp"

namespace lockproof::harness {
namespace {

/// "mutual-exclusion (double-grant)", or the kind alone.
std::string broken_name(const std::string& property, const std::string& kind) {
  return kind.empty() ? property : fmt::format("{} ({})", property, kind);
}

/// In the order in which they come: what breaks, and the sets that are enough, by size.
std::map<std::string, std::map<std::size_t, Labels>> by_size(const FrontierProperty& of) {
  std::map<std::string, std::map<std::size_t, Labels>> all;
  for (const FrontierSet& set : of.enough) {
    Labels& sets = all[broken_name(of.property, set.kind)][set.faults.size()];
    sets.push_back(set.faults.empty() ? "no fault at all" : fmt::format("{}", fmt::join(set.faults, " + ")));
  }
  return all;
}

std::string sizes_text(std::size_t faults) {
  if (faults == 0) return "by";
  return faults == 1 ? "by any one of" : fmt::format("by {} together", faults);
}

/// After a label, which may be as wide as the line.
std::string behind(const std::string& label, std::size_t wide, const Labels& faults, const Style& style) {
  if (wide > style.columns() / 2) return fmt::format("{}\n      {}\n", label, listed(faults, style.columns(), 6));
  return fmt::format("{} {}\n", label, listed(faults, style.columns(), wide + 1));
}

std::string harmless_text(const FrontierProperty& of, const FrontierReport& report, const Style& style) {
  std::string text;
  for (const HarmlessSet& set : of.harmless) {
    const std::size_t many = std::min(static_cast<std::size_t>(report.searched_faults), set.faults.size());
    const std::string label = fmt::format("    not by {:<15}", set.faults.size() == 1 ? ""
                                                               : many == 1            ? "any one of"
                                                                                      : fmt::format("any {} of", many));
    text += behind(style.good(label), label.size(), set.faults, style);
  }
  return text;
}

bool is_tried(const FrontierReport& r, const std::string& fault) {
  return std::ranges::find(r.not_tried, fault, &UntriedFault::fault) == r.not_tried.end();
}

/// In the order in which the reasons come.
std::vector<std::pair<std::string, Labels>> by_reason(const std::vector<UntriedFault>& untried) {
  std::vector<std::pair<std::string, Labels>> all;
  for (const UntriedFault& one : untried) {
    const auto known = std::ranges::find(all, one.why, &std::pair<std::string, Labels>::first);
    (known != all.end() ? *known : all.emplace_back(one.why, Labels())).second.push_back(one.fault);
  }
  return all;
}

/// With the bounds, so that it is not read as if it had none.
std::string not_broken_text(const Labels& properties, const FrontierReport& r) {
  const int faults = r.stopped.empty() ? r.max_faults : r.searched_faults;
  Labels tried;
  std::ranges::copy_if(r.kinds, std::back_inserter(tried), [&](const std::string& kind) { return is_tried(r, kind); });
  const std::string by = faults == 0 || tried.empty() ? "without a fault"
                         : faults == 1                ? fmt::format("by any one of {}", fmt::join(tried, ", "))
                                                      : fmt::format("by any {} of {}", faults, fmt::join(tried, ", "));
  return fmt::format("not broken here: {}: {}, within {}, {}", fmt::join(properties, ", "), by, r.scope,
                     fmt::join(r.measures, ", "));
}

}  // namespace

std::string frontier_text(const FrontierReport& r, const Style& style) {
  std::string text = fmt::format("{} on {}: {}, at most {} fault{} in one run\n", style.strong(r.algorithm), r.topology,
                                 r.scope, r.max_faults, r.max_faults == 1 ? "" : "s");
  Labels never, untested;
  for (const FrontierProperty& of : r.properties) {
    if (of.enough.empty()) {
      (of.vacuous.empty() ? never : untested).push_back(of.property);
      continue;
    }
    for (const auto& [name, sizes] : by_size(of)) {
      text += fmt::format("\n  {}\n", style.strong(name));
      for (const auto& [faults, sets] : sizes) {
        const std::string label = fmt::format("    {:<22}", sizes_text(faults));
        text += behind(style.bad(label), label.size(), sets, style);
      }
    }
    text += harmless_text(of, r, style);
  }
  if (!r.vacuous.empty()) {
    text += fmt::format("\n  {}: {}\n", style.unsure("nothing was shown"), r.vacuous);
  } else if (!untested.empty()) {
    text += fmt::format("\n  {} {}: no two clients contend where they ask as the scenario says\n",
                        style.unsure("nothing was shown of"), fmt::join(untested, ", "));
  }
  if (!never.empty() && r.searched_faults >= 0) text += "\n" + style.good(in_lines({not_broken_text(never, r)}, style));
  for (const auto& [why, faults] : by_reason(r.not_tried)) {
    const std::string label = fmt::format("  not tried, {}:", why);
    text += "\n" + behind(style.wrap(style.unsure(label), 4), label.size(), faults, style);
  }
  if (!r.stopped.empty()) {
    text += fmt::format("\n  {}: {}; what breaks is valid nevertheless\n", style.unsure("searched in part"), r.stopped);
  }
  text += "\n" + in_lines(r.measures, style) + in_lines(r.assumptions, style);
  return text + fmt::format("  {} states, {} transitions, {:.1f} s, engine {}\n\n", r.states, r.transitions, r.seconds,
                            r.engine);
}

namespace {

/// What any one fault, or none, does to one lock, in the columns of the table. A fault stands in each that applies.
class Row {
 public:
  void add(const FrontierReport& report) {
    for (std::size_t column = 0; column < 4; ++column) {
      for (const FrontierProperty& of : report.properties) {
        for (const FrontierSet& set : of.enough) {
          if (set.faults.size() > 1 || column_of(of.property, set.kind) != column) continue;
          const std::string fault = set.faults.empty() ? "no fault at all" : set.faults.front();
          always_ |= set.faults.empty();
          harmful_.insert(fault);
          Labels& cell = cells_[column];
          if (std::ranges::find(cell, fault) == cell.end()) cell.push_back(fault);
        }
      }
    }
    if (report.searched_faults < 1 || !report.vacuous.empty()) return;
    for (const std::string& kind : report.kinds) {
      if (std::ranges::find(kinds_, kind) == kinds_.end()) kinds_.push_back(kind);
      if (is_tried(report, kind)) tried_.insert(kind);
    }
  }

  [[nodiscard]] std::string text() const {
    std::string text;
    for (const Labels& cell : cells_) text += cell_text(cell);
    Labels unbroken, not_tried;  // in any of the lock's searches
    for (const std::string& kind : always_ ? Labels() : kinds_) {
      if (!harmful_.contains(kind)) (tried_.contains(kind) ? unbroken : not_tried).push_back(kind);
    }
    return text + cell_text(unbroken) + cell_text(not_tried);
  }

 private:
  static std::size_t column_of(const std::string& property, const std::string& kind) {
    if (kind == "double-grant") return 0;
    if (kind == "outlived") return 1;
    return property == "deadlock-freedom" ? 2 : 3;
  }
  static std::string cell_text(const Labels& labels) {
    return fmt::format(" {} |", labels.empty() ? "–" : fmt::to_string(fmt::join(labels, ", ")));
  }

  std::array<Labels, 4> cells_;
  Labels kinds_;  // of searches that were made whole
  std::set<std::string> harmful_, tried_;
  bool always_ = false;
};

/// A line for each scope that is not the first one's.
std::string searched_otherwise(const std::vector<FrontierReport>& reports) {
  std::vector<std::pair<std::string, Labels>> scopes;
  for (const FrontierReport& r : reports) {
    if (r.scope == reports.front().scope) continue;
    const auto known = std::ranges::find(scopes, r.scope, &std::pair<std::string, Labels>::first);
    Labels& locks = known != scopes.end() ? known->second : scopes.emplace_back(r.scope, Labels()).second;
    const std::string lock = fmt::format("`{}`", r.algorithm);
    if (std::ranges::find(locks, lock) == locks.end()) locks.push_back(lock);
  }
  std::string text;
  for (const auto& [scope, locks] : scopes) text += fmt::format("\n{}: {}.\n", fmt::join(locks, ", "), scope);
  return text;
}

}  // namespace

std::string frontier_markdown(const std::vector<FrontierReport>& reports) {
  std::string text =
      "| lock | two holders | one outlives its lease | locked for ever | other damage | not broken here | not tried |\n"
      "|---|---|---|---|---|---|---|\n";
  std::vector<std::pair<std::string, Row>> rows;
  for (const FrontierReport& r : reports) {
    const auto known = std::ranges::find(rows, r.algorithm, &std::pair<std::string, Row>::first);
    Row& row = known != rows.end() ? known->second : rows.emplace_back(r.algorithm, Row()).second;
    row.add(r);
  }
  for (const auto& [lock, row] : rows) text += fmt::format("| `{}` |{}\n", lock, row.text());
  return text + searched_otherwise(reports);
}

}  // namespace lockproof::harness
