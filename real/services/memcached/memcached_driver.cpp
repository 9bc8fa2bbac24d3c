// SPDX-License-Identifier: Apache-2.0
#include "real/services/memcached/memcached_driver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "harness/scenario/fault_table.hpp"
#include "harness/scenario/names.hpp"
#include "real/client/socket_store.hpp"
#include "real/errors.hpp"
#include "real/services/memcached/memcached_host.hpp"
#include "real/services/memcached/text_codec.hpp"

namespace lockproof::real {
namespace {

ServerProgram memcached_program(const std::string& path) {
  return {.name = "memcached", .package = "memcached", .path = path};
}

/// Leases go by the server's monotonic clock. It can be made to run faster as a whole, but not otherwise.
void refuse_clock_faults(const harness::Scenario& scenario) {
  for (const harness::Fault& fault : scenario.faults) {
    using Clocks = harness::FaultRow::Clocks;
    const Clocks clocks = harness::row_of(fault.kind).clocks;
    const bool of_clock = clocks == Clocks::monotonic || clocks == Clocks::all;
    const auto& servers = scenario.servers;
    const bool of_server = std::ranges::find(servers, fault.target, &harness::ServerSpec::name) != servers.end();
    if (of_clock && of_server) {
      throw UnsupportedFeature(fmt::format("{} of {}: a real memcached's monotonic clock cannot be changed",
                                           harness::name(fault.kind), fault.target));
    }
  }
}

class MemcachedDriver final : public ServiceDriver {
 public:
  explicit MemcachedDriver(std::string program) : program_(std::move(program)) {}

  std::unique_ptr<ServerHost> start(const ServerSetup& setup) override {
    refuse_clock_faults(setup.scenario);
    return std::make_unique<MemcachedHost>(setup.scenario.servers.at(setup.index), setup.scenario.service.phase,
                                           setup.janitor, setup.scenario.speedup, memcached_program(program_));
  }
  std::unique_ptr<RemoteStore> connect(EventLoop& loop, Route route, CallTimeouts timeouts,
                                       Witness& witness) const override {
    return std::make_unique<SocketStore>(loop, std::move(route), timeouts, witness, codec_);
  }
  const Framing& framing() const override { return codec_; }

  std::string stamps() const override {
    return "memcached: the stamp in its log for watchers, by the server's own scaled wall clock, mapped back to "
           "scenario time and kept between the command's sending and its reply";
  }
  std::string stamps_of_external() const override {
    return "memcached: not started by lockproof, so not observed: a command stands where its reply came";
  }
  /// To stand still for more than one tick, and to go on at another, before the first one of the scenario.
  Duration settling(const harness::Scenario& /*scenario*/) const override { return seconds(3); }

 private:
  const std::string program_;
  const TextCodec codec_;
};

}  // namespace

std::unique_ptr<ServiceDriver> make_memcached_driver(const std::string& program) {
  return std::make_unique<MemcachedDriver>(program);
}

/// "memcached 1.6.18"
std::string memcached_version(const std::string& program) {
  const std::string line = version_line(memcached_program(program));
  if (line.starts_with("memcached ")) return line;
  std::string shown = line.substr(0, 100);
  std::ranges::replace_if(
      shown, [](char c) { return c < ' ' || c > '~'; }, '.');
  throw BadEnvironment(fmt::format("'{}' is no memcached: asked for its version it says '{}'", program, shown));
}

}  // namespace lockproof::real
