// SPDX-License-Identifier: Apache-2.0
#include "execution/explain/amounts.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "harness/input_error.hpp"
#include "harness/report/text/fault_text.hpp"
#include "harness/report/text/told_fault.hpp"
#include "harness/scenario/names.hpp"

namespace lockproof::execution {
namespace {

using harness::Fault;
using harness::Scenario;
using harness::Work;
using Number = std::int64_t;

constexpr Number times_most = 8;           // as much as the scenario has
constexpr Number rate_step = 1'000;        // 0.0001 %, in billionths
constexpr Number rate_most = 500'000'000;  // half as fast again
constexpr Number millisecond = 1'000;      // in microseconds

using Setter = std::function<void(Scenario&, Number)>;

Amount amount(std::string key, std::string what, Number value, Number step, Setter set, bool rate = false) {
  const Number sign = value < 0 ? -1 : 1;
  Amount one;
  one.key = std::move(key);
  one.what = std::move(what);
  one.now = std::max<Number>(1, (value * sign + step - 1) / step);
  one.most = rate ? std::min(one.now * times_most, rate_most / step) : one.now * times_most;
  one.set = [=, set = std::move(set)](Scenario& s, Number steps) { set(s, sign * steps * step); };
  one.text = [=](Number steps) {
    const Number all = sign * steps * step;
    if (rate) return harness::percent_text(all) + "%";
    return (all < 0 ? "-" : "") + harness::in_seconds(Duration(all < 0 ? -all : all));
  };
  return one;
}

void add_plan(const Scenario& scenario, Number grid, std::vector<Amount>& all) {
  const harness::ClientSpec& first = scenario.clients.front();
  const bool takes = std::ranges::find(scenario.algorithm->parameters, "first", &Parameter::name) ==
                     scenario.algorithm->parameters.end();
  const milliseconds lease = first.plan.lease.value_or(scenario.algorithm->lease);
  if (takes && lease > milliseconds(0)) {
    const auto set = [](Scenario& s, Number us) {
      for (harness::ClientSpec& client : s.clients) {
        client.plan.lease = std::chrono::duration_cast<milliseconds>(Duration(us));
      }
    };
    const Number unit = std::max(millisecond, Duration(scenario.algorithm->lease_unit).count());
    all.push_back(amount("lease", "the lease", Duration(lease).count(), unit, set));
  }
  for (const harness::ClientSpec& client : scenario.clients) {
    const auto hold = std::ranges::find(client.plan.work, Work::Kind::hold, &Work::kind);
    if (hold == client.plan.work.end()) continue;
    // That of every client that holds for as long.
    const auto set = [was = hold->lasts](Scenario& s, Number us) {
      for (harness::ClientSpec& one : s.clients) {
        for (Work& work : one.plan.work) {
          if (work.kind == Work::Kind::hold && work.lasts == was) work.lasts = Duration(us);
        }
      }
    };
    all.push_back(amount("hold", "the 'hold' of the work", hold->lasts.count(), grid, set));
    break;
  }
  for (const Parameter& parameter : scenario.algorithm->parameters) {
    const auto value = scenario.parameters.find(parameter.name);
    if (parameter.counts || value == scenario.parameters.end() || value->second == Duration{}) continue;
    const std::string name(parameter.name);
    const auto set = [name](Scenario& s, Number us) { s.parameters[name] = Duration(us); };
    all.push_back(amount(name, fmt::format("'{}' of the lock", name), value->second.count(),
                         std::max(grid, parameter.unit.count()), set));
  }
}

void add_clocks(const Scenario& scenario, std::vector<Amount>& all) {
  for (std::size_t i = 0; i < scenario.clients.size(); ++i) {
    const harness::ClientSpec& client = scenario.clients[i];
    if (client.clock.wall == Duration{}) continue;
    const auto set = [i](Scenario& s, Number us) { s.clients[i].clock.wall = Duration(us); };
    all.push_back(amount(client.name + ".clock", fmt::format("how far the clock of {} is off", client.name),
                         client.clock.wall.count(), millisecond, set));
  }
}

void add_fault(const Fault& fault, std::size_t i, Number grid, std::vector<Amount>& all) {
  const auto add = [&](const char* setting, Number value, Number step, Duration Fault::*field) {
    if (value == 0) return;
    const auto set = [i, field](Scenario& s, Number us) { s.faults[i].*field = Duration(us); };
    all.push_back(amount(fmt::format("fault-{}.{}", i + 1, setting),
                         fmt::format("'{}' of the {}", setting, harness::fault_name(fault)), value, step, set));
  };
  const Number whole = (grid + millisecond - 1) / millisecond * millisecond;
  add("for", fault.lasts.count(), grid, &Fault::lasts);
  add("by", fault.by.count(), fault.kind == harness::FaultKind::clock_jump ? whole : grid, &Fault::by);
  add("after", fault.delay.count(), grid, &Fault::delay);
  if (fault.rate_ppb == 0) return;
  const auto set = [i](Scenario& s, Number ppb) { s.faults[i].rate_ppb = ppb; };
  all.push_back(amount(fmt::format("fault-{}.rate", i + 1), fmt::format("'rate' of the {}", harness::fault_name(fault)),
                       fault.rate_ppb, rate_step, set, true));
}

}  // namespace

std::vector<Amount> amounts_of(const Scenario& scenario) {
  std::vector<Amount> all;
  const Number grid = std::max<Number>(1, scenario.grid.count());
  for (std::size_t i = 0; i < scenario.faults.size(); ++i) add_fault(scenario.faults[i], i, grid, all);
  add_plan(scenario, grid, all);
  add_clocks(scenario, all);
  return all;
}

Amount amount_of(const Scenario& scenario, const std::string& key) {
  std::vector<Amount> all = amounts_of(scenario);
  std::vector<std::string> keys;
  std::vector<std::size_t> meant;
  for (std::size_t i = 0; i < all.size(); ++i) {
    keys.push_back(all[i].key);
    const bool is_it = all[i].key == key || all[i].key.ends_with("." + key);
    if (is_it) meant.push_back(i);
  }
  if (meant.size() == 1) return std::move(all[meant.front()]);
  const auto near = harness::nearest(key, keys);
  const std::string meant_text = near ? fmt::format("; did you mean '{}'?", *near) : "";
  const std::string known = keys.empty() ? "it has none" : fmt::format("it has {}", fmt::join(keys, ", "));
  throw harness::InputError(scenario.file, 0,
                            fmt::format("--boundary: '{}' is {} amount of this scenario{}; {}", key,
                                        meant.empty() ? "no" : "more than one", meant_text, known));
}

}  // namespace lockproof::execution
