// SPDX-License-Identifier: Apache-2.0
#include "real/services/etcd/etcd_driver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "harness/scenario/fault_table.hpp"
#include "harness/scenario/names.hpp"
#include "real/errors.hpp"
#include "real/services/etcd/etcd_host.hpp"
#include "real/services/etcd/etcd_store.hpp"

namespace lockproof::real {
namespace {

/// Go asks the kernel for the time without the C library, so etcd's clocks cannot be replaced as others' are.
void refuse_other_clocks(const harness::Scenario& scenario) {
  if (scenario.speedup != 1) {
    throw UnsupportedFeature(
        fmt::format("a real etcd goes by the machine's clocks, and counts leases in whole seconds of them: [real] "
                    "speedup is {}, and "
                    "must be 1",
                    scenario.speedup));
  }
  for (const harness::Fault& fault : scenario.faults) {
    const bool of_clock = harness::row_of(fault.kind).clocks != harness::FaultRow::Clocks::none;
    const auto& servers = scenario.servers;
    const bool of_server = std::ranges::find(servers, fault.target, &harness::ServerSpec::name) != servers.end();
    if (of_clock && of_server) {
      throw UnsupportedFeature(
          fmt::format("{} of {}: a real etcd goes by the machine's clocks", harness::name(fault.kind), fault.target));
    }
  }
}

class EtcdDriver final : public ServiceDriver {
 public:
  explicit EtcdDriver(std::string program) : program_(std::move(program)) {}

  std::unique_ptr<ServerHost> start(const ServerSetup& setup) override {
    refuse_other_clocks(setup.scenario);
    return std::make_unique<EtcdHost>(setup.scenario.servers.at(setup.index), setup.janitor, setup.scenario.lock,
                                      program_);
  }
  std::unique_ptr<RemoteStore> connect(EventLoop& loop, Route route, CallTimeouts timeouts,
                                       Witness& witness) const override {
    return std::make_unique<EtcdStore>(loop, std::move(route), timeouts, witness, codec_);
  }
  const Framing& framing() const override { return codec_; }

  std::string stamps() const override {
    return "etcd: when its answer was seen between it and its client, or, for what nobody asked for, when a watch on "
           "all "
           "keys told of it; in the order of the revisions";
  }
  std::string stamps_of_external() const override {
    return "etcd: not started by lockproof, so not observed: a command stands where its reply came";
  }
  bool watched_at_proxy() const override { return true; }

 private:
  const std::string program_;
  const EtcdCodec codec_;
};

}  // namespace

std::unique_ptr<ServiceDriver> make_etcd_driver(const std::string& program) {
  return std::make_unique<EtcdDriver>(program);
}

}  // namespace lockproof::real
