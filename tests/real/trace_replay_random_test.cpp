// SPDX-License-Identifier: Apache-2.0
// Random runs with several random faults, replayed: wherever the simulator and real servers disagree, one of them is
// wrong about what happens to a lock. Each run is first written down as a scenario, as a counterexample is.
#include <gtest/gtest.h>

#include <cstdlib>

#include "harness/record/rerun.hpp"
#include "harness/scenario/file/parse_bounds.hpp"
#include "harness/scenario/file/write.hpp"
#include "real/trace_replay/trace_replay.hpp"
#include "search/core/exploration.hpp"
#include "sim/kernel/choosers.hpp"
#include "sim/kernel/random_bits.hpp"
#include "tests/search/minimize/random_finding.hpp"

namespace lockproof::real::trace_replay_random_test {
namespace {

/// More of them with this variable set.
std::uint64_t runs() {
  const char* const asked = std::getenv("LOCKPROOF_TRACE_REPLAY_RUNS");
  return asked ? std::strtoull(asked, nullptr, 10) : 4;
}

struct World {
  const char* name;
  const char* budget;
  const char* servers;
};

constexpr World worlds[] = {
    {"one_server", "one-server", ""},
    {"with_rdb", "one-server", "[[server]]\nname = \"redis-1\"\npersistence = \"rdb\"\n"},
    {"with_aof_everysec", "one-server", "[[server]]\nname = \"redis-1\"\npersistence = \"aof-everysec\"\n"},
    {"with_aof_always", "one-server", "[[server]]\nname = \"redis-1\"\npersistence = \"aof-always\"\n"},
    {"with_a_replica", "master-replica",
     "[servers]\nredis = 2\n[[server]]\nname = \"redis-2\"\nreplica_of = \"redis-1\"\n"},
    {"with_a_replica_of_rdb", "master-replica",
     "on_timeout = \"discard\"\n[servers]\nredis = 2\n[[server]]\nname = \"redis-1\"\npersistence = \"rdb\"\n"
     "[[server]]\nname = \"redis-2\"\nreplica_of = \"redis-1\"\npersistence = \"rdb\"\n"},
    {"with_two_replicas", "master-replica",
     "[servers]\nredis = 3\n[[server]]\nname = \"redis-2\"\nreplica_of = \"redis-1\"\npersistence = \"aof-everysec\"\n"
     "[[server]]\nname = \"redis-3\"\nreplica_of = \"redis-1\"\npersistence = \"rdb\"\n"},
    {"with_a_sentinel_and_two_replicas", "master-replica",
     "[servers]\nredis = 3\n[[server]]\nname = \"redis-2\"\nreplica_of = \"redis-1\"\n[[server]]\nname = \"redis-3\"\n"
     "replica_of = \"redis-1\"\n[[sentinel]]\nmaster = \"redis-1\"\npromotes = \"redis-2\"\ndown_after = "
     "\"1s\"\ndemotes_after = \"1s\"\n"},
    {"with_a_sentinel", "master-replica",
     "[servers]\nredis = 2\n[[server]]\nname = \"redis-1\"\npersistence = \"aof-everysec\"\n[[server]]\nname = "
     "\"redis-2\"\n"
     "replica_of = \"redis-1\"\n[[sentinel]]\nmaster = \"redis-1\"\npromotes = \"redis-2\"\ndown_after = "
     "\"1s\"\ndemotes_after = \"1s\"\n"},
    {"with_min_replicas", "master-replica",
     "[servers]\nredis = 2\n[[server]]\nname = \"redis-1\"\npersistence = \"aof-everysec\"\nmin_replicas_to_write = 1\n"
     "min_replicas_max_lag = \"1s\"\n[[server]]\nname = \"redis-2\"\nreplica_of = \"redis-1\"\n"},
    {"five_servers", "five-servers", "[servers]\nredis = 5\n"},
};

class RandomRuns : public testing::TestWithParam<World> {};
INSTANTIATE_TEST_SUITE_P(TraceReplay, RandomRuns, testing::ValuesIn(worlds),
                         [](const auto& world) { return std::string(world.param.name); });

harness::Scenario drawn(const World& in, std::uint64_t seed) {
  const bool many = std::string(in.name) == "five_servers";
  sim::RandomBits bits(seed);
  std::vector<const Algorithm*> algorithms;
  for (const Algorithm& a : catalogue()) {
    // Not what waits for a replica: WAIT cannot be done again.
    if (a.service == Service::redis && a.servers == (many ? Servers::all : Servers::one)) algorithms.push_back(&a);
  }
  const Algorithm& algorithm = *algorithms[bits.below(algorithms.size())];
  const auto scenario =
      tests::scenario(std::string("[workload]\nclients = 3\nrounds = 2\nlease = \"4s\"\nacquire_timeout = \"9s\"\n"
                                  "work = [\"read\", \"hold 3s\", \"write\"]\n"
                                  "[network]\nlatency = [\"1ms\", \"3ms\"]\nreplication = [\"1ms\", \"900ms\"]\n"
                                  "timeout = \"700ms\"\n") +
                          in.servers,
                      std::string(algorithm.name));
  harness::Bounds budget =
      harness::load_budget(std::string(LOCKPROOF_SOURCE "/scenarios/budgets/") + in.budget + ".toml", scenario);
  budget.max_faults = 3;
  tests::FuzzingChooser fuzzing(seed);
  const sim::RunRecord run = sim::write_down(scenario, fuzzing, &budget);
  harness::Scenario written = scenario;
  written.faults = run.faults;
  written.steps = run.steps;
  return written;
}

/// Of a master that counts its replicas, docs/semantics/known-gaps.md: it counts in whole seconds, the simulated one
/// exactly.
bool is_known(const TraceReplay& done) {
  const auto& d = done.divergence;
  return done.reason.ends_with("counts its replicas by a clock that runs at another rate") ||
         (d && d->predicted.find("NOREPLICAS") != std::string::npos);
}

TEST_P(RandomRuns, AreConfirmed) {
  std::uint64_t known = 0;
  for (std::uint64_t seed = 1; seed <= runs(); ++seed) {
    const harness::Scenario scenario = drawn(GetParam(), seed);
    const TraceReplay done = replay_trace(scenario, sim::run(scenario, seed));
    if (done.outcome == TraceReplay::Outcome::confirmed) continue;
    known += is_known(done);
    if (is_known(done)) continue;
    const auto& d = done.divergence;
    ADD_FAILURE() << "seed " << seed << ": " << done.reason
                  << (d ? d->what + ": predicted " + d->predicted + ", real " + d->real : std::string()) << "\n"
                  << harness::to_toml(scenario);
  }
  EXPECT_LE(known * 10, runs()) << "of this many the gaps of docs/semantics/known-gaps.md are the reason: " << known;
}

}  // namespace
}  // namespace lockproof::real::trace_replay_random_test
