// SPDX-License-Identifier: Apache-2.0
#include "harness/scenario/file/write_clients.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "harness/scenario/file/parse_program.hpp"
#include "harness/scenario/names.hpp"

namespace lockproof::harness {
namespace {

void write_steps(Writer& out, std::string_view key, const std::vector<Work>& all) {
  std::vector<std::string> steps;
  for (const Work& work : all) steps.push_back(to_text(work));
  out.put(key, steps);
}

void write_modes(Writer& out, const std::vector<Mode>& modes) {
  std::vector<std::string> words;
  for (const Mode mode : modes) words.emplace_back(word(mode, mode_choices()));
  words.size() == 1 ? out.put("mode", words.front()) : out.put("mode", words);
}

/// What differs from `base`. An optional setting cannot be taken away again: see shared_plan.
void write_plan(Writer& out, const std::string& scenario_lock, const Plan& plan, const Plan& base) {
  if (plan.rounds != base.rounds) {
    plan.rounds == rounds_for_ever ? out.put("rounds", "for ever") : out.put("rounds", plan.rounds);
  }
  if (plan.start_latest && (plan.start != base.start || plan.start_latest != base.start_latest)) {
    out.put_bounds("start", {plan.start, *plan.start_latest});
  } else if (plan.start != base.start) {
    out.put("start", plan.start);
  }
  if (plan.lease && plan.lease != base.lease) out.put("lease", Duration(*plan.lease));
  if (plan.acquire_timeout != base.acquire_timeout) {
    plan.acquire_timeout == for_ever ? out.put("acquire_timeout", "for ever")
                                     : out.put("acquire_timeout", plan.acquire_timeout);
  }
  if (plan.attempt_timeout && plan.attempt_timeout != base.attempt_timeout) {
    out.put("attempt_timeout", *plan.attempt_timeout);
  }
  if (plan.attempts && plan.attempts != base.attempts) out.put("attempts", *plan.attempts);
  if (plan.retry && plan.retry != base.retry) out.put("retry", *plan.retry);
  if (plan.think_time != base.think_time) out.put("think_time", plan.think_time);
  if (plan.lock != base.lock) out.put("lock", plan.lock.empty() ? scenario_lock : plan.lock);
  if (plan.modes != base.modes) write_modes(out, plan.modes);
  if (plan.lock_object != base.lock_object) out.put("lock_object", word(plan.lock_object, lock_object_choices()));
  if (plan.before != base.before) write_steps(out, "before", plan.before);
  if (plan.stop_on != base.stop_on) out.put("stop_on", word(plan.stop_on, stop_on_choices()));
  if (plan.work != base.work) write_steps(out, "work", plan.work);
  if (plan.connect != base.connect) out.put("connect", word(plan.connect, connect_choices()));
  if (plan.on_error != base.on_error) out.put("on_error", word(plan.on_error, on_error_choices()));
  if (plan.release_tries != base.release_tries) out.put("release_tries", plan.release_tries);
}

template <class T>
constexpr bool optional = false;
template <class T>
constexpr bool optional<std::optional<T>> = true;

/// The value that most clients have; of equally many the default, else the first. An optional setting is shared only if
/// every client has one.
template <class T>
void share(const std::vector<ClientSpec>& clients, T Plan::*setting, Plan& shared) {
  const auto have = [&](const T& value) {
    return std::ranges::count_if(clients, [&](const ClientSpec& client) { return client.plan.*setting == value; });
  };
  auto most = have(shared.*setting);
  if (optional<T> && most > 0) return;
  for (const ClientSpec& client : clients) {
    const auto same = have(client.plan.*setting);
    if (same <= most) continue;
    most = same;
    shared.*setting = client.plan.*setting;
  }
}

/// What [workload] says; `unsaid`: what is left out there.
Plan shared_plan(const std::vector<ClientSpec>& clients, const Plan& unsaid) {
  Plan shared = unsaid;
  const auto has_window = [](const ClientSpec& client) { return client.plan.start_latest.has_value(); };
  if (std::ranges::none_of(clients, has_window)) share(clients, &Plan::start, shared);  // else each says its own
  share(clients, &Plan::rounds, shared);
  share(clients, &Plan::lease, shared);
  share(clients, &Plan::acquire_timeout, shared);
  share(clients, &Plan::attempt_timeout, shared);
  share(clients, &Plan::attempts, shared);
  share(clients, &Plan::retry, shared);
  share(clients, &Plan::think_time, shared);
  share(clients, &Plan::work, shared);
  share(clients, &Plan::lock, shared);
  share(clients, &Plan::before, shared);
  share(clients, &Plan::modes, shared);
  share(clients, &Plan::lock_object, shared);
  share(clients, &Plan::stop_on, shared);
  share(clients, &Plan::connect, shared);
  share(clients, &Plan::on_error, shared);
  share(clients, &Plan::release_tries, shared);
  return shared;
}

void write_own_parameters(Writer& out, const Algorithm& algorithm, const Parameters& own) {
  std::string table;
  for (const Parameter& parameter : algorithm.parameters) {
    const auto set = own.find(parameter.name);
    if (set == own.end()) continue;
    const std::string value = parameter.counts ? std::to_string(set->second.count()) : in_quotes(to_text(set->second));
    table += fmt::format("{}{} = {}", table.empty() ? "" : ", ", parameter.name, value);
  }
  if (!table.empty()) out.raw("parameters", "{ " + table + " }");
}

}  // namespace

void write_environment(Writer& out, const std::map<std::string, std::string>& environment) {
  std::string table;
  for (const auto& [key, value] : environment) {
    table += fmt::format("{}{} = {}", table.empty() ? "" : ", ", in_quotes(key), in_quotes(value));
  }
  if (!table.empty()) out.raw("environment", "{ " + table + " }");
}

void write_clients(Writer& out, const Scenario& s) {
  const Plan unsaid = s.program ? unsaid_plan_of_program() : Plan{};
  Plan shared = shared_plan(s.clients, unsaid);
  out.begin("[workload]");
  if (s.clients.size() != 2) out.put("clients", static_cast<std::int64_t>(s.clients.size()));
  if (s.period) out.put("period", *s.period);
  write_plan(out, s.lock, shared, unsaid);
  shared.period = s.period;
  shared.claims = s.marker == Marker::period;
  for (const ClientSpec& client : s.clients) {
    const bool is_plain =
        client.server.empty() && client.parameters.empty() && client.environment.empty() && client.process.empty();
    if (client.plan == shared && client.clock == ClockSpec{} && is_plain) continue;
    out.begin("[[client]]", true);
    out.put("name", client.name);
    write_plan(out, s.lock, client.plan, shared);
    if (!client.process.empty()) out.put("process", client.process);
    if (!client.server.empty()) out.put("server", client.server);
    if (client.clock.wall != Duration{}) out.put("clock", signed_text(client.clock.wall));
    write_own_parameters(out, *s.algorithm, client.parameters);
    write_environment(out, client.environment);
  }
}

}  // namespace lockproof::harness
