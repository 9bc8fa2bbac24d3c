// SPDX-License-Identifier: Apache-2.0
#include "harness/report/trace.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>
#include <vector>

#include "harness/report/text/told_events.hpp"

namespace lockproof::harness {
namespace {

constexpr std::size_t event_columns = 74;

std::string line(const History& history, const Style& style, const Event& event, const std::string& said,
                 std::size_t width, const std::set<HostIndex>& inside) {
  const std::string host = event.host == no_host ? "" : history.host_name(event.host);
  std::vector<std::string> names;
  for (const HostIndex client : inside) names.push_back(history.host_name(client));
  const std::string who = fmt::format("{}", fmt::join(names, " "));
  const std::string padded = said + std::string(width < event_columns ? event_columns - width : 0, ' ');
  std::string all = fmt::format("{:>5}.{:06}  {:<10}  {}  {}", event.at.count() / 1'000'000,
                                event.at.count() % 1'000'000, host, padded, names.size() > 1 ? style.bad(who) : who);
  all.erase(all.find_last_not_of(' ') + 1);
  return all + "\n";
}

}  // namespace

std::string trace(const History& history, const Style& style) {
  std::string all = style.strong(fmt::format("{:>12}  {:<10}  {:<74}  {}\n", "time (s)", "host", "event", "inside"));
  std::set<HostIndex> inside;
  std::size_t seen = 0;  // events that `inside` is of
  for (const ToldEvent& told : told_events(history)) {
    const Event& event = history.events[told.position];
    for (; seen <= told.position; ++seen) {
      const Event& e = history.events[seen];
      if (e.what == What::enter) inside.insert(e.host);
      if (ends_work(e)) inside.erase(e.host);
    }
    const bool alarming = event.what == What::strike || (event.what == What::enter && inside.size() > 1);
    all += told.folds
               ? line(history, style, event, style.faint(told.text), told.text.size() - 2, inside)  // … is one column
               : line(history, style, event, alarming ? style.bad(told.text) : told.text, told.text.size(), inside);
  }
  return all;
}

}  // namespace lockproof::harness
