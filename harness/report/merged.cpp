// SPDX-License-Identifier: Apache-2.0
#include "harness/report/merged.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "harness/input_error.hpp"

namespace lockproof::harness {
namespace {

/// What must be equal in all, in words.
std::vector<std::pair<const char*, std::string>> terms(const FuzzReport& r) {
  return {{"scenario", r.scenario_digest},
          {"strategy", r.strategy},
          {"depth", std::to_string(r.depth)},
          {"budget", r.budget_digest},
          {"seed", std::to_string(r.run.seed)},
          {"number of runs", std::to_string(r.asked)},
          {"number of shards", std::to_string(r.of)},
          {"build of lockproof", r.build}};
}

void check_same_fuzzing(const FuzzPart& first, const FuzzPart& other) {
  const auto here = terms(first.report), there = terms(other.report);
  for (std::size_t i = 0; i < here.size(); ++i) {
    if (here[i].second == there[i].second) continue;
    const std::string term = here[i].first;
    const bool digest = term == "scenario" || term == "budget" || term == "build of lockproof";
    throw InputError(
        other.file, 0,
        digest ? fmt::format("it is of another {} than {}", term, first.file)
               : fmt::format("its {} is {}, that of {} is {}", term, there[i].second, first.file, here[i].second));
  }
}

void check_all_there(const std::vector<FuzzPart>& parts) {
  std::map<std::uint64_t, const FuzzPart*> by_number;
  for (const FuzzPart& part : parts) {
    const auto [there, fresh] = by_number.emplace(part.report.part, &part);
    if (!fresh) {
      throw InputError(
          part.file, 0,
          fmt::format("shard {}/{} is there already: {}", part.report.part, part.report.of, there->second->file));
    }
  }
  const std::uint64_t of = parts.front().report.of;
  std::vector<std::string> missing;
  for (std::uint64_t part = 1; part <= of && missing.size() < 10; ++part) {
    if (!by_number.contains(part)) missing.push_back(fmt::format("{}/{}", part, of));
  }
  if (!missing.empty()) {
    throw InputError(
        "join", 0,
        fmt::format("of {} shards {} {} there; missing: {}{}", of, parts.size(), parts.size() == 1 ? "is" : "are",
                    fmt::join(missing, ", "), of - parts.size() > missing.size() ? ", …" : ""));
  }
}

void add(std::vector<FuzzViolation>& into, const std::vector<FuzzViolation>& ways) {
  for (const FuzzViolation& way : ways) {
    const auto same = [&](const FuzzViolation& w) { return w.property == way.property && w.kind == way.kind; };
    const auto there = std::ranges::find_if(into, same);
    if (there == into.end()) {
      into.push_back(way);
      continue;
    }
    const std::uint64_t runs = there->runs + way.runs;
    if (way.first < there->first) *there = way;
    there->runs = runs;
  }
  std::ranges::sort(into, {}, [](const FuzzViolation& w) { return std::pair(w.property, w.kind); });
}

}  // namespace

FuzzReport merged(const std::vector<FuzzPart>& parts) {
  for (const FuzzPart& part : parts) check_same_fuzzing(parts.front(), part);
  check_all_there(parts);
  FuzzReport sum = parts.front().report;
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const FuzzReport& r = parts[i].report;
    sum.run.runs += r.run.runs;
    sum.run.events += r.run.events;
    sum.fresh += r.fresh;
    sum.met.insert(r.met.begin(), r.met.end());
    sum.bounded &= r.bounded;
    sum.unbounded.insert(r.unbounded.begin(), r.unbounded.end());
    sum.threads = std::max(sum.threads, r.threads);
    sum.k = std::max(sum.k, r.k);
    std::erase_if(sum.never_struck, [&](const std::string& kind) { return !r.never_struck.contains(kind); });
    add(sum.violated, r.violated);
    add(sum.unknown, r.unknown);
  }
  if (sum.strategy == "guided") sum.merged = sum.of;
  sum.part = sum.of = 1;
  return sum;
}

}  // namespace lockproof::harness
