// SPDX-License-Identifier: Apache-2.0
// A node's and a process's canonical state is copyable and comparable, without absolute time, offsets or global names:
// two worlds that differ in nothing else declare the same states at the same steps, and states that matter differ.
#include <set>

#include "sim/kernel/choosers.hpp"
#include "sim/services/redis/node.hpp"
#include "tests/fixtures.hpp"

namespace lockproof::canonical_state_test {
namespace {

struct Canonical {
  std::vector<harness::CanonicalProcess> processes;
  sim::redis::Keyspace keys;
  bool operator==(const Canonical&) const = default;
};

/// The states after each step at which all processes are at rest.
std::vector<Canonical> states(const harness::Scenario& s, std::uint64_t seed, sim::Options options) {
  sim::RandomChooser chooser(seed);
  sim::World world(s, chooser, std::move(options));
  std::vector<Canonical> all;
  while (world.step()) {
    bool at_rest = true;
    for (std::size_t i = 0; i < s.clients.size(); ++i) at_rest &= world.process(i).at_rest();
    if (!at_rest) continue;
    harness::Renamer renamer;
    Canonical state;
    for (std::size_t i = 0; i < s.clients.size(); ++i) state.processes.push_back(world.process(i).canonical(renamer));
    const auto& node = dynamic_cast<const sim::redis::Node&>(*world.server(0).model);
    state.keys = node.keys().canonical(world.server(0).clocks.wall_ms(world.now()), renamer);
    all.push_back(state);
  }
  return all;
}

TEST(CanonicalState, HasNoAbsoluteTimeOffsetsOrNames) {
  for (const Algorithm& a : catalogue()) {
    if (a.service != Service::redis) continue;
    auto s = tests::scenario(
        "[workload]\nrounds = 2\nlease = \"1s\"\nwork = [\"hold 30ms\"]\n"
        "[network]\nlatency = [\"1ms\", \"9ms\"]\n",
        std::string(a.name));
    const auto plain = states(s, 3, {});
    for (auto& client : s.clients) client.clock = {.wall = std::chrono::hours(7), .mono = seconds(5)};
    for (auto& server : s.servers) server.clock.wall = std::chrono::hours(7);
    const auto moved = states(s, 3, {.record = false, .record_inputs = false, .token_name = [](int client, int n) {
                                       return std::to_string(n) + "x" + std::to_string(client);
                                     }});
    ASSERT_GT(plain.size(), 4u);
    EXPECT_TRUE(plain == moved) << a.name;
  }
}

TEST(CanonicalState, TellsApartWhatHasAnotherFuture) {
  for (const Algorithm& a : catalogue()) {
    if (a.service != Service::redis) continue;
    const auto s =
        tests::scenario("[workload]\nrounds = 2\nlease = \"1s\"\nwork = [\"hold 30ms\"]\n", std::string(a.name));
    const auto all = states(s, 3, {});
    int different = 0;
    for (std::size_t i = 1; i < all.size(); ++i) different += !(all[i] == all[i - 1]);
    EXPECT_GT(different, 3) << a.name;
  }
}

TEST(CanonicalState, IsAValue) {
  const auto s = tests::scenario("");
  const auto all = states(s, 3, {});
  Canonical copy = all.front();
  EXPECT_TRUE(copy == all.front());
  copy.processes.front().life.notified_of_loss = true;
  EXPECT_FALSE(copy == all.front());
}

}  // namespace
}  // namespace lockproof::canonical_state_test
