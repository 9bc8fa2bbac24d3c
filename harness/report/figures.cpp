// SPDX-License-Identifier: Apache-2.0
#include "harness/report/figures.hpp"

#include <algorithm>
#include <map>

#include "harness/check/properties.hpp"

namespace lockproof::harness {

double Figures::per_second() const {
  const auto us = static_cast<double>(window.count());
  return us > 0 ? static_cast<double>(acquisitions) * 1e6 / us : 0;
}

Figures figures_of(const History& history, const Scenario& scenario) {
  Figures figures;
  figures.two_inside = check::mutual_exclusion(history, scenario).kind;
  std::map<HostIndex, Duration> waiting;  // since when
  std::optional<Duration> crash;
  for (const Event& event : history.events) {
    switch (event.what) {
      case What::start: waiting[event.host] = event.at; break;
      case What::granted:
        ++figures.acquisitions;
        if (crash && !figures.takeover) figures.takeover = event.at - *crash;
        if (const auto since = waiting.find(event.host); since != waiting.end()) {
          figures.waits.push_back({event.at - since->second});
          waiting.erase(since);
        }
        break;
      case What::gave_up: waiting.erase(event.host); break;
      case What::strike:
        if (event.word == "crash" && !crash) crash = event.at;
        if (event.word == "crash") waiting.erase(event.host);
        break;
      case What::end: figures.window = event.at; break;
      default: break;
    }
  }
  for (const auto& [host, since] : waiting) figures.waits.push_back({figures.window - since, false});
  std::ranges::stable_sort(figures.waits, {}, &Wait::lasted);
  if (crash) figures.watched = figures.window - *crash;
  return figures;
}

std::optional<Wait> percentile(const std::vector<Wait>& waits, int percent) {
  if (waits.empty()) return std::nullopt;
  const std::size_t rank = (waits.size() * static_cast<std::size_t>(percent) + 99) / 100;
  return waits[std::clamp<std::size_t>(rank, 1, waits.size()) - 1];
}

}  // namespace lockproof::harness
