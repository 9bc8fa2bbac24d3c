// SPDX-License-Identifier: Apache-2.0
#include "search/liveness/probe_client.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "harness/check/properties.hpp"
#include "search/reduction/reexecuted_world.hpp"
#include "sim/kernel/path_chooser.hpp"
#include "sim/world/world.hpp"

namespace lockproof::sim {

using harness::Phase;

namespace {

constexpr const char* judged_by = "deadlock-freedom";
constexpr Duration for_ever{std::int64_t{1} << 59};  // recognised as unlimited by the encoding
constexpr int steps_max = 1'000'000;                 // after which the fate of a probe client counts as undecided
constexpr int leases_max = 100;                      // for which it tries, if no state ever repeats exactly

/// A schedule up to a quiescent state, continued by the first choice of everything.
class ScheduleReplay {
 public:
  ScheduleReplay(const harness::Scenario& scenario, const harness::Bounds& budget, ModelFactory& models,
                 const ShortestViolation& to, bool record = false)
      : path_(to.choices), reexecuted_(scenario, budget, models, path_, to.reduced, to.depth, record) {}
  World& world() { return reexecuted_.world(); }

 private:
  PathChooser path_;
  ReexecutedWorld reexecuted_;
};

Duration whole_seconds(Duration d) { return std::chrono::ceil<std::chrono::seconds>(d); }

enum class Fate : std::uint8_t { gets_it, never, undecided };

/// The probe client is the last client. It never gets the lock if nothing happens any more, if a state since its start
/// repeats, or if a hundred leases have passed.
Fate fate_of_probe_client(World& world, Duration start, Duration lease, const std::stop_token& stop, Duration& took) {
  const Process& probe_client = world.process(world.scenario().clients.size() - 1);
  std::set<std::string> seen;
  for (int i = 0; i < steps_max; ++i) {
    look_at(stop);
    const bool alive = world.step();
    took = world.now() - start;
    if (probe_client.life().depth > 0) return Fate::gets_it;
    if (!alive || took > lease * leases_max) return Fate::never;
    const bool between = world.now() > start && probe_client.life().phase == Phase::waiting;
    if (between && !seen.insert(world.encoding(world.detail_of_its_past())).second) return Fate::never;
  }
  return Fate::undecided;
}

/// How a run shows that the lock is dead; nothing if it does not.
std::optional<std::string> shown_kind(const harness::Scenario& scenario, const harness::Bounds& budget,
                                      ModelFactory& models, const ShortestViolation& broken) {
  const harness::Scenario judged = with_probe_client(scenario, *broken.probe_client);
  ScheduleReplay reexecuted(judged, budget, models, broken, true);
  World& world = reexecuted.world();
  const Duration until = broken.probe_client->start.value_or(world.now()) + broken.probe_client->within * 2;
  while (world.now() < until && world.step()) {
  }
  const check::Finding finding = check::deadlock_freedom(world.history(), judged);
  if (finding.verdict != check::Verdict::violated) return std::nullopt;
  return finding.kind;
}

/// Whether the lock is known to be dead, in any kind, with a part of these faults.
bool is_dead_with_less(const Exploration& found, const std::vector<int>& counts) {
  return std::ranges::any_of(found.by_faults, [&](const auto& known) {
    const auto& [way, fewer] = known.first;
    return way.first == judged_by && fewer != counts && std::ranges::equal(fewer, counts, std::less_equal{});
  });
}

}  // namespace

harness::Scenario with_probe_client(harness::Scenario scenario, const ProbeClient& comes) {
  scenario.progress = comes.within;
  if (!comes.start) return scenario;
  const bool alone = !std::ranges::all_of(scenario.clients, &harness::Plan::shares, &harness::ClientSpec::plan);
  harness::ClientSpec probe_client = scenario.clients.front();
  probe_client.name = "client-" + std::to_string(scenario.clients.size() + 1);
  probe_client.clock = {};
  probe_client.process.clear();  // it comes from elsewhere
  probe_client.plan.start_latest.reset();
  probe_client.plan.start =
      *comes.start - probe_client.plan.period.value_or(Duration{});  // when its first round begins
  if (!comes.lock.empty()) probe_client.plan.lock = comes.lock == scenario.lock ? "" : comes.lock;
  probe_client.plan.modes = {alone ? Mode::exclusive : Mode::shared};
  probe_client.plan.before.clear();
  probe_client.plan.attempt_timeout.reset();
  probe_client.plan.rounds = 1;
  probe_client.plan.asking = harness::AskPolicy::polls;
  probe_client.plan.counts_refusals = true;
  probe_client.plan.attempts.reset();
  probe_client.plan.acquire_timeout = comes.within * 2;
  probe_client.plan.work = {{harness::Work::Kind::hold, seconds(1)}};
  scenario.clients.push_back(std::move(probe_client));
  return scenario;
}

void send_probe_clients(const harness::Scenario& scenario, const harness::Bounds& budget, const QuiescentStates& quiet,
                        const std::function<Choices(std::uint32_t)>& path_to, ProbeClientsViolation how,
                        Exploration& into) {
  ModelFactory models;
  bool decided = true;
  const std::vector<std::string> locks = scenario.locks();
  const std::vector<QuiescentStates::State> ends = quiet.ends();
  for (std::size_t i = 0; i < ends.size() * locks.size(); ++i) {
    const QuiescentStates::State& end = ends[i / locks.size()];
    const std::string& lock = locks[i % locks.size()];
    look_at(how.stop);
    ShortestViolation broken{path_to(end.number), how.reduced, end.faults, end.depth, ProbeClient{.lock = lock}};
    ScheduleReplay alone(scenario, budget, models, broken);
    const std::vector<int> counts = alone.world().budget().counts();
    if (how.by_faults && is_dead_with_less(into, counts)) continue;
    const bool stuck = !alone.world().is_quiescent();  // a client waits although no event will happen any more
    const Duration lease = whole_seconds(alone.world().longest_lease());
    const Duration start = whole_seconds(alone.world().now()) + lease * 2 + seconds(1);

    const harness::Scenario joined = with_probe_client(scenario, {start, for_ever, lock});
    ScheduleReplay together(joined, budget, models, broken);
    Duration took{};
    const Fate fate =
        fate_of_probe_client(together.world(), start, std::max(lease, Duration(seconds(1))), how.stop, took);
    decided &= fate != Fate::undecided;
    if (fate != Fate::never && !stuck) continue;
    broken.probe_client->within = std::max({lease, whole_seconds(took), Duration(seconds(60))});
    if (!stuck) broken.probe_client->start = start;
    const std::optional<std::string> kind = shown_kind(scenario, budget, models, broken);
    decided &= kind.has_value();
    if (!kind) continue;
    const ViolationKind way{judged_by, *kind};
    into.broken.try_emplace(way, broken);
    if (how.by_faults && !are_enough(into, way, counts)) into.by_faults.emplace(std::pair(way, counts), broken);
  }
  if (decided)
    into.judged.insert(judged_by);
  else
    into.judged.erase(judged_by);
}

}  // namespace lockproof::sim
