// SPDX-License-Identifier: Apache-2.0
#include "real/client/faults.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "harness/scenario/clients.hpp"
#include "harness/scenario/fault_table.hpp"
#include "harness/scenario/faults/operators.hpp"
#include "harness/scenario/names.hpp"
#include "real/errors.hpp"
#include "real/record/board.hpp"

namespace lockproof::real {
namespace {

using harness::Fault;
using harness::FaultKind;

bool is_named(const auto& hosts, std::string_view name) {
  return std::ranges::any_of(hosts, [&](const auto& host) { return host.name == name; });
}

std::size_t number_of(const harness::Scenario& scenario, const std::string& client) {
  const auto found = std::ranges::find(scenario.clients, client, &harness::ClientSpec::name);
  return static_cast<std::size_t>(found - scenario.clients.begin());
}

/// The resource knows a client by its process.
void require_resource_tells_apart(const harness::Scenario& scenario) {
  const auto accesses = [](const harness::Work& work) {
    return work.kind == harness::Work::Kind::read || work.kind == harness::Work::Kind::write;
  };
  for (std::size_t i = 0; i < scenario.clients.size(); ++i) {
    const harness::Plan& plan = scenario.clients[i].plan;
    if (scenario.process_of(i).size() < 2 || !(plan.claims || std::ranges::any_of(plan.work, accesses))) continue;
    throw UnsupportedFeature(
        fmt::format("{} shares its process, and a real resource knows clients by their processes; leave out its reads, "
                    "writes and claims, or run it in the simulator",
                    scenario.clients[i].name));
  }
}

void require_supported(const harness::Scenario& scenario, const Fault& fault, std::size_t number) {
  const bool client = is_named(scenario.clients, fault.target);
  if (!client && !is_named(scenario.servers, fault.target)) {
    throw UnsupportedFeature(
        fmt::format("fault {}: real runs have faults of clients and servers only, not of '{}'", number, fault.target));
  }
  if (!scenario.program && (fault.until || (fault.when && fault.when->state != harness::EventPlace::LockState::any))) {
    throw UnsupportedFeature(
        fmt::format("fault {}: it is placed by whose the lock is, or ends at an event, and a client of lockproof's own "
                    "knows neither in a real run; run it in the simulator",
                    number));
  }
  if (client && harness::strikes_process(fault.kind) &&
      scenario.process_of(number_of(scenario, fault.target)).size() > 1) {
    throw UnsupportedFeature(
        fmt::format("fault {}: a {} strikes a whole process, which real runs do to processes of one client only, and "
                    "{} shares its process; run it in the simulator",
                    number, harness::name(fault.kind), fault.target));
  }
  const bool watched = std::ranges::any_of(
      scenario.sentinels, [&](const auto& s) { return s.master == fault.target || s.promotes == fault.target; });
  if (fault.kind == FaultKind::failover && watched) {
    throw UnsupportedFeature(
        fmt::format("fault {}: a real sentinel undoes a failover of {} by hand; leave out the [[sentinel]], "
                    "or run it in the simulator",
                    number, fault.target));
  }
  const bool again = fault.kind == FaultKind::resend || fault.kind == FaultKind::retry;
  if (again && fault.when && !is_named(scenario.clients, fault.when->actor)) {
    throw UnsupportedFeature(
        fmt::format("fault {}: a real driver sends again only what it is about to send; place the {} "
                    "by an event of the client ('{} before …'), or run it in the simulator",
                    number, harness::name(fault.kind), fault.target));
  }
  if (fault.kind == FaultKind::pool_switch && (!fault.when || !is_named(scenario.clients, fault.when->actor))) {
    throw UnsupportedFeature(
        fmt::format("fault {}: a real pool gives another connection to a command that is about to leave; place it by "
                    "an event of the client ('{} before …'), or run it in the simulator",
                    number, fault.target));
  }
  if (!fault.session.empty()) {
    throw UnsupportedFeature(
        fmt::format("fault {}: real clients are processes, and none can get the session of another; leave out "
                    "'session', or run it in the simulator",
                    number));
  }
  if (again && fault.when && fault.when->moment != harness::EventPlace::Moment::before) {
    throw UnsupportedFeature(
        fmt::format("fault {}: a reply that has come is not sent for again; place the {} before the command", number,
                    harness::name(fault.kind)));
  }
  if (again && fault.when && fault.when->verb == "SUBSCRIBE") {
    throw UnsupportedFeature(
        fmt::format("fault {}: a real driver does not send a SUBSCRIBE again; place the {} before another command, or "
                    "run it in the simulator",
                    number, harness::name(fault.kind)));
  }
}

/// With rounds = "fresh" a program is started for each round, before the scenario starts.
void require_few_programs(const harness::Scenario& scenario) {
  constexpr std::int64_t programs_most = 32;
  if (scenario.program->rounds != harness::ProgramRounds::fresh) return;
  std::int64_t programs = 0;
  for (const harness::ClientSpec& client : scenario.clients) programs += client.plan.rounds;
  if (programs <= programs_most) return;
  throw UnsupportedFeature(
      fmt::format("rounds = \"fresh\" under [algorithm] starts a program for each round of each client before the run "
                  "begins, and a real run starts {} at most; give the clients fewer rounds, or leave it out",
                  programs_most));
}

/// What can be done to a program from outside, and to its servers without its knowing where they are.
void require_supported_of_program(const harness::Scenario& scenario) {
  require_few_programs(scenario);
  for (std::size_t i = 0; i < scenario.faults.size(); ++i) {
    const Fault& fault = scenario.faults[i];
    constexpr FaultKind from_outside[] = {
        FaultKind::pause,     FaultKind::crash,     FaultKind::half_open, FaultKind::delay, FaultKind::break_connection,
        FaultKind::partition, FaultKind::clock_jump};
    const bool known = std::ranges::find(from_outside, fault.kind) != std::end(from_outside);
    if (!is_named(scenario.clients, fault.target) || known) continue;
    throw UnsupportedFeature(
        fmt::format("fault {}: a {} of a program cannot be made from outside; what can: pause, crash, half-open, "
                    "delay, break-connection, partition, clock-jump, and all faults of servers",
                    i + 1, harness::name(fault.kind)));
  }
}

/// The other host of a failover or of a partition, where it has one.
harness::HostIndex peer_of(const harness::Scenario& scenario, const Fault& fault) {
  if (!harness::names_peer(fault)) return harness::no_host;
  const std::vector<std::string> hosts = scenario.host_names(true, true);
  const auto peer = std::ranges::find(hosts, fault.peer);
  if (peer != hosts.end()) return static_cast<harness::HostIndex>(peer - hosts.begin());
  return static_cast<harness::HostIndex>(hosts.size());  // the resource
}

/// A stopped server runs its operator's command for a moment, and must not find any other command then.
bool is_told_something_else(const harness::Scenario& scenario, const Fault& pause) {
  if (!stands_still(pause.kind)) return false;
  return std::ranges::any_of(scenario.faults, [&](const Fault& fault) {
    return fault.target == pause.target && (harness::operators_command(fault) || fault.kind == FaultKind::evict);
  });
}

}  // namespace

harness::Event strike_event(const harness::Scenario& scenario, std::size_t index) {
  const Fault& fault = scenario.faults.at(index);
  harness::Event event{.what = harness::What::strike};
  event.fault = static_cast<int>(index) + 1;
  event.word = harness::name(fault.kind);
  if (fault.lasts != Duration{}) event.value = fault.lasts.count();
  if (fault.by != Duration{}) event.value = fault.by.count();
  if (fault.kind == FaultKind::clock_rate) event.value = fault.rate_ppb;
  event.peer = peer_of(scenario, fault);
  const auto loses = [&](const char* word) {
    event.effects = {{harness::Change::evicted, word, scenario.lock, std::nullopt}};
  };
  if (fault.kind == FaultKind::evict) loses("evicted");
  if (fault.kind == FaultKind::flush) loses("del");
  return event;
}

harness::Event heal_event(const harness::Scenario& scenario, std::size_t index) {
  harness::Event event{.what = harness::What::heal};
  event.fault = static_cast<int>(index) + 1;
  event.word = harness::name(scenario.faults.at(index).kind);
  event.peer = peer_of(scenario, scenario.faults.at(index));
  return event;
}

harness::HostIndex switched_server(const harness::Scenario& scenario, const Fault& fault) {
  const std::vector<std::string> hosts = scenario.host_names(true, true);
  return static_cast<harness::HostIndex>(std::ranges::find(hosts, fault.peer) - hosts.begin());
}

bool needs_proxy(const harness::Scenario& scenario) {
  return !scenario.sentinels.empty() || std::ranges::any_of(scenario.faults, [&](const Fault& fault) {
    return harness::row_of(fault.kind).of_network || (fault.when && !is_named(scenario.clients, fault.when->actor)) ||
           is_told_something_else(scenario, fault);
  });
}

bool strikes_at_start(const Fault& fault) {
  const bool of_what_clients_do =
      fault.kind == FaultKind::kill_task || fault.kind == FaultKind::evict || harness::operators_command(fault);
  return fault.at && *fault.at <= Duration{} && !of_what_clients_do;
}

void require_supported(const harness::Scenario& scenario) {
  if (scenario.servers.size() > Board::servers_max) {
    throw UnsupportedFeature(
        fmt::format("real runs have room for {} servers, not {}", Board::servers_max, scenario.servers.size()));
  }
  if (scenario.clients.size() > Board::clients_max) {
    throw UnsupportedFeature(
        fmt::format("real runs have room for {} clients, not {}", Board::clients_max, scenario.clients.size()));
  }
  if (scenario.program) require_supported_of_program(scenario);
  require_resource_tells_apart(scenario);
  for (std::size_t i = 0; i < scenario.faults.size(); ++i) require_supported(scenario, scenario.faults[i], i + 1);
}

}  // namespace lockproof::real
