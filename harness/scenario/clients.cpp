// SPDX-License-Identifier: Apache-2.0
#include "harness/scenario/clients.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "harness/scenario/fault_table.hpp"

namespace lockproof::harness {
namespace {

Caller caller_of(const ClientSpec& spec) { return {.name = spec.name, .mode = spec.plan.mode_in(1)}; }

std::unique_ptr<Lock> make_object(const Scenario& scenario, const ClientSpec& spec, Ports ports) {
  ports.caller = caller_of(spec);
  Parameters parameters = spec.parameters;
  parameters.insert(scenario.parameters.begin(), scenario.parameters.end());  // where it has none of its own
  return scenario.algorithm->make(ports, parameters);
}

/// A lock object for each name.
class LockObjects final : public Lock {
 public:
  LockObjects(const Scenario& scenario, const ClientSpec& spec, Ports ports) {
    for (const std::string& name : scenario.locks_of(spec)) objects_[name] = make_object(scenario, spec, ports);
  }

  void begin_attempts(const Name& name, int round, Mode mode) override { of(name).begin_attempts(name, round, mode); }
  Task<Attempt> try_acquire(Name name, std::optional<milliseconds> lease) override {
    Lock& lock = of(name);
    return lock.try_acquire(std::move(name), lease);
  }
  Task<Result<ReleaseResult>> release(Grant grant) override {
    Lock& lock = of(grant.name);
    return lock.release(std::move(grant));
  }
  Task<Result<std::optional<Grant>>> renew(Grant grant) override {
    Lock& lock = of(grant.name);
    return lock.renew(std::move(grant));
  }
  Task<bool> wait(Name name, Busy busy, Mono until) override {
    Lock& lock = of(name);
    return lock.wait(std::move(name), busy, until);
  }
  [[nodiscard]] Retry retry() const override { return objects_.begin()->second->retry(); }
  [[nodiscard]] lockproof::State state() const override {
    lockproof::State all;
    for (const auto& [name, object] : objects_) {
      const lockproof::State one = object->state();
      all.emplace_back(std::ssize(one));
      all.insert(all.end(), one.begin(), one.end());
    }
    return all;
  }

 private:
  Lock& of(const Name& name) { return *objects_.at(name.bytes()); }

  std::map<std::string, std::unique_ptr<Lock>> objects_;
};

}  // namespace

std::vector<std::string> Scenario::locks_of(const ClientSpec& client) const {
  std::vector<std::string> all{lock_of(client)};
  for (const Work& step : client.plan.work) {
    if (!step.lock.empty() && std::ranges::find(all, step.lock) == all.end()) all.push_back(step.lock);
  }
  return all;
}

std::vector<std::string> Scenario::locks() const {
  std::vector<std::string> all;
  for (const ClientSpec& client : clients) {
    for (const std::string& taken : locks_of(client)) {
      if (std::ranges::find(all, taken) == all.end()) all.push_back(taken);
    }
  }
  return all;
}

Plan plan_of(const Scenario& scenario, std::size_t client) {
  Plan plan = scenario.clients.at(client).plan;
  if (plan.asking != AskPolicy::polls) return plan;
  for (const Step& step : scenario.steps) {
    const EventName& event = step.event;
    if (event.kind != EventName::Kind::ask || event.actor != scenario.clients[client].name) continue;
    plan.asks.push_back({event.round, event.occurrence, step.at.value_or(Duration{})});
  }
  return plan;
}

Caller caller_of(const Scenario& scenario, std::size_t client) { return caller_of(scenario.clients.at(client)); }

std::unique_ptr<Lock> make_lock(const Scenario& scenario, std::size_t client, Ports ports) {
  const ClientSpec& spec = scenario.clients.at(client);
  const bool is_one = spec.plan.lock_object == LockObject::one || !spec.plan.takes_other_locks();
  if (is_one) return make_object(scenario, spec, ports);
  return std::make_unique<LockObjects>(scenario, spec, ports);
}

bool strikes_process(FaultKind kind) {
  using Action = FaultRow::Action;
  switch (row_of(kind).action) {
    case Action::stand_still:
    case Action::end_process:
    case Action::jump_clock:
    case Action::set_rate:
    case Action::cut_off: return true;
    default: return false;
  }
}

}  // namespace lockproof::harness
