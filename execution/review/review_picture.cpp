// SPDX-License-Identifier: Apache-2.0
#include "execution/review/review_picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "harness/scenario/file/parse.hpp"
#include "sim/run.hpp"

namespace lockproof::execution {
namespace {

using harness::Event;
using harness::What;

constexpr std::int64_t columns = 40;

class Lanes {
 public:
  Lanes(const harness::History& history, const harness::Scenario& scenario) : history_(history) {
    for (const harness::ClientSpec& client : scenario.clients) lanes_[client.name] = std::string(columns, '.');
    for (const Event& event : history.events) {
      if (event.what == What::enter || event.what == What::exit) last_ = std::max(last_, event.at);
    }
  }

  std::vector<std::string> draw() {
    if (last_ == Duration{}) return {};
    std::map<harness::HostIndex, Duration> since;
    for (const Event& event : history_.events) {
      if (event.what == What::enter) since[event.host] = event.at;
      if (event.what == What::exit && since.contains(event.host)) fill(event.host, since[event.host], event.at);
      if (event.what == What::exit) since.erase(event.host);
    }
    for (const auto& [host, at] : since) fill(host, at, last_);  // it never left
    for (const Event& event : history_.events) {
      if (event.what == What::strike && event.at <= last_) lane(event.host)[column(event.at)] = '!';
    }
    std::size_t widest = 0;
    for (const auto& [host, lane] : lanes_) widest = std::max(widest, host.size());
    std::vector<std::string> lines;
    for (const auto& [host, lane] : lanes_) lines.push_back(fmt::format("{:<{}}  {}", host, widest, lane));
    return lines;
  }

 private:
  std::string& lane(harness::HostIndex host) {
    const std::string& name = history_.header.hosts[static_cast<std::size_t>(host)].name;
    return lanes_.try_emplace(name, columns, '.').first->second;
  }
  [[nodiscard]] std::size_t column(Duration at) const {
    return static_cast<std::size_t>(
        std::min(columns - 1, at.count() * columns / std::max<std::int64_t>(1, last_.count())));
  }
  void fill(harness::HostIndex host, Duration from, Duration to) {
    std::string& text = lane(host);
    for (std::size_t i = column(from); i <= column(to); ++i) text[i] = '=';
  }

  const harness::History& history_;
  Duration last_{};
  std::map<std::string, std::string> lanes_;
};

}  // namespace

std::vector<std::string> small_picture(const harness::ReviewCause& cause, const std::string& name) {
  const harness::Scenario scenario = harness::parse_scenario(name, cause.scenario);
  const harness::History history = sim::run(scenario, scenario.seed);
  return Lanes(history, scenario).draw();
}

}  // namespace lockproof::execution
