// SPDX-License-Identifier: Apache-2.0
#include "real/services/redis/redis_driver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "real/errors.hpp"
#include "real/services/redis/hiredis_store.hpp"
#include "real/services/redis/keyspace_events.hpp"
#include "real/services/redis/redis_host.hpp"
#include "real/services/redis/resp_framing.hpp"
#include "real/services/redis/sentinels.hpp"

namespace lockproof::real {
namespace {

constexpr Duration word_after = milliseconds(2500);  // replicas acknowledge once a second

bool counts_replicas(const harness::Scenario& scenario) {
  return std::ranges::any_of(scenario.servers, [](const auto& server) { return server.min_replicas_to_write > 0; });
}

/// Whether a master starts again, or a server that may have become one.
bool master_restarts(const harness::Scenario& scenario) {
  return std::ranges::any_of(scenario.faults, [&](const harness::Fault& fault) {
    const bool ends = fault.kind == harness::FaultKind::restart || fault.kind == harness::FaultKind::power_cut;
    const auto& servers = scenario.servers;
    const auto follows = [&](const auto& other) {
      return !other.replica_of.empty() && scenario.replicate_together(other.name, fault.target);
    };
    return ends && std::ranges::any_of(servers, follows);
  });
}

/// Whether a failover leaves replicas that come to another master. One that does not find it tries again a second
/// later, and acknowledges every second.
bool replicas_turn(const harness::Scenario& scenario) {
  const auto replicas = std::ranges::count_if(scenario.servers, [](const auto& s) { return !s.replica_of.empty(); });
  return replicas > 1 && std::ranges::count(scenario.faults, harness::FaultKind::failover, &harness::Fault::kind) > 0;
}

/// What servers do once a second by their monotonic clock matters where a master counts the replicas that it hears
/// from, where replicas look for a master that starts again or for another one, to sentinels, and to programs that live
/// as fast as the scenario: then it must be a second of the scenario. `port`: where sentinels know the server.
ServerExtras extras_in(const harness::Scenario& scenario, std::size_t index, int port, const std::string& program) {
  const harness::ServerSpec& server = scenario.servers[index];
  const bool of_scaled = scenario.program && scenario.program->clock == harness::ProgramClock::scaled;
  ServerExtras extras{.whole_life = counts_replicas(scenario) || replicas_turn(scenario) || master_restarts(scenario) ||
                                    !scenario.sentinels.empty() || of_scaled,
                      .program = program};
  auto& arguments = extras.arguments;
  if (server.min_replicas_to_write > 0) {
    const auto lag = std::chrono::duration_cast<seconds>(server.min_replicas_max_lag);
    arguments = {"--min-replicas-to-write", std::to_string(server.min_replicas_to_write), "--min-replicas-max-lag",
                 std::to_string(lag.count())};
  }
  if (port == 0) return extras;
  arguments.insert(arguments.end(), {"--replica-announce-ip", "127.0.0.1", "--replica-announce-port",
                                     std::to_string(port), "--bind-source-addr", Sentinels::source_of_server(index)});
  const auto& watched = scenario.sentinels;
  const bool promoted = std::ranges::find(watched, server.name, &harness::SentinelSpec::promotes) != watched.end();
  if (!promoted && !server.replica_of.empty()) arguments.insert(arguments.end(), {"--replica-priority", "0"});
  return extras;
}

class RedisDriver final : public ServiceDriver {
 public:
  explicit RedisDriver(std::string program) : program_(std::move(program)) {}

  std::unique_ptr<ServerHost> start(const ServerSetup& setup) override {
    const harness::ServerSpec& spec = setup.scenario.servers.at(setup.index);
    const auto replicas = std::ranges::count(setup.scenario.servers, spec.name, &harness::ServerSpec::replica_of);
    auto host = std::make_unique<RedisHost>(spec, setup.janitor, setup.scenario.speedup,
                                            extras_in(setup.scenario, setup.index, setup.public_port, program_),
                                            spec.min_replicas_to_write > 0 ? static_cast<int>(replicas) : 0);
    hosts_.push_back(host.get());
    return host;
  }

  std::unique_ptr<RemoteStore> connect(EventLoop& loop, Route route, CallTimeouts timeouts,
                                       Witness& witness) const override {
    return std::make_unique<HiredisStore>(loop, std::move(route), timeouts, witness);
  }

  const Framing& framing() const override { return framing_; }

  std::string stamps() const override {
    return "redis-server: MONITOR's stamp, by the server's own scaled wall clock, mapped back to scenario time and "
           "kept "
           "between the command's sending and its reply";
  }
  std::string stamps_of_external() const override {
    return "redis-server: not started by lockproof, so not observed: a command stands where its reply came";
  }

  std::unique_ptr<KeyWatch> watch_keys(std::function<int()> port) const override {
    return real::watch_keys(std::move(port));
  }
  Reply reply_from(std::string_view bytes) const override { return framing_.reply(bytes); }

  Duration settling(const harness::Scenario& scenario) const override {
    return counts_replicas(scenario) ? word_after : Duration{};
  }

  Proxy::Callers callers(const harness::Scenario& scenario) const override { return Sentinels::callers(scenario); }
  std::unique_ptr<FailoverMonitors> monitors(const harness::Scenario& scenario,
                                             FailoverMonitors::Surroundings around) override {
    return std::make_unique<Sentinels>(scenario, hosts_, std::move(around), program_);
  }

 private:
  const std::string program_;
  const RespFraming framing_;
  std::vector<RedisHost*> hosts_;  // of the run's servers, by their order
};

}  // namespace

std::unique_ptr<ServiceDriver> make_redis_driver(const std::string& program) {
  return std::make_unique<RedisDriver>(program);
}

/// "Redis server v=7.0.15 sha=00000000:0 …", and so do builds under another name.
std::string redis_version(const std::string& program) {
  const ServerProgram asked = redis_program(program);
  const std::string line = version_line(asked);
  constexpr std::string_view between = " server v=";
  const std::size_t name_end = line.find(between);
  if (name_end == std::string::npos) {
    std::string shown = line.substr(0, 100);
    std::ranges::replace_if(
        shown, [](char c) { return c < ' ' || c > '~'; }, '.');
    throw BadEnvironment(fmt::format("'{}' is no redis-server: asked for its version it says '{}'", program, shown));
  }
  const std::string rest = line.substr(name_end + between.size());
  return fmt::format("{} {}", line.substr(0, name_end), rest.substr(0, rest.find(' ')));
}

}  // namespace lockproof::real
