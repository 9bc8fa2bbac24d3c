// SPDX-License-Identifier: Apache-2.0
#include "real/run/program_run.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <iterator>
#include <utility>

#include "harness/check/lateness.hpp"
#include "real/client/faults.hpp"
#include "real/client/host_ports.hpp"
#include "real/errors.hpp"
#include "real/external/same_user.hpp"
#include "real/program/start.hpp"

namespace lockproof::real {

using harness::Event;
using harness::EventPlace;
using harness::HostIndex;
using harness::What;

namespace {

constexpr std::int64_t ready_ns_most = 20'000'000'000;
constexpr std::int64_t quit_ns_most = 1'000'000'000;
constexpr std::int64_t waits_in_lease = 8;
constexpr int follows_in_leases = 8;                // where [judge] answers does not say it
constexpr std::int64_t idle_ns_least = 50'000'000;  // for which nothing must have come of any program
constexpr std::int64_t idle_look_ns = 5'000'000;

}  // namespace

ProgramRun::ProgramRun(const harness::Scenario& scenario, const Options& options)
    : RealRun(scenario, options, {}), register_(scenario.fencing), accesses_(scenario.clients.size()) {
  header_.node_stamps = "the servers: when their reply came to the proxy, which lets one command at a time pass";
}

/// Destroys what watches the loop before the loop.
ProgramRun::~ProgramRun() {
  faults_.reset();
  sequencer_.reset();
  clients_.clear();
}

harness::History ProgramRun::run() {
  proxy_ = std::make_unique<Proxy>(driver_->framing());
  proxy_->let_in(is_of_this_user);
  start_servers();
  start_clients();
  attach();
  link_servers();
  await_ready();
  begin();
  until_over();
  take_down();
  return history();
}

int ProgramRun::port_for_replica(std::size_t server, HostIndex replica) {
  return proxy_->listen(replica, first_server() + static_cast<HostIndex>(server), dial_to(server), true);
}

Proxy::Dial ProgramRun::dial_to(std::size_t server) const {
  return [at = servers_.at(server).get()](int) { return dial_port(at->port()); };
}

/// One for each sentinel. They watch the servers, and clients are led to the new master; but what they would tell a
/// program are the servers' own addresses, at which nobody could watch it. So who asks them is refused.
std::string ProgramRun::sentinel_addresses(HostIndex client) {
  std::string addresses;
  const auto refuse = [name = header_.host_name(client)](int) -> Descriptor {
    throw UnsupportedFeature(
        fmt::format("the program of {} asks a sentinel (LOCKPROOF_SENTINELS), which only virtual time answers: a real "
                    "one would send it past the proxy that watches its commands. Let it use LOCKPROOF_SERVERS, whose "
                    "addresses lead to the new master after a failover, or run it with lockproof run",
                    name));
  };
  for (const harness::SentinelSpec& spec : scenario_.sentinels) {
    for (int i = 0; i < spec.count; ++i) {
      const int port = proxy_->listen(client, harness::no_host, refuse);
      addresses += fmt::format("{}127.0.0.1:{}", addresses.empty() ? "" : ",", port);
    }
  }
  return addresses;
}

void ProgramRun::start_clients() {
  for (std::size_t i = 0; i < scenario_.clients.size(); ++i) {
    std::string addresses;
    for (std::size_t j = 0; j < servers_.size(); ++j) {
      if (!scenario_.servers[j].replica_of.empty()) continue;
      const HostIndex server = first_server() + static_cast<HostIndex>(j);
      const int port = proxy_->listen(static_cast<HostIndex>(i), server, dial_to(j));
      addresses += fmt::format("{}127.0.0.1:{}", addresses.empty() ? "" : ",", port);
    }
    if (needs_own_clocks(scenario_)) clocks_.push_back(std::make_unique<ProgramClock>(scenario_.speedup));
    Start start = start_of(scenario_, i, addresses, janitor_.folder(), driver_->variables(addresses),
                           sentinel_addresses(static_cast<HostIndex>(i)));
    if (!clocks_.empty()) std::ranges::move(clocks_.back()->variables(), std::back_inserter(start.environment));
    clients_.push_back(std::make_unique<ProgramClient>(scenario_, i, start));
  }
}

void ProgramRun::attach() {
  loop_ = std::make_unique<EventLoop>();
  loop_->after_each_step([this] {
    for (const auto& client : clients_) client->settle();
  });
  loop_->on_timer([this](std::int64_t due, std::int64_t at) {
    if (started_) lateness_.add(harness::no_host, due, at);
  });
  for (const std::string& host : scenario_.host_names(true, true)) triggers_.emplace_back(scenario_, host);
  sequencer_ = std::make_unique<Sequencer>(scenario_, *proxy_, around_sequencer());
  for (const auto& server : servers_) {
    sequencer_->watch(driver_->watch_keys([at = server.get()] { return at->port(); }));
  }
  Proxy::Observer observer = sequencer_->observer();
  observer.passes = [this, passes = observer.passes](const Proxy::Message& message) {
    monitors_ && monitors_->is_one(message.client) ? monitors_->passes(message) : passes(message);
  };
  proxy_->attach(*loop_, std::move(observer));
  std::vector<StruckClient*> struck;
  for (std::size_t i = 0; i < clients_.size(); ++i) {
    attach_client(i);
    struck.push_back(clients_[i].get());
  }
  attach_servers(std::move(struck));
}

bool ProgramRun::lead(HostIndex client, HostIndex old, HostIndex promoted) {
  const bool turns = proxy_->lead(client, old, promoted, dial_to(static_cast<std::size_t>(promoted - first_server())));
  sequencer_->promoted(promoted, old);
  replaced_.insert(old);
  return turns;
}

void ProgramRun::attach_client(std::size_t index) {
  const auto host = static_cast<HostIndex>(index);
  clients_[index]->attach(
      *loop_,
      {[this, host](Event event) {
         triggers_.at(static_cast<std::size_t>(host)).noted(event.what);
         note(host, std::move(event));
       },
       [this, host](EventPlace::Moment moment, std::string_view act) {
         EventPlace event;
         event.actor = header_.host_name(host);
         event.moment = moment;
         event.verb = act;
         happens(host, event, {});
       },
       [this, host](EventPlace::Moment moment, std::string_view act) {
         return triggers_.at(static_cast<std::size_t>(host)).awaits(moment, act, client(host).round());
       },
       [this, host] { return sequencer_->entitled(host); },
       [this, host](Command command) { return access(host, std::move(command)); }, [this] { last_news_ = now(); },
       [this, host] {
         if (!clocks_.empty()) clocks_.at(static_cast<std::size_t>(host))->set_ahead(wall_ahead(host));
       },
       [this, host] { sequencer_->forget(host); }});
}

Sequencer::RunCallbacks ProgramRun::around_sequencer() {
  return {[this](HostIndex host, Event event) { note(host, std::move(event)); },
          [this] { return now(); },
          [this](HostIndex at, const EventPlace& event, const Proxy::Message& m) {
            happens(at, event, {m.server, m.port, m.number});
          },
          [this](HostIndex at, Duration since) { return client(at).is_engaged(since); },
          [this](HostIndex at) { return client(at).inside() && client(at).asked() != harness::Question::extend; },
          [this](HostIndex at) { return faults_->crashed(at); },
          [this](HostIndex at) { return !faults_->is_down(at) && !faults_->stands_still(at); },
          [this](HostIndex at) { return faults_->stands_still(at); },
          [this](std::string_view bytes) { return driver_->reply_from(bytes); },
          [this](HostIndex at, HostIndex host, int message) { lateness_.waits(at, host, message); }};
}

void ProgramRun::turn() {
  RealRun::turn();
  sequencer_->look_meanwhile();
}

/// They are as slow to start as their language is.
void ProgramRun::await_ready() {
  const std::int64_t give_up = machine_ns() + ready_ns_most;
  for (std::size_t i = 0; i < clients_.size(); ++i) {
    while (!clients_[i]->ready()) {
      const std::string& name = scenario_.clients[i].name;
      const std::string& errors = clients_[i]->errors();
      const std::string said = errors.empty() ? "" : "; it says:\n" + errors.substr(0, 2000);
      if (!clients_[i]->never_ready().empty()) {
        throw BadEnvironment(
            fmt::format("the program of {} is never ready: it {}{}", name, clients_[i]->never_ready(), said));
      }
      if (machine_ns() > give_up) {
        throw BadEnvironment(fmt::format("the program of {} has not said that it is ready for 20 s{}", name, said));
      }
      turn();
    }
  }
}

/// They have all been asked for the time by now: a program reads its clock as it starts.
void ProgramRun::refuse_other_clocks() const {
  for (std::size_t i = 0; i < clocks_.size(); ++i) {
    if (clocks_[i]->is_used()) continue;
    throw UnsupportedFeature(fmt::format(
        "the program of {} does not take its time from libc, as static programs and those in Go do not, so its clock "
        "cannot be scaled or set: leave out clock = \"scaled\", with a short lease, and what sets clocks of clients",
        scenario_.clients[i].name));
  }
}

/// What the client's wall clock shows more than the scenario's.
Duration ProgramRun::wall_ahead(HostIndex host) const {
  const auto index = static_cast<std::size_t>(host);
  return scenario_.clients[index].clock.wall + Duration(board_.shared().wall_jumped_us[index].load());
}

void ProgramRun::begin() {
  refuse_other_clocks();
  start_monitors();
  set_start();
  for (std::size_t i = 0; i < clocks_.size(); ++i) clocks_[i]->start(time_, wall_ahead(static_cast<HostIndex>(i)));
  for (const auto& client : clients_) waited_before_.push_back(client->waited_ns());
  started_ = true;
  faults_->start(time_);
  sleep_until(time_.start_ns());
  for (std::size_t i = 0; i < clients_.size(); ++i)
    clients_[i]->begin({static_cast<int>(i), time_, options_.seed, board_.shared().wall_jumped_us[i]});
}

void ProgramRun::until_over() {
  while (!is_over()) turn();
}

/// A program that says nothing any more ends the run when nobody can expect anything of it, also if the machine was
/// late.
bool ProgramRun::is_over() {
  const bool all = std::ranges::all_of(clients_, [](const auto& client) { return client->over(); });
  bool waits = false;  // for the end of a fault
  for (HostIndex host = 0; host < resource_host(); ++host)
    waits |= faults_->stands_still(host) || (faults_->is_down(host) && !replaced_.contains(host));
  const Duration lease = *scenario_.clients.front().plan.lease;
  if (all && !waits && !faults_->is_to_strike()) {
    word_ = "finished";
    return is_followed_enough();
  }
  waits |= std::ranges::any_of(clients_, [](const auto& client) { return client->waits(); });  // for its own next step
  if (waits) last_news_ = now();
  const Duration quiet = std::max(scenario_.answers.value_or(lease), scenario_.progress.value_or(lease)) + lease * 3 +
                         Duration(lateness_.so_far_ns() / 1000 * time_.speedup() * check::lateness_of_bounds);
  word_ = "horizon";
  return now() >= scenario_.horizon || now() - last_news_ > quiet;
}

/// What programs still do when their rounds are over is watched, as long as anything can come of them.
bool ProgramRun::is_followed_enough() {
  if (!over_since_) {
    over_since_ = now();
    add_waits();  // what it does after that has no deadline
  }
  const Duration lease = *scenario_.clients.front().plan.lease;
  const Duration most = options_.follows_briefly ? lease : scenario_.answers.value_or(lease * follows_in_leases);
  if (now() - *over_since_ >= most || now() >= scenario_.horizon) return true;
  const std::int64_t now_ns = machine_ns();
  if (now_ns < looks_at_ns_) return false;
  looks_at_ns_ = now_ns + idle_look_ns;
  const bool idle = !proxy_->holds_requests_of(first_server()) &&
                    std::ranges::all_of(clients_, [](const auto& client) { return client->idle(); });
  if (!idle) idle_since_ns_ = 0;
  if (idle && idle_since_ns_ == 0) idle_since_ns_ = now_ns;
  return idle && now_ns - idle_since_ns_ >= idle_ns_least;
}

/// A program that waited for a processor, in all, for a part of its lease that it may need was late, whatever it did.
void ProgramRun::add_waits() {
  for (std::size_t i = 0; i < clients_.size(); ++i) {
    const std::int64_t waited = clients_[i]->waited_ns() - waited_before_[i];
    const std::int64_t allowed = time_.machine_ns_of(*scenario_.clients[i].plan.lease) / waits_in_lease;
    if (waited > allowed) lateness_.add(harness::no_host, 0, waited);
  }
}

void ProgramRun::take_down() {
  if (!over_since_) add_waits();
  if (monitors_) monitors_->kill();
  const std::int64_t give_up = machine_ns() + quit_ns_most;
  Event end{.what = What::end};
  end.at = now();
  end.word = word_;
  events_.push_back(std::move(end));
  started_ = false;
  for (const auto& client : clients_) {
    client->asked() != harness::Question::nothing ? client->process().kill() : client->quit();
  }
  const auto runs = [](const auto& client) { return client->process().alive(); };
  while (std::ranges::any_of(clients_, runs) && machine_ns() < give_up) turn();
}

harness::History ProgramRun::history() {
  harness::History history{header_, std::move(events_)};
  history.header.sees_servers = sequencer_->sees_lock();
  history.header.late_us = lateness_.most_us(history, time_);
  return history;
}

/// An event by which faults may begin or end.
void ProgramRun::happens(HostIndex host, const EventPlace& event, const StruckMessage& message) {
  if (!started_) return;
  faults_->happens(event);
  const auto strike = [&](HostIndex at, const std::string& name) {
    for (const std::size_t fault :
         triggers_.at(static_cast<std::size_t>(at))
             .happens(event.moment, event.verb, name, client(host).round(), event.server, event.state)) {
      faults_->trigger_fault(fault, now() + scenario_.faults[fault].delay, message);
    }
  };
  strike(host, event.actor);
  if (message.server >= 0) strike(message.server, event.actor);
}

/// The resource is in this process, so an access runs at once.
Reply ProgramRun::access(HostIndex host, Command command) {
  Event send{.what = What::send};
  send.peer = resource_host();
  send.message = ++accesses_.at(static_cast<std::size_t>(host));
  send.command = command;
  Event execute{.what = What::execute};
  execute.peer = host;
  execute.message = send.message;
  Reply reply = register_.execute(command);
  execute.reply = reply;
  execute.command = std::move(command);
  Event receive{.what = What::receive};
  receive.peer = resource_host();
  receive.message = send.message;
  receive.reply = reply;
  note(host, std::move(send));
  note(resource_host(), std::move(execute));
  note(host, std::move(receive));
  return reply;
}

Duration ProgramRun::now() const { return started_ ? std::max(time_.now(), Duration{}) : Duration{}; }

std::size_t ProgramRun::note(HostIndex host, Event event, const std::string&) {
  if (!word_.empty() && !events_.empty() && events_.back().what == What::end) return 0;
  event.host = host;
  event.at = now();
  if (started_ && host >= first_server() && host < resource_host()) {
    event.clocks =
        servers_[static_cast<std::size_t>(host - first_server())]->clocks(event.at, faults_->stood(host, event.at));
  } else {
    const bool scaled = !clocks_.empty() && host < first_server();
    event.clocks = readings(event.at, scaled ? wall_ahead(host) : Duration{}, {}, {});
  }
  if (event.what == What::strike || event.what == What::heal) {
    last_news_ = event.at;
    proxy_->resume();  // a server that stands still keeps nobody from the others
  }
  if (event.what == What::send || event.what == What::receive || event.what == What::drop) {
    event.round = client(host).round();
  }
  if (event.what == What::copy) sequencer_->copied(host, event.peer);
  events_.push_back(std::move(event));
  return events_.size() - 1;
}

}  // namespace lockproof::real
