// SPDX-License-Identifier: Apache-2.0
#include "real/services/zookeeper/zookeeper_driver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "harness/scenario/fault_table.hpp"
#include "harness/scenario/names.hpp"
#include "harness/scenario/services.hpp"
#include "real/errors.hpp"
#include "real/services/zookeeper/zookeeper_host.hpp"
#include "real/services/zookeeper/zookeeper_store.hpp"

namespace lockproof::real {
namespace {

/// A JVM waits until instants of the machine's clocks, so its clocks cannot be replaced.
void refuse_faults_of_clocks(const harness::Scenario& scenario) {
  for (const harness::Fault& fault : scenario.faults) {
    const bool of_clock = harness::row_of(fault.kind).clocks != harness::FaultRow::Clocks::none;
    const auto& servers = scenario.servers;
    const bool of_server = std::ranges::find(servers, fault.target, &harness::ServerSpec::name) != servers.end();
    if (of_clock && of_server) {
      throw UnsupportedFeature(fmt::format("{} of {}: a real ZooKeeper goes by the machine's clocks",
                                           harness::name(fault.kind), fault.target));
    }
  }
}

/// The server's own tick. Of less than a millisecond it has none.
milliseconds real_tick(const harness::Scenario& scenario) {
  const milliseconds tick = harness::tick_of(scenario);
  if (tick.count() >= scenario.speedup) return tick / scenario.speedup;
  throw UnsupportedFeature(
      fmt::format("at {} times the speed, ZooKeeper's tick of {} ms is shorter than a real server's shortest: let the "
                  "lease be longer, or the speedup in [real] less",
                  scenario.speedup, tick.count()));
}

class ZooKeeperDriver final : public ServiceDriver {
 public:
  explicit ZooKeeperDriver(std::string jar) : jar_(std::move(jar)) {}

  std::unique_ptr<ServerHost> start(const ServerSetup& setup) override {
    refuse_faults_of_clocks(setup.scenario);
    const auto& servers = setup.scenario.servers;
    if (setup.scenario.ensemble && !ensemble_)
      ensemble_ = std::make_unique<ZooKeeperEnsemble>(servers.size(), setup.janitor);
    auto host = std::make_unique<ZooKeeperHost>(servers.at(setup.index), setup.janitor, setup.scenario.lock,
                                                real_tick(setup.scenario), jar_, ensemble_.get());
    first_server_ = static_cast<harness::HostIndex>(setup.scenario.clients.size());
    started_.push_back(host.get());
    return host;
  }
  std::unique_ptr<RemoteStore> connect(EventLoop& loop, Route route, CallTimeouts timeouts,
                                       Witness& witness) const override {
    SessionNumbers numbers;
    for (const ZooKeeperHost* host : started_) {
      const bool serves_it = ensemble_ || started_.at(static_cast<std::size_t>(route.server - first_server_)) == host;
      if (serves_it) numbers.before.push_back(host->session_before());
    }
    if (numbers.before.empty()) numbers.before.push_back(0);  // of a server that was not started here
    return std::make_unique<ZooKeeperStore>(loop, std::move(route), timeouts, witness, codec_, std::move(numbers));
  }
  const Framing& framing() const override { return codec_; }

  void hold_between(std::size_t from, std::size_t to, bool on) override {
    for (const auto traffic : {EnsembleNetwork::Traffic::quorum, EnsembleNetwork::Traffic::elections})
      ensemble_->network().hold(static_cast<int>(from), static_cast<int>(to), traffic, on);
  }
  /// A follower is connected to its leader alone, but to any server for an election.
  void stall(std::size_t server, bool on) override {
    if (on && leads(started_.at(server)->port())) stalled_leaders_.insert(server);
    if (on ? stalled_leaders_.contains(server) : stalled_leaders_.erase(server) > 0) return;
    for (std::size_t other = 0; other < started_.size(); ++other) {
      if (other == server) continue;
      const auto hold = [&](std::size_t from, std::size_t to) {
        ensemble_->network().hold(static_cast<int>(from), static_cast<int>(to), EnsembleNetwork::Traffic::quorum, on);
      };
      hold(server, other);
      hold(other, server);
    }
  }

  std::string stamps() const override {
    return "zookeeper: when its answer was seen between it and its client, or, for what nobody asked for, its wall "
           "clock when it wrote that into its transaction log; in the log's order";
  }
  std::string stamps_of_external() const override {
    return "zookeeper: not started by lockproof, so not observed: a command stands where its reply came";
  }
  bool watched_at_proxy() const override { return true; }

  /// The server's ticks are multiples of their length by the machine's monotonic clock.
  std::int64_t start_at(std::int64_t earliest_ns, const harness::Scenario& scenario) const override {
    const std::int64_t tick_ns = real_tick(scenario).count() * 1'000'000;
    const std::int64_t shows_ns = scenario.servers.front().clock.mono.count() * 1000 / scenario.speedup;
    const std::int64_t begins_ns = earliest_ns - shows_ns;  // when the server's clock shows zero
    return (begins_ns + tick_ns - 1) / tick_ns * tick_ns + shows_ns;
  }

 private:
  const std::string jar_;
  const ZooKeeperCodec codec_;
  harness::HostIndex first_server_ = 0;
  std::vector<ZooKeeperHost*> started_;
  std::unique_ptr<ZooKeeperEnsemble> ensemble_;
  std::set<std::size_t> stalled_leaders_;  // a leader is not stalled
};

}  // namespace

std::unique_ptr<ServiceDriver> make_zookeeper_driver(const std::string& jar) {
  return std::make_unique<ZooKeeperDriver>(jar);
}

}  // namespace lockproof::real
