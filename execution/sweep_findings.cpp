// SPDX-License-Identifier: Apache-2.0
// The part of a sweep that writes scenarios of what was found.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "execution/sweep.hpp"
#include "harness/scenario/file/write.hpp"
#include "harness/scenario/names.hpp"

namespace lockproof::execution {
namespace {

using harness::SweptReport;
using Strike = SweptReport::Strike;

std::string toml_of(const harness::Scenario& scenario, const Strike& strike, const std::string& folder) {
  harness::Scenario found = struck(scenario, strike);
  found.title =
      strike.fault.empty() ? "Found without any fault" : fmt::format("Found: {} at {}", strike.fault, strike.event);
  found.expect = {};
  found.expect.real.emplace();
  for (const auto& [way, times] : strike.found) {
    (*found.expect.real)[way.property] = way.kind.empty() ? "violated" : way.kind;
  }
  return to_toml(found, folder);
}

}  // namespace

harness::Scenario struck(const harness::Scenario& scenario, const Strike& strike) {
  if (strike.fault.empty()) return scenario;
  harness::Scenario with = struck(scenario, strike.fault, *harness::when_from(strike.event));
  if (strike.second.empty()) return with;
  const std::size_t at = strike.second.find(" at ");
  return struck(with, strike.second.substr(0, at), *harness::when_from(strike.second.substr(at + 4)));
}

void write_findings(SweptReport& report, const harness::Scenario& scenario, const std::string& folder,
                    const std::function<void(const std::string& file, const std::string& text)>& write) {
  std::map<std::string, std::string> written;  // by fault and event
  for (SweptReport::Group& group : report.groups) {
    const auto strike = std::ranges::find_if(report.strikes, [&](const Strike& s) {
      return s.fault == group.fault && s.second == group.second && s.event == group.events.front();
    });
    if (strike == report.strikes.end()) continue;
    auto [file, is_new] = written.try_emplace(strike->fault + "/" + strike->event + "/" + strike->second);
    if (is_new) {
      file->second = fmt::format("{}/finding-{:02}.toml", folder, written.size());
      write(file->second, toml_of(scenario, *strike, folder));
    }
    group.file = file->second;
  }
}

}  // namespace lockproof::execution
