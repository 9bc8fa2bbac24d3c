// SPDX-License-Identifier: Apache-2.0
// The simulated arm: a world with one client, whose lock is no lock: each attempt runs the task that the suite gives
// it.
#include <stdexcept>

#include "sim/kernel/choosers.hpp"
#include "sim/world/world.hpp"
#include "tests/contracts/store_arm.hpp"
#include "tests/fixtures.hpp"

namespace lockproof::tests {
namespace {

class Probe final : public Lock {
 public:
  explicit Probe(Ports given) : ports(given) {}
  Task<Attempt> try_acquire(Name, std::optional<milliseconds>) override {
    Task<void>* const run = std::exchange(next, nullptr);
    if (run) co_await *run;
    co_return Busy{};
  }
  Task<Result<ReleaseResult>> release(Grant) override { co_return ReleaseResult::skipped; }
  [[nodiscard]] Retry retry() const override { return {milliseconds(1), milliseconds(1)}; }

  Ports ports;
  Task<void>* next = nullptr;
};

thread_local Probe* made = nullptr;  // the factory of a catalogue entry is a plain function

std::unique_ptr<Lock> make_probe(Ports ports, const Parameters&) {
  auto probe = std::make_unique<Probe>(ports);
  made = probe.get();
  return probe;
}

class SimulatedArm final : public StoreArm {
 public:
  SimulatedArm()
      : scenario_(
            tests::scenario("[workload]\nclients = 1\nacquire_timeout = \"10h\"\n[servers]\nredis = 2\n"
                            "[network]\ntimeout = \"200ms\"\non_timeout = \"discard\"\n[run]\nhorizon = \"10h\"\n",
                            "redlock")) {
    algorithm_ = *scenario_.algorithm;
    algorithm_.make = make_probe;
    scenario_.algorithm = &algorithm_;
    world_ = std::make_unique<sim::World>(scenario_, chooser_);
    probe_ = made;
  }
  Stores& stores() override { return probe_->ports.servers; }
  Clock& clock() override { return probe_->ports.clock; }
  void complete(Task<void>& task) override {
    probe_->next = &task;
    for (int i = 0; i < 100'000 && !task.done(); ++i) world_->step();
    if (!task.done()) throw std::runtime_error("the task never ended");
    task.result();
  }
  void advance(milliseconds by) override {
    for (std::size_t i = 0; i < 2; ++i) world_->server(i).clocks.jump(by);
  }
  void freeze(std::size_t server) override { world_->pause(world_->first_server() + static_cast<int>(server)); }
  void thaw(std::size_t server) override { world_->wake(world_->first_server() + static_cast<int>(server)); }

 private:
  harness::Scenario scenario_;
  Algorithm algorithm_{.make = make_probe};
  sim::FirstChooser chooser_;
  std::unique_ptr<sim::World> world_;
  Probe* probe_ = nullptr;
};

}  // namespace

std::unique_ptr<StoreArm> make_simulated_arm() { return std::make_unique<SimulatedArm>(); }

}  // namespace lockproof::tests
