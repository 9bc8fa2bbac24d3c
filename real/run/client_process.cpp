// SPDX-License-Identifier: Apache-2.0
#include "real/run/client_process.hpp"
#include "real/errors.hpp"

#include <algorithm>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "harness/input_error.hpp"
#include "harness/record/recorded_ports.hpp"
#include "harness/scenario/clients.hpp"
#include "harness/workload/client.hpp"
#include "harness/workload/shared_lock.hpp"
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
class Workload : public PinnedObject {
 public:
  /// `shared`: the process's lock object, if it has several clients; else null.
  Workload(const ClientSetup& setup, RemoteStores& servers, RemoteStore& resource, HostClock& clock,
           ClientJournal& journal, ClientMoments& moments, harness::SharedLock* shared)
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
    const auto client = static_cast<std::size_t>(setup.index);
    Ports ports = recorded_clock_ ? Ports{*recorded_servers_, *recorded_clock_, *recorded_random_}
                                  : Ports{servers, clock, random_};
    ports.caller = caller_of(scenario, client);
    const auto make = [&](Ports seen) { return harness::make_lock(scenario, client, seen); };
    lock_ = shared ? shared->used_by(ports, make) : make(ports);
    harness::Plan plan = plan_of(scenario, client);
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

/// One client in its process: its connections, its journal, and what drives it.
class ClientBody final : public PinnedObject {
 public:
  ClientBody(const ClientSetup& setup, const ServiceDriver& service, ClientJournal& journal, EventLoop& loop)
      : setup_(setup), journal_(journal), loop_(loop),
        servers_(loop), timeouts_{setup.scenario.network.timeout, setup.scenario.network.on_timeout,
                                  setup.scenario.speedup},
        resource_(loop, {setup.servers.back(), first_server() + servers_of(setup)}, timeouts_, journal, codec_) {
    for (std::size_t i = 0; i < setup.masters.size(); ++i) connect(service, i);
    resource_.open();
    for (std::size_t i = 0; connects() && i < servers_.size(); ++i) servers_.at(i).open();
  }
  [[nodiscard]] bool all_established() {
    bool all = resource_.established();
    for (std::size_t i = 0; connects() && i < servers_.size(); ++i) all = all && servers_.at(i).established();
    return all;
  }

  /// Scenario time has started.
  void begin(harness::SharedLock* shared) {
    Board::SharedPage& board = setup_.board.shared();
    clock_.emplace(WorldTime(board.start_ns.load(), setup_.scenario.speedup), spec().clock,
                   board.wall_jumped_us[index()], &board.drift[index()], &board.stood_us[index()]);
    journal_.start(*clock_);
    for (std::size_t i = 0; i < servers_.size(); ++i) servers_.at(i).count_by(*clock_);
    resource_.count_by(*clock_);
    journal_.late(board.start_ns.load(), machine_ns());
    moments_.emplace(journal_);
    workload_.emplace(setup_, servers_, resource_, *clock_, journal_, *moments_, shared);
    for (std::size_t i = 0; i < servers_.size(); ++i) servers_.at(i).obey(workload_->client().life());
    const auto record_step = [this](const char* task) {
      harness::Event event{.what = harness::What::step};
      event.word = task;
      journal_.note(std::move(event));
    };
    driver_.emplace(loop_, workload_->client(), *clock_, journal_, *moments_,
                    setup_.options.record_inputs ? record_step : std::function<void(const char*)>());
    journal_.on_kill([this] { driver_->kill_worker(); });
    clock_->on_change([this](const HostClock::Move& moved) { loop_.move_timers(moved); });
    journal_.on_new_clocks([this] {
      clock_->refresh();
      driver_->arm();
    });
  }
  void settle() { driver_->settle(); }
  void listen() {
    orders_.emplace(loop_, setup_.from_supervisor, [this](EventLoop::Watch::Readiness) { journal_.obey(); });
    orders_->want(true, false);
  }
  [[nodiscard]] bool done() const { return driver_->done(); }

 private:
  [[nodiscard]] std::size_t index() const { return static_cast<std::size_t>(setup_.index); }
  [[nodiscard]] const harness::ClientSpec& spec() const { return setup_.scenario.clients[index()]; }
  [[nodiscard]] bool connects() const {
    return spec().plan.connect == harness::ConnectTime::at_start;
  }  // else as it sends
  [[nodiscard]] harness::HostIndex first_server() const {
    return static_cast<harness::HostIndex>(setup_.scenario.clients.size());
  }
  [[nodiscard]] static harness::HostIndex servers_of(const ClientSetup& setup) {
    return static_cast<harness::HostIndex>(setup.scenario.servers.size());
  }

  void connect(const ServiceDriver& service, std::size_t i) {
    std::atomic<int>& at = setup_.board.shared().route[index()][i];
    const auto route = [this, &at] {
      const int server = at.load();
      return Route{setup_.servers.at(static_cast<std::size_t>(server)), first_server() + server};
    };
    servers_.add(service.connect(loop_, route(), timeouts_, journal_));
    servers_.at(i).follow(route);
    if (setup_.scenario.ensemble) {
      const auto count = static_cast<int>(setup_.scenario.servers.size());
      servers_.at(i).turn_with([this, &at, count](harness::HostIndex from) {
        at.store((from - first_server() + 1) % count);  // the next one, with which its session goes on
      });
    }
    if (const auto& external = setup_.options.external) {
      if (const auto words = greeting(external->credentials)) servers_.at(i).introduce_with(*words);
      servers_.at(i).look_with([&external](const Command& command) { require_own(*external, command); });
    }
  }

  const ClientSetup& setup_;
  ClientJournal& journal_;
  EventLoop& loop_;
  RemoteStores servers_;
  const CallTimeouts timeouts_;
  const LineCodec codec_;
  SocketStore resource_;
  std::optional<HostClock> clock_;
  std::optional<ClientMoments> moments_;
  std::optional<Workload> workload_;
  std::optional<ClientDriver> driver_;
  std::optional<EventLoop::Watch> orders_;
};

void run(const std::vector<ClientSetup>& setups, const ServiceDriver& service,
         std::vector<std::unique_ptr<ClientJournal>>& journals) {
  EventLoop loop;
  harness::SharedLock shared;
  std::vector<std::unique_ptr<ClientBody>> tasks;
  for (std::size_t i = 0; i < setups.size(); ++i) {
    tasks.push_back(std::make_unique<ClientBody>(setups[i], service, *journals[i], loop));
  }
  while (!std::ranges::all_of(tasks, [](const auto& task) { return task->all_established(); })) loop.turn();

  // The scenario starts on all clients at once.
  for (const auto& journal : journals) journal->tell({.kind = Notice::Kind::ready, .text = {}});
  for (const auto& journal : journals) journal->wait_for_supervisor();
  sleep_until(setups.front().board.shared().start_ns.load());
  loop.on_timer([&journals](std::int64_t due, std::int64_t now) { journals.front()->late(due, now); });
  for (const auto& task : tasks) task->begin(tasks.size() > 1 ? &shared : nullptr);
  const auto settle_all = [&tasks] {
    for (const auto& task : tasks) task->settle();
  };
  loop.after_each_step(settle_all);
  settle_all();
  for (const auto& task : tasks) task->listen();
  while (!std::ranges::all_of(tasks, [](const auto& task) { return task->done(); })) loop.turn();
}

}  // namespace

int run_clients(const std::vector<ClientSetup>& setups, const ServiceDriver& service) {
  std::vector<std::unique_ptr<ClientJournal>> journals;
  for (const ClientSetup& setup : setups) journals.push_back(std::make_unique<ClientJournal>(setup));
  const auto failed = [&](Notice::Kind kind, std::string why) {
    std::ranges::replace(why, '\n', ' ');  // a notice is one line
    journals.front()->tell({.kind = kind, .text = why});
    return 70;
  };
  try {
    run(setups, service, journals);
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
