// SPDX-License-Identifier: Apache-2.0
#include "real/run/real_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "harness/stop.hpp"
#include "real/client/faults.hpp"
#include "real/errors.hpp"
#include "real/run/run.hpp"
#include "real/services/services.hpp"

namespace lockproof::real {

using harness::Event;
using harness::HostIndex;

namespace {

constexpr std::int64_t second_ns = 1'000'000'000;
constexpr std::int64_t connect_ns_max = 10'000'000'000;
constexpr std::int64_t beginning_ns_most =
    120'000'000'000;  // servers, programs and connections are there, each in its own time
constexpr std::int64_t ending_ns_most = 20'000'000'000;
constexpr std::int64_t start_after_ns = 5'000'000;   // time for the clients to wake up and wait for the start
constexpr std::int64_t strike_ns_most = 50'000'000;  // time for the faults that strike at the start

harness::Header header_of(const harness::Scenario& scenario, std::uint64_t seed) {
  harness::Header header;
  header.world = "real";
  header.scenario = scenario.name;
  header.scenario_file = scenario.file;
  header.scenario_text = scenario.text;
  header.seed = seed;
  header.speedup = scenario.speedup;
  header.permits = scenario.permits();
  for (const auto& client : scenario.clients) header.hosts.push_back({client.name, harness::HostKind::client});
  for (const auto& server : scenario.servers) header.hosts.push_back({server.name, harness::HostKind::server});
  header.hosts.push_back({"resource", harness::HostKind::resource});
  return header;
}

}  // namespace

std::int64_t machine_ns_most(const harness::Scenario& scenario) {
  return beginning_ns_most + WorldTime(0, scenario.speedup).machine_ns_of(scenario.horizon) + ending_ns_most;
}

RealRun::RealRun(const harness::Scenario& scenario, const Options& options, std::function<std::string()> last_act)
    : scenario_(scenario), options_(options), driver_(make_driver(scenario, options.programs)),
      header_(header_of(scenario, options.seed)), janitor_(std::move(last_act)),
      end_ns_(machine_ns() + machine_ns_most(scenario)) {}

RealRun::~RealRun() {
  faults_.reset();
  monitors_.reset();
  proxy_.reset();
  for (const auto& server : servers_) server->detach();
}

void RealRun::start_servers() {
  for (std::size_t i = 0; i < scenario_.servers.size(); ++i) {
    const HostIndex host = first_server() + static_cast<HostIndex>(i);
    const auto dial = [this, i](int) { return dial_port(servers_[i]->port()); };
    const bool known = !scenario_.sentinels.empty();
    if (known) public_ports_.push_back(proxy_->listen(driver_->callers(scenario_), host, dial));
    servers_.push_back(driver_->start({scenario_, i, janitor_, known ? public_ports_.back() : 0}));
  }
  for (const auto& server : servers_) server->await_ready();
  master_ports_ = master_ports(scenario_, [this](std::size_t server, HostIndex replica) {
    return public_ports_.empty() ? port_for_replica(server, replica) : public_ports_[server];
  });
}

void RealRun::attach_servers(std::vector<StruckClient*> clients) {
  const auto late = [this](std::int64_t due, std::int64_t now) { lateness_.add(harness::no_host, due, now); };
  const auto lead_client = [this](HostIndex client, HostIndex old, HostIndex promoted) {
    return lead(client, old, promoted);
  };
  if (!scenario_.sentinels.empty()) {
    monitors_ = driver_->monitors(
        scenario_,
        FailoverMonitors::Surroundings{
            public_ports_, *proxy_, janitor_, *loop_, [this](HostIndex host) { return faults_->stands_still(host); },
            [this](HostIndex host) { return faults_->is_down(host); },
            [this](HostIndex host) { faults_->copies(host); },
            [this](HostIndex host, Event event) { note(host, std::move(event), {}); }, lead_client, late});
  }
  Cast cast{.clients = std::move(clients),
            .board = board_,
            .proxy = proxy_.get(),
            .monitors = monitors_.get(),
            .service = driver_.get(),
            .master_ports = master_ports_,
            .add_effect = [this](std::size_t event, harness::Effect effect) { add_effect(event, std::move(effect)); },
            .lead = lead_client};
  for (const auto& server : servers_) {
    server->attach(*loop_);
    cast.servers.push_back(server.get());
  }
  faults_ = std::make_unique<FaultDriver>(
      *loop_, scenario_, std::move(cast),
      [this](HostIndex host, Event event, const std::string& mark) { return note(host, std::move(event), mark); },
      late);
}

void RealRun::must_go_on() const {
  harness::look_at(options_.stop);
  if (machine_ns() < end_ns_) return;
  throw BadEnvironment(fmt::format(
      "the run has not ended within {} s, which is more than it can take: this machine is too busy, or something in it "
      "waits without end",
      machine_ns_most(scenario_) / second_ns));
}

void RealRun::turn() {
  must_go_on();
  EventLoop::Timer tick(*loop_, [] {});
  tick.set(machine_ns() + options_.look_ns);
  loop_->turn();
}

void RealRun::await(const std::function<bool()>& done, const std::string& otherwise) {
  const std::int64_t give_up = machine_ns() + connect_ns_max;
  while (!done()) {
    if (machine_ns() > give_up) throw BadEnvironment(otherwise);
    turn();
  }
}

void RealRun::link_servers() {
  link_replicas(scenario_, servers_, master_ports_,
                [this](const auto& done, const std::string& otherwise) { await(done, otherwise); });
}

void RealRun::start_monitors() {
  if (!monitors_) return;
  monitors_->start_processes();
  await([this] { return monitors_->ready(); }, "a sentinel does not find all that it shall watch");
}

void RealRun::set_start() {
  const std::int64_t give_up = machine_ns() + connect_ns_max;
  do {
    start_clocks();
    if (machine_ns() > give_up) throw BadEnvironment("a master does not hear from its replicas");
  } while (!std::ranges::all_of(servers_, [](const auto& server) { return server->is_settled(); }));
  if (proxy_) let_replicas_lag(scenario_, *proxy_);
  if (monitors_) monitors_->start(time_);
}

/// Where servers count the time since they heard from each other, they may have been set back by this, so there is time
/// for their next word.
void RealRun::start_clocks() {
  const bool strikes = std::ranges::any_of(scenario_.faults, strikes_at_start);
  const std::int64_t soon = start_after_ns + (strikes ? strike_ns_most : 0);
  const std::int64_t lead = WorldTime(0, scenario_.speedup).machine_ns_of(driver_->settling(scenario_));
  time_ = WorldTime(driver_->start_at(machine_ns() + soon + lead, scenario_), scenario_.speedup);
  for (const auto& server : servers_) {
    const bool loses_power = std::ranges::any_of(scenario_.faults, [&](const harness::Fault& fault) {
      return fault.kind == harness::FaultKind::power_cut && fault.target == server->spec().name;
    });
    server->start(time_, loses_power);
  }
  bool over = lead == 0;
  EventLoop::Timer wait(*loop_, [&] { over = true; });
  if (!over) wait.set(time_.start_ns() - soon);
  while (!over) loop_->turn();
}

}  // namespace lockproof::real
