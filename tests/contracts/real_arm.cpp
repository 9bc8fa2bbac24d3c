// SPDX-License-Identifier: Apache-2.0
// The real world's arm of the store contract: two redis-servers of our own, a store on each, at the machine's own pace.
#include <gtest/gtest.h>

#include <vector>

#include "real/client/host_ports.hpp"
#include "real/clock/world_time.hpp"
#include "real/os/janitor.hpp"
#include "real/services/redis/hiredis_store.hpp"
#include "real/services/redis/server_process.hpp"
#include "tests/contracts/store_arm.hpp"

namespace lockproof::tests {
namespace {

class RealArm final : public StoreArm {
 public:
  RealArm() {
    for (const char* name : {"redis-1", "redis-2"}) {
      servers_.push_back(std::make_unique<real::ServerProcess>(name, janitor_, real::epoch_us, 1));
    }
    harness::HostIndex host = 1;
    for (const auto& server : servers_) {
      server->await_ready();
      stores_.add(std::make_unique<real::HiredisStore>(
          loop_, real::Route{{"127.0.0.1", server->port()}, host++},
          real::CallTimeouts{milliseconds(200), harness::OnTimeout::discard, 1}, witness_));
      stores_.at(stores_.size() - 1).count_by(clock_);
    }
  }

  Stores& stores() override { return stores_; }
  Clock& clock() override { return clock_; }

  void complete(Task<void>& task) override {
    const std::int64_t give_up = real::machine_ns() + 10'000'000'000;
    bool late = false;
    real::EventLoop::Timer limit(loop_, [&] { late = true; });
    limit.set(give_up);
    task.start();
    while (!task.done() && !late) loop_.turn();
    ASSERT_TRUE(task.done()) << "the task is not done after ten seconds";
    task.result();
  }
  void advance(milliseconds by) override {
    for (const auto& server : servers_) server->clock().jump(by.count() * 1000);
  }
  void freeze(std::size_t server) override { servers_.at(server)->process().stop(); }
  void thaw(std::size_t server) override { servers_.at(server)->process().go_on(); }

 private:
  real::Janitor janitor_;
  real::EventLoop loop_;
  real::Witness witness_;
  std::vector<std::unique_ptr<real::ServerProcess>> servers_;
  real::RemoteStores stores_{loop_};
  const std::atomic<std::int64_t> jumped_us_{0};
  real::HostClock clock_{real::WorldTime(real::machine_ns(), 1), harness::ClockSpec{}, jumped_us_};
};

}  // namespace

std::unique_ptr<StoreArm> make_real_arm() { return std::make_unique<RealArm>(); }

}  // namespace lockproof::tests
