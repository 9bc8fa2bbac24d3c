// SPDX-License-Identifier: Apache-2.0
#include "execution/tasks/merged_sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>
#include <utility>

#include "harness/input_error.hpp"

namespace lockproof::execution {
namespace {

using harness::SweptReport;
using Strike = SweptReport::Strike;

bool contains(const std::vector<std::string>& all, const std::string& one) {
  return std::ranges::find(all, one) != all.end();
}

/// Where something was struck in one part comes among the events.
void add_events(SweptReport& whole, const SweptReport& part) {
  for (const std::string& event : part.events) {
    if (!contains(whole.events, event)) whole.events.push_back(event);
  }
  for (const std::string& event : part.not_in_every) {
    if (!contains(whole.not_in_every, event)) whole.not_in_every.push_back(event);
  }
  std::erase_if(whole.not_in_every, [&](const std::string& event) { return contains(whole.events, event); });
}

void add_runs(Strike& into, Strike&& more) {
  into.runs += more.runs;
  into.struck += more.struck;
  into.late += more.late;
  for (const auto& [violation, times] : more.found) into.found[violation] += times;
  into.sentences.merge(more.sentences);
}

/// The runs without faults of all parts are one strike.
void add_strikes(SweptReport& whole, std::vector<Strike> strikes) {
  for (Strike& strike : strikes) {
    if (strike.fault.empty() && !whole.strikes.empty()) {
      add_runs(whole.strikes.front(), std::move(strike));
    } else {
      whole.strikes.push_back(std::move(strike));
    }
  }
}

}  // namespace

SweptReport merged_sweep(std::vector<SweptReport> parts) {
  SweptReport whole = std::move(parts.front());
  whole.groups.clear();
  for (SweptReport& part : std::views::drop(parts, 1)) {
    if (harness::key_sentence(part.key) != harness::key_sentence(whole.key)) {
      throw harness::InputError(whole.file, 0,
                                fmt::format("one task says: {}; another: {}; name the key: [algorithm] key",
                                            harness::key_sentence(whole.key), harness::key_sentence(part.key)));
    }
    add_events(whole, part);
    add_strikes(whole, std::move(part.strikes));
    whole.kinds.insert(whole.kinds.end(), part.kinds.begin(), part.kinds.end());
    whole.references += part.references;
    whole.runs += part.runs;
    whole.left_out += part.left_out;
    whole.seconds += part.seconds;
  }
  group(whole);
  return whole;
}

}  // namespace lockproof::execution
