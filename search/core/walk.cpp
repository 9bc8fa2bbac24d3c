// SPDX-License-Identifier: Apache-2.0
#include "search/core/walk.hpp"

#include "sim/world/state_encoder.hpp"

namespace lockproof::sim {

using harness::HostIndex;
using harness::What;

namespace {

/// The lock is asked for while another client asks for it or is inside.
bool contends(const World& world, const harness::Event& event) {
  if (event.what != What::attempt || world.scenario().has_several_locks()) return event.what == What::busy;
  for (std::size_t i = 0; i < world.scenario().clients.size(); ++i) {
    const Process& other = world.process(i);
    const bool works = !other.crashed() && !other.worker_killed();
    if (static_cast<HostIndex>(i) != event.host && works && other.life().interested()) return true;
  }
  return false;
}

}  // namespace

void PathCoverage::see(const World& world, const harness::Event& event) {
  acquired |= event.what == What::enter;
  contended |= contends(world, event);
  rounds.see(event);
  const bool own = event.fault > 0 && event.fault <= static_cast<int>(world.scenario().faults.size());
  if (event.what == What::strike && own) struck.insert(event.fault);
}

Walk::Walk(const harness::Scenario& scenario, const harness::Bounds& budget, ModelFactory& models, Chooser& chooser,
           bool keeps)
    : world_(scenario, chooser,
             {.record = true,
              .record_inputs = false,
              .token_name = {},
              .budget = &budget,
              .encoding = true,
              .models = &models}),
      monitors_(check::monitors(world_.history().header, scenario)), keeps_(keeps) {
  look();
}

bool Walk::step() {
  const bool alive = world_.step();
  look();
  return alive;
}

void Walk::look() {
  shown_ = {};
  for (const Budget::Offer& offer : world_.take_struck()) shown_.of_budget.insert(offer);
  latest_event_ = events_.size();
  for (const harness::Event& event : world_.take_events()) {
    if (keeps_) events_.push_back(event);
    shown_.see(world_, event);
    for (const auto& monitor : monitors_) {
      if (monitor) monitor->see(0, event);
    }
  }
  for (std::size_t i = 0; i < monitors_.size(); ++i) {
    if (!monitors_[i]) continue;
    const check::Finding finding = monitors_[i]->finding();
    if (finding.verdict != check::Verdict::violated) continue;
    shown_.broken.emplace_back(check::properties_of(world_.scenario())[i].name, finding.kind);
    monitors_[i]->forget();
  }
}

std::string Walk::encoding(ClockDetail detail) const {
  const std::string bytes = world_.encoding(detail);
  check::MonitorEncoding encoding{
      .now = world_.now(),
      .in_flight = [&](HostIndex c, HostIndex s, int n) { return world_.in_flight(c, s, n); },
      .distance = [&](HostIndex c, HostIndex s,
                      int n) { return world_.process(static_cast<std::size_t>(c)).distance(s, n); },
      .numbers = {}};
  const std::vector<std::string> none;
  StateEncoder into(none);
  for (const auto& monitor : monitors_) {
    if (!monitor) continue;
    encoding.numbers.clear();
    monitor->encode(encoding);
    into.number(static_cast<std::int64_t>(encoding.numbers.size()));
    for (const std::int64_t n : encoding.numbers) into.number(n);
  }
  return bytes + into.take();
}

}  // namespace lockproof::sim
