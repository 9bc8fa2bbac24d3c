// SPDX-License-Identifier: Apache-2.0
#include "execution/judge/nearest_lock.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "harness/scenario/file/parse.hpp"
#include "harness/scenario/setup.hpp"
#include "sim/run.hpp"

namespace lockproof::execution {
namespace {

using harness::Change;
using harness::Effect;

using Sorts = std::set<std::string>;

/// "SET NX PX: acquired renewed". A script is known by what it does, not by its text.
std::string sort_of(const std::vector<Value>& words, const std::vector<Effect>& effects, const std::string& key) {
  std::string form = form_of(words);
  if (form.starts_with("script ")) form = "script";
  for (const char* const at : {"PXAT", "EXAT"}) {
    if (const auto found = form.find(at); found != std::string::npos) form.erase(found + 2, 2);
  }
  std::string did;
  for (const Effect& effect : effects) {
    if (effect.key == key && effect.change != Change::expired) did += fmt::format(" {}", harness::name(effect.change));
  }
  return did.empty() ? "" : form + ":" + did;
}

Sorts sorts_of(const Incident& incident) {
  Sorts sorts;
  for (const std::size_t i : incident.lock.executions) {
    const ServerExecution& one = incident.log.executions[i];
    sorts.insert(sort_of(one.words, one.effects, incident.lock.key));
  }
  sorts.erase("");
  return sorts;
}

/// What two clients of the lock send, of which one works for longer than its lease.
Sorts sorts_of(const Algorithm& lock) {
  const std::string text = fmt::format(
      "title = \"its commands\"\n{}\n[workload]\nclients = 2\nlease = \"3s\"\nwork = [\"hold 1s\"]\n"
      "[[client]]\nname = \"client-2\"\nwork = [\"hold 8s\"]\n",
      harness::algorithm_table(lock));
  const harness::Scenario scenario = harness::parse_scenario("commands.toml", text);
  Sorts sorts;
  for (const harness::Event& event : sim::run(scenario, scenario.seed).events) {
    if (event.what != harness::What::execute || !event.command) continue;
    sorts.insert(sort_of(event.command->args(), event.effects, scenario.lock));
  }
  sorts.erase("");
  return sorts;
}

}  // namespace

NearestLock nearest_lock(const Incident& incident) {
  const Sorts seen = sorts_of(incident);
  NearestLock nearest;
  for (const Algorithm& lock : catalogue()) {
    if (lock.service != Service::redis || lock.servers != Servers::one) continue;
    const Sorts own = sorts_of(lock);
    Sorts both;
    std::ranges::set_intersection(seen, own, std::inserter(both, both.end()));
    const std::size_t shared = both.size(), all = seen.size() + own.size() - shared;
    if (shared == 0) continue;
    const std::size_t better = shared * nearest.all, best = nearest.shared * all;
    if (!nearest.locks.empty() && better < best) continue;
    if (better > best) nearest = {.shared = shared, .all = all};
    if (nearest.locks.empty()) nearest = {.shared = shared, .all = all};
    nearest.locks.push_back(&lock);
  }
  return nearest;
}

}  // namespace lockproof::execution
