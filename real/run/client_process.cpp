// SPDX-License-Identifier: Apache-2.0
#include "real/run/client_process.hpp"
#include "real/errors.hpp"

#include <algorithm>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "harness/input_error.hpp"
#include "harness/record/recorded_ports.hpp"
#include "harness/scenario/clients.hpp"
#include "harness/workload/client.hpp"
#include "real/client/client_driver.hpp"
#include "real/client/client_journal.hpp"
#include "real/client/client_moments.hpp"
#include "real/client/socket_store.hpp"
#include "real/external/external_servers.hpp"
#include "real/network/event_loop.hpp"
#include "real/network/line_codec.hpp"

namespace lockproof::real {
namespace {

/// The ports of one client, recorded or not, and the client on them. The order of the members is that of their lives.
class Workload : public Pinned {
 public:
  Workload(const ClientSetup& setup, RemoteStores& servers, RemoteStore& resource, HostClock& clock,
           ClientJournal& journal, ClientMoments& moments)
      : random_(setup.options.seed, setup.index) {
    const harness::Scenario& scenario = setup.scenario;
    const auto first_server = static_cast<harness::HostIndex>(scenario.clients.size());
    std::vector<harness::HostIndex> hosts;
    for (const int master : setup.masters) hosts.push_back(first_server + master);
    if (scenario.ensemble) hosts = {first_server};  // its one port has this name, whichever server it reaches
    const auto resource_host = first_server + static_cast<harness::HostIndex>(scenario.servers.size());

    Store* protected_store = &resource;
    if (setup.options.record_inputs) {
      recorded_clock_.emplace(clock, journal);
      recorded_random_.emplace(random_, journal);
      recorded_servers_.emplace(servers, hosts, journal);
      recorded_resource_.emplace(resource, resource_host, journal);
      protected_store = &*recorded_resource_;
    }
    const Ports ports = recorded_clock_ ? Ports{*recorded_servers_, *recorded_clock_, *recorded_random_}
                                        : Ports{servers, clock, random_};
    lock_ = harness::make_lock(scenario, static_cast<std::size_t>(setup.index), ports);
    harness::Plan plan = plan_of(scenario, static_cast<std::size_t>(setup.index));
    client_.emplace(*lock_, Name(scenario.lock), ports, *protected_store, std::move(plan), &journal, &moments);
  }
  harness::Client& client() { return *client_; }

 private:
  HostRandom random_;
  std::optional<harness::RecordedClock> recorded_clock_;
  std::optional<harness::RecordedRandom> recorded_random_;
  std::optional<harness::RecordedStores> recorded_servers_;
  std::optional<harness::RecordedStore> recorded_resource_;
  std::unique_ptr<Lock> lock_;
  std::optional<harness::Client> client_;
};

/// Waits until the scenario starts, on all clients at once.
void await_start(const ClientSetup& setup, ClientJournal& journal) {
  journal.tell({.kind = Notice::Kind::ready, .text = {}});
  journal.wait_for_supervisor();
  sleep_until(setup.board.shared().start_ns.load());
}

void run(const ClientSetup& setup, const ServiceDriver& service, ClientJournal& journal) {
  const harness::Scenario& scenario = setup.scenario;
  const auto index = static_cast<std::size_t>(setup.index);
  const CallTimeouts timeouts{scenario.network.timeout, scenario.network.on_timeout, scenario.speedup};
  EventLoop loop;
  RemoteStores servers(loop);
  const auto first_server = static_cast<harness::HostIndex>(scenario.clients.size());
  for (std::size_t i = 0; i < setup.masters.size(); ++i) {
    std::atomic<int>& at = setup.board.shared().route[index][i];
    const auto route = [&setup, first_server, &at] {
      const int server = at.load();
      return Route{setup.servers.at(static_cast<std::size_t>(server)), first_server + server};
    };
    servers.add(service.connect(loop, route(), timeouts, journal));
    servers.at(i).follow(route);
    if (scenario.ensemble) {
      const auto count = static_cast<int>(scenario.servers.size());
      servers.at(i).turn_with([&at, first_server, count](harness::HostIndex from) {
        at.store((from - first_server + 1) % count);  // the next one, with which its session goes on
      });
    }
    if (const auto& external = setup.options.external) {
      if (const auto words = greeting(external->credentials)) servers.at(i).introduce_with(*words);
      servers.at(i).look_with([&external](const Command& command) { require_own(*external, command); });
    }
  }
  const auto resource_host = first_server + static_cast<harness::HostIndex>(scenario.servers.size());
  const LineCodec codec;
  SocketStore resource(loop, {setup.servers.back(), resource_host}, timeouts, journal, codec);
  const bool connects = scenario.clients[index].plan.connect == harness::ConnectTime::at_start;  // else as it sends
  const auto all_established = [&] {
    bool all = resource.established();
    for (std::size_t i = 0; connects && i < servers.size(); ++i) all = all && servers.at(i).established();
    return all;
  };
  resource.open();
  for (std::size_t i = 0; connects && i < servers.size(); ++i) servers.at(i).open();
  while (!all_established()) loop.turn();

  await_start(setup, journal);
  HostClock clock(WorldTime(setup.board.shared().start_ns.load(), scenario.speedup), scenario.clients[index].clock,
                  setup.board.shared().wall_jumped_us[index], &setup.board.shared().drift[index],
                  &setup.board.shared().stood_us[index]);
  journal.start(clock);
  for (std::size_t i = 0; i < servers.size(); ++i) servers.at(i).count_by(clock);
  resource.count_by(clock);
  loop.on_timer([&journal](std::int64_t due, std::int64_t now) { journal.late(due, now); });
  journal.late(setup.board.shared().start_ns.load(), machine_ns());
  ClientMoments moments(journal);
  Workload workload(setup, servers, resource, clock, journal, moments);
  const auto note_step = [&journal](const char* task) {
    harness::Event event{.what = harness::What::step};
    event.word = task;
    journal.note(std::move(event));
  };
  ClientDriver driver(loop, workload.client(), clock, journal, moments,
                      setup.options.record_inputs ? note_step : std::function<void(const char*)>());
  loop.after_each_step([&driver] { driver.settle(); });
  journal.on_kill([&driver] { driver.kill_worker(); });
  clock.on_change([&loop](const HostClock::Move& moved) { loop.move_timers(moved); });
  journal.on_new_clocks([&clock, &driver] {
    clock.refresh();
    driver.arm();
  });
  driver.settle();
  EventLoop::Watch orders(loop, setup.from_supervisor, [&journal](EventLoop::Watch::Ready) { journal.obey(); });
  orders.want(true, false);
  while (!driver.done()) loop.turn();
}

}  // namespace

int run_client(const ClientSetup& setup, const ServiceDriver& service) {
  ClientJournal journal(setup);
  const auto failed = [&](Notice::Kind kind, std::string why) {
    std::ranges::replace(why, '\n', ' ');  // a notice is one line
    journal.tell({.kind = kind, .text = why});
    return 70;
  };
  try {
    run(setup, service, journal);
    return 0;
  } catch (const harness::InputError& e) {
    return failed(Notice::Kind::wrong, e.what());
  } catch (const BadEnvironment& e) {
    return failed(Notice::Kind::lacks, e.what());
  } catch (const std::exception& e) {
    return failed(Notice::Kind::failed, e.what());
  }
}

}  // namespace lockproof::real
