// SPDX-License-Identifier: Apache-2.0
// Whatever a budget lets strike can be written down: a counterexample is a file, and the file must say the same.
#include <set>

#include "harness/scenario/file/parse_bounds.hpp"
#include "harness/scenario/file/write.hpp"
#include "harness/scenario/names.hpp"
#include "harness/scenario/services.hpp"
#include "sim/kernel/choosers.hpp"
#include "sim/kernel/random_bits.hpp"
#include "sim/world/world.hpp"
#include "tests/fixtures.hpp"

namespace lockproof::sim::written_faults_test {
namespace {

using harness::Fault;
using harness::FaultKind;

/// Lets one fault in eight strike, any of those on offer.
class StrikingChooser final : public Chooser {
 public:
  explicit StrikingChooser(std::uint64_t seed) : bits_(seed) {}
  std::size_t first_of(std::size_t, const NameOf&) override { return 0; }
  Duration duration(const harness::Window& window, Duration, const NameOf&) override { return window.least; }
  std::size_t strike(std::size_t count) override { return bits_.below(8) == 0 ? 1 + bits_.below(count) : 0; }

 private:
  RandomBits bits_;
};

const char* const everything = R"(
[workload]
lease = "2s"
acquire_timeout = "4s"
work = ["read", "hold 1s", "write"]
[servers]
redis = 2
[[server]]
name = "redis-2"
replica_of = "redis-1"
[run]
horizon = "20s"
)";

std::string budget() {
  std::string text = "[explore]\nmax_faults = 4\n";
  for (const auto& [kind, value] : harness::fault_kinds()) {
    if (!harness::can_have(harness::row_of(Service::redis), value)) continue;
    text += "[[explore.fault]]\nkind = \"" + std::string(kind) + "\"\n";
    switch (value) {
      case FaultKind::pause:
      case FaultKind::suspend:
      case FaultKind::partition:
      case FaultKind::restart:
      case FaultKind::power_cut:
      case FaultKind::replication_stall:
      case FaultKind::client_pause:
      case FaultKind::resend: text += "for = [\"T/2\", \"T+grid\"]\n"; break;
      case FaultKind::delay:
      case FaultKind::clock_jump: text += "by = [\"T/3\", \"T\"]\n"; break;
      case FaultKind::clock_rate: text += "rate = [\"+1%\", \"-0.0000001%\"]\n"; break;
      default: break;
    }
  }
  return text;
}

/// What struck, and what became of it.
struct Outcome {
  std::vector<Fault> faults;
  std::vector<harness::Event> events;
};

Outcome run(const harness::Scenario& s, Chooser& chooser, const harness::Bounds* bounds) {
  World world(s, chooser, {.record = true, .record_inputs = false, .token_name = {}, .budget = bounds});
  world.run();
  std::vector<Fault> faults(world.faults().begin(), world.faults().end());
  return {std::move(faults), world.take_history().events};
}

harness::Scenario written(harness::Scenario s, const Outcome& run) {
  s.faults = run.faults;
  harness::Scenario read = harness::parse_scenario("written.toml", harness::to_toml(s));
  for (std::size_t i = 0; i < std::min(read.faults.size(), s.faults.size()); ++i)
    read.faults[i].line = s.faults[i].line;
  EXPECT_EQ(read.faults, s.faults) << harness::to_toml(s);
  return read;
}

TEST(WrittenFaults, StrikeAsTheyDid) {
  harness::Scenario s = tests::scenario(everything + budget());
  // Two ends of faults at one instant have an order of their own in a search; what cuts several links at once makes
  // such ties, and so does a connection that ends while a call waits.
  for (harness::BudgetedFault& entry : s.explore->budget) {
    std::erase_if(entry.forms, [](const Fault& form) {
      const bool waits = form.kind == FaultKind::break_connection && form.delay != Duration{};
      return waits || form.peer == harness::all_hosts;
    });
  }
  std::set<FaultKind> kinds;
  std::set<std::string> peers;
  bool late_reply = false;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    StrikingChooser striking(seed);
    const Outcome found = run(s, striking, &*s.explore);
    const harness::Scenario read = written(s, found);
    FirstChooser first;
    ASSERT_EQ(run(read, first, nullptr).events, found.events) << harness::to_toml(read);
    for (const Fault& fault : found.faults) {
      kinds.insert(fault.kind);
      peers.insert(fault.peer);
      const bool at_resource = fault.when && (fault.when->verb == "READ" || fault.when->verb == "WRITE");
      EXPECT_FALSE(fault.kind == FaultKind::retry && at_resource);
      late_reply |= fault.kind == FaultKind::delay && fault.reply;
    }
  }
  const auto of_redis = [](const auto& known) {
    return harness::can_have(harness::row_of(Service::redis), known.second);
  };
  EXPECT_EQ(static_cast<std::ptrdiff_t>(kinds.size()), std::ranges::count_if(harness::fault_kinds(), of_redis));
  EXPECT_TRUE(peers.contains("resource"));
  EXPECT_TRUE(late_reply);
}

}  // namespace
}  // namespace lockproof::sim::written_faults_test
