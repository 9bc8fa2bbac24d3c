// SPDX-License-Identifier: Apache-2.0
#include "real/run/client_process.hpp"

#include <time.h>

#include <algorithm>
#include <exception>
#include <memory>
#include <optional>

#include "harness/input_error.hpp"
#include "harness/record/recorded_ports.hpp"
#include "harness/scenario/asks.hpp"
#include "harness/workload/client.hpp"
#include "real/client/client_journal.hpp"
#include "real/client/client_moments.hpp"
#include "real/client/socket_store.hpp"
#include "real/external/external_servers.hpp"
#include "real/network/event_loop.hpp"
#include "real/network/line_codec.hpp"

namespace lockproof::real {
namespace {

using harness::Phase;
using harness::When;

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
    lock_ = scenario.algorithm->make(ports, scenario.parameters);
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

/// Drives the client: starts its steps when they are due, and looks after each of them.
class Driver : public Pinned {
 public:
  Driver(EventLoop& loop, harness::Client& client, HostClock& clock, ClientJournal& journal, ClientMoments& moments,
         bool record_inputs)
      : client_(client), clock_(clock), journal_(journal), moments_(moments), record_inputs_(record_inputs),
        timer_(loop, [this] { start_due(); }) {
    loop.after_each_step([this] { settle(); });
    journal.on_kill([this] { kill_worker(); });
    clock.on_change([&loop](const HostClock::Move& moved) { loop.move_timers(moved); });
    journal.on_new_clocks([this] {
      clock_.refresh();
      arm();
    });
    settle();
  }

  [[nodiscard]] bool done() const {
    const Phase phase = client_.life().phase;
    const bool works = worker_ || (!worker_killed_ && phase != Phase::done && phase != Phase::gave_up);
    return !works && !watchdog_ && !(worker_killed_ && client_.life().watchdog_due);
  }

 private:
  void start_due() {
    const std::optional<std::int64_t> worker = worker_at(), watchdog = watchdog_at();
    const std::int64_t now = machine_ns();
    const bool worker_due = worker && *worker <= now;
    const bool watchdog_due = watchdog && *watchdog <= now;
    if (worker_due && !(watchdog_due && *watchdog < *worker)) {
      start(worker_, client_.worker_step(), "worker");
    } else if (watchdog_due) {
      start(watchdog_, client_.watchdog_step(), "watchdog");
    }
    settle();
  }

  /// When its next step is due, by the machine's clock. A period that has begun by now is no timer that came late.
  [[nodiscard]] std::optional<std::int64_t> worker_at() {
    const harness::Life& life = client_.life();
    if (worker_ || worker_killed_) return std::nullopt;
    if (const auto due = life.period_due()) return std::max(clock_.machine_at(*due), machine_ns());
    return life.worker_due ? std::optional(clock_.machine_at(*life.worker_due)) : std::nullopt;
  }
  [[nodiscard]] std::optional<std::int64_t> watchdog_at() {
    const std::optional<Mono> due = client_.life().watchdog_due;
    return !watchdog_ && due ? std::optional(clock_.machine_at(*due)) : std::nullopt;
  }

  void kill_worker() {
    worker_killed_ = true;
    worker_.reset();
    arm();
  }

  void start(std::optional<Task<void>>& task, Task<void> step, const char* word) {
    if (record_inputs_) {
      harness::Event event{.what = harness::What::step};
      event.word = word;
      journal_.note(std::move(event));
    }
    task = std::move(step);
    task->start();
  }

  /// After a step: what has ended is over, and events of the life that faults may be placed by have happened.
  void settle() {
    do {
      for (auto* task : {&worker_, &watchdog_}) {
        if (*task && (*task)->done()) {
          (*task)->result();
          task->reset();
        }
      }
    } while (moments_.strike());
    const harness::Life& life = client_.life();
    // A renewal in flight is abandoned when the lock is left.
    if (!life.holds()) watchdog_.reset();
    journal_.round(life.round);
    if (life.inside() != inside_) {
      inside_ = life.inside();
      journal_.happens(inside_ ? When::Moment::enters : When::Moment::exits, "");
    }
    arm();
  }

  void arm() {
    const std::optional<std::int64_t> worker = worker_at(), watchdog = watchdog_at();
    const std::optional<std::int64_t> next = worker && watchdog ? std::min(*worker, *watchdog)
                                             : worker           ? worker
                                                                : watchdog;
    if (next) {
      timer_.set(*next);
    } else {
      timer_.cancel();
    }
  }

  harness::Client& client_;
  HostClock& clock_;
  ClientJournal& journal_;
  ClientMoments& moments_;
  const bool record_inputs_;
  EventLoop::Timer timer_;
  bool inside_ = false;
  bool worker_killed_ = false;
  std::optional<Task<void>> worker_, watchdog_;  // last: their frames refer to the rest
};

/// Waits until the scenario starts, on all clients at once.
void await_start(const ClientSetup& setup, ClientJournal& journal) {
  journal.tell({.kind = Notice::Kind::ready, .text = {}});
  journal.wait_for_supervisor();
  const std::int64_t start = setup.board.shared().start_ns.load();
  const timespec at{start / 1'000'000'000, start % 1'000'000'000};
  while (::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, nullptr) != 0) {
  }
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
  Driver driver(loop, workload.client(), clock, journal, moments, setup.options.record_inputs);
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
  } catch (const std::exception& e) {
    return failed(Notice::Kind::failed, e.what());
  }
}

}  // namespace lockproof::real
