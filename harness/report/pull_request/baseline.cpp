// SPDX-License-Identifier: Apache-2.0
#include "harness/report/pull_request/baseline.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "harness/check/verdict_text.hpp"
#include "harness/report/text/printable.hpp"

namespace lockproof::harness {
namespace {

using Kind = BaselineChange::Kind;
using Key = std::pair<std::string, std::string>;  // file and world

constexpr const char* not_judged = "not judged";

std::string found(const check::Finding& finding) {
  if (!finding.judged) return not_judged;
  return text_of(finding);
}

std::map<Key, const RunReport*> by_key(const std::vector<RunReport>& reports) {
  std::map<Key, const RunReport*> all;
  for (const RunReport& report : reports) all.emplace(Key{report.file, report.world}, &report);
  return all;
}

/// A property that one of the two does not know counts as not judged there.
void compare(const RunReport& then, const RunReport& now, std::vector<BaselineChange>& into) {
  const auto of = [](const RunReport& report, const std::string& property) {
    const auto is_it = [&](const check::ComparedFinding& one) { return one.finding.property == property; };
    const auto one = std::ranges::find_if(report.properties, is_it);
    return one == report.properties.end() ? std::string(not_judged) : found(one->finding);
  };
  std::set<std::string> properties;
  for (const RunReport* const report : {&then, &now}) {
    for (const check::ComparedFinding& one : report->properties) properties.insert(one.finding.property);
  }
  for (const std::string& property : properties) {
    const std::string before = of(then, property), after = of(now, property);
    if (before != after) into.push_back({Kind::changed, now.file, now.world, property, before, after});
  }
}

}  // namespace

std::string_view name(Kind kind) {
  switch (kind) {
    case Kind::changed: return "changed";
    case Kind::fresh: return "new";
    case Kind::gone: return "gone";
  }
  return "";
}

bool BaselineReport::differs() const {
  return std::ranges::any_of(changes, [](const BaselineChange& one) { return one.kind != Kind::fresh; });
}

std::string BaselineReport::counts() const {
  const auto of = [&](Kind kind) { return std::ranges::count(changes, kind, &BaselineChange::kind); };
  const auto changed = of(Kind::changed), fresh = of(Kind::fresh), gone = of(Kind::gone);
  if (changed + fresh + gone == 0) return "nothing changed";
  std::vector<std::string> parts;
  if (changed > 0) parts.push_back(fmt::format("{} verdict{} changed", changed, changed == 1 ? "" : "s"));
  if (fresh > 0) parts.push_back(fmt::format("{} run{} new", fresh, fresh == 1 ? "" : "s"));
  if (gone > 0) parts.push_back(fmt::format("{} run{} gone", gone, gone == 1 ? "" : "s"));
  return fmt::format("{}", fmt::join(parts, ", "));
}

BaselineReport compared_with(const std::string& file, const std::vector<RunReport>& then,
                             const std::vector<RunReport>& now) {
  BaselineReport report;
  report.file = file;
  const auto before = by_key(then), after = by_key(now);
  std::set<std::string> worlds, left_out;
  for (const RunReport& one : now) worlds.insert(one.world);
  for (const RunReport& one : then) {
    if (!worlds.contains(one.world)) left_out.insert(one.world);
  }
  report.left_out.assign(left_out.begin(), left_out.end());
  for (const auto& [key, one] : after) {
    const auto earlier = before.find(key);
    if (earlier != before.end()) {
      compare(*earlier->second, *one, report.changes);
    } else {
      report.changes.push_back({Kind::fresh, key.first, key.second, "", "", ""});
    }
  }
  for (const auto& [key, one] : before) {
    if (worlds.contains(key.second) && !after.contains(key))
      report.changes.push_back({Kind::gone, key.first, key.second, "", "", ""});
  }
  std::ranges::stable_sort(report.changes, {}, &BaselineChange::kind);
  return report;
}

std::string baseline_text(const BaselineReport& r, const Style& style) {
  std::string text = fmt::format("\nsince {}: {}\n", printable(r.file), r.counts());
  for (const BaselineChange& one : r.changes) {
    const std::string word = fmt::format("{:<7}", name(one.kind));
    const bool counts = one.kind != Kind::fresh;
    text += fmt::format("  {}  {:<9}  {}", counts ? style.unsure(word) : word, one.world, printable(one.file));
    if (one.kind == Kind::changed) text += fmt::format("  {}: {}, before {}", one.property, one.now, one.before);
    text += "\n";
  }
  for (const std::string& world : r.left_out)
    text += fmt::format("  not compared: {} runs, of which this check has none\n", world);
  return text;
}

}  // namespace lockproof::harness
