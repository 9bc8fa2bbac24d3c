// SPDX-License-Identifier: Apache-2.0
#include "sim/world/process.hpp"

#include <algorithm>
#include <utility>

#include "harness/scenario/clients.hpp"
#include "sim/world/process_ports.hpp"
#include "sim/world/program_host.hpp"
#include "sim/world/world.hpp"

namespace lockproof::sim {

using harness::EventPlace;
using harness::What;

Process::Process(World& world, harness::HostIndex index)
    : world_(world), index_(index), clocks_(world.scenario().clients.at(static_cast<std::size_t>(index)).clock),
      triggers_(world.scenario(), world.name(index)), memory_(world.memory_of(index)),
      runs_elsewhere_(world.options().runs_elsewhere && world.options().runs_elsewhere(index)) {
  const std::size_t servers = world.server_count();
  for (std::size_t i = 0; i < servers; ++i) {
    routes_.push_back(world.first_server() + static_cast<harness::HostIndex>(i));
    connections_.push_back(&world.connect(index, routes_.back()));
  }
  sent_.assign(servers, 0);
  further_.resize(servers);
  resend_.assign(servers, std::nullopt);
  retry_.assign(servers, std::nullopt);
  switch_.assign(servers, std::nullopt);
  in_transaction_.assign(servers, false);
  if (!runs_elsewhere_) make_client();
}

void Process::make_client() {
  const harness::Scenario& scenario = world_.scenario();
  std::vector<harness::HostIndex> hosts = routes_;
  clock_ = std::make_unique<Clock>(*this);
  random_ = std::make_unique<Random>(*this);
  resource_ = std::make_unique<Store>(*this, hosts.back());
  const harness::HostIndex resource = hosts.back();
  hosts.clear();  // the algorithm sees the masters
  for (std::size_t i = 0; i < scenario.servers.size(); ++i) {
    if (scenario.servers[i].replica_of.empty()) hosts.push_back(routes_[i]);
  }
  if (scenario.ensemble) {  // it sees one server, which is now one and now another
    hosts.resize(1);
    const std::string& first = scenario.clients.at(static_cast<std::size_t>(index_)).server;
    if (!first.empty()) routes_.front() = world_.host_named(first);
  }
  stores_ = std::make_unique<Stores>(*this, hosts);

  Ports ports{*stores_, *clock_, *random_};
  lockproof::Store* protected_store = resource_.get();
  const Options& options = world_.options();
  if (!triggers_.none() || world_.budget().may_pause(world_.name(index_))) moments_ = std::make_unique<Moments>(*this);
  if (world_.is_noted() || options.encoding || moments_) journal_ = std::make_unique<Journal>(*this);
  if ((options.record && options.record_inputs) || options.encoding) {
    recorded_clock_ = std::make_unique<harness::RecordedClock>(*clock_, *journal_);
    recorded_random_ = std::make_unique<harness::RecordedRandom>(*random_, *journal_);
    recorded_stores_ = std::make_unique<harness::RecordedStores>(*stores_, hosts, *journal_);
    recorded_resource_ = std::make_unique<harness::RecordedStore>(*resource_, resource, *journal_);
    protected_store = recorded_resource_.get();
  }
  const Ports seen = recorded_clock_ ? Ports{*recorded_stores_, *recorded_clock_, *recorded_random_} : ports;
  harness::Plan plan = plan_of(scenario, static_cast<std::size_t>(index_));
  if (scenario.program && scenario.program->in_virtual_time.programs) {
    program_ = std::make_unique<Program>(*this);
    auto lock = std::make_unique<harness::ProgramLock>(*program_, seen.clock);
    program_lock_ = lock.get();
    lock_ = std::move(lock);
  } else {
    lock_ = make_lock(seen);
  }
  client_ = std::make_unique<harness::Client>(*lock_, Name(scenario.lock), seen, *protected_store, std::move(plan),
                                              journal_.get(), moments_.get());
}

std::unique_ptr<Lock> Process::make_lock(Ports ports) {
  const harness::Scenario& scenario = world_.scenario();
  const auto client = static_cast<std::size_t>(index_);
  const auto make = [&](Ports seen) { return harness::make_lock(scenario, client, seen); };
  if (!memory_) return make(ports);
  memory_->add(*this);
  ports.caller = caller_of(scenario, client);
  return memory_->lock().used_by(ports, make);
}

Process::~Process() = default;

bool Process::connects_at_first_attempt() const {
  const harness::Plan& plan = world_.scenario().clients.at(static_cast<std::size_t>(index_)).plan;
  return plan.connect == harness::ConnectTime::at_first_attempt;
}

void Process::fire(const Timer& timer) {
  if (asks_by(timer)) world_.asked(name_of_ask());
  if (timer.kind == Timer::Kind::worker && connects_at_first_attempt() && !has_sent()) connect_anew();
  switch (timer.kind) {
    case Timer::Kind::worker: return start_step(worker_, client_->worker_step(), "worker");
    case Timer::Kind::watchdog: return start_step(watchdog_, client_->watchdog_step(), "watchdog");
    case Timer::Kind::time_out: time_out(*timer.call); break;
    case Timer::Kind::resend:
      world_.strike(timer.call->resent_by);  // had its call ended before, it would have changed nothing
      send(*timer.call);
      break;
    case Timer::Kind::program: program_->time_has_come(); break;
    case Timer::Kind::news:
      std::erase(news_waits_, timer.wait);
      ready_.push_back(timer.wait);
      break;
  }
  settle();
}

void Process::start_step(std::optional<Task<void>>& task, Task<void> step, const char* word) {
  begin_inputs();
  if (recorded_clock_) {
    harness::Event event{.what = What::step};
    event.word = word;
    journal_->note(std::move(event));
  }
  ++steps_[&task == &watchdog_];
  task = std::move(step);
  task->start();
  settle();
}

void Process::ask() {
  client_->ask();
  fire(Timer{Timer::Kind::worker});
}

/// The instant since which it can ask freely: when it begins, when a pause or its connection ends, when an attempt has
/// failed.
void Process::can_ask_now() {
  if (may_ask() && world_.asks_at_once(index_)) ask();
}

/// Runs the process until it can do nothing more in this instant. Resumptions come from here and nowhere else.
void Process::settle() {
  end_steps();
  stand();
  while (runs() && (!ready_.empty() || (program_ && program_->has_news()))) {
    if (ready_.empty()) {
      program_->take_news();
    } else {
      Suspension* waiting = ready_.front();
      ready_.erase(ready_.begin());
      waiting->resume();
    }
    end_steps();
    stand();
  }
  depart();
  if (client_->begins_to_want()) can_ask_now();
}

/// The faults placed before an enter or exit strike. The task that waits there continues afterwards, if it still
/// exists.
void Process::stand() {
  while (!moment_waits_.empty()) {
    MomentWait* const wait = moment_waits_.front();
    moment_waits_.erase(moment_waits_.begin());
    ready_.push_back(wait);
    happens(moment_of(wait->act), name(wait->act));
  }
}

void Process::end_steps() {
  for (auto* task : {&worker_, &watchdog_}) {
    if (*task && (*task)->done()) {
      (*task)->result();
      task->reset();
    }
  }
  if (program_) program_->tidy();
  if (program_ && program_->takes_its_end()) {
    worker_.reset();
    client_->died();
  }
  const harness::Life& life = client_->life();
  if (!life.holds()) watchdog_.reset();  // a renewal in flight is abandoned
  if (life.round != counted_round_) {
    counted_round_ = life.round;
    counts_.clear();
    steps_[0] = 1;  // the step that began the round
    steps_[1] = jitters_ = 0;
    if (program_) program_->begin_round();
  }
  if (life.inside() == inside_) return;
  inside_ = life.inside();
  happens(inside_ ? EventPlace::Moment::enters : EventPlace::Moment::exits);
}

void Process::pause() { ++pauses_; }

void Process::wake() {
  if (crashed_ || --pauses_ > 0) return;
  settle();
  while (runs() && !inbox_.empty()) {
    UnreadMessage unseen = std::move(inbox_.front());
    inbox_.erase(inbox_.begin());
    see(std::move(unseen));
    settle();
  }
  can_ask_now();
}

void Process::crash() {
  crashed_ = true;
  worker_.reset();
  watchdog_.reset();
  if (program_) program_->crash();
  inbox_.clear();
  for (Connection* connection : connections_) hang_up(*connection);
  for (const auto& to_server : further_) {
    for (Connection* connection : to_server) {
      if (connection) hang_up(*connection);
    }
  }
}

void Process::kill_worker() {
  worker_killed_ = true;
  worker_.reset();
}

void Process::happens(EventPlace::Moment moment, std::string_view verb, Connection* connection, int number) {
  const int round = client_->life().round;
  const std::string& name = world_.name(index_);
  const std::string_view server = connection ? std::string_view(world_.name(connection->server)) : std::string_view();
  using State = EventPlace::LockState;
  const State state = connection ? world_.lock_state(connection->server, *this) : State::any;
  if (world_.has_ends()) {
    world_.look_at_ends(
        {.actor = name, .moment = moment, .verb = std::string(verb), .state = state, .server = std::string(server)});
  }
  if (!triggers_.none()) {
    for (const std::size_t fault : triggers_.happens(moment, verb, name, round, server, state)) {
      world_.trigger_fault(fault, connection, number);
    }
  }
  if (!world_.options().budget || moment == EventPlace::Moment::touches) return;
  world_.offer_faults({name, false, moment, verb, name, server, round, stage()}, index_, connection, number);
}

harness::Stage Process::stage() const {
  using harness::Phase;
  const harness::Life& life = client_->life();
  if (life.holds()) return harness::Stage::holding;
  const bool has_left = life.phase == Phase::leaving || life.phase == Phase::inside || life.phase == Phase::done;
  return has_left || (life.phase == Phase::resting && life.round > 0) ? harness::Stage::leaving
                                                                      : harness::Stage::asking;
}

void Process::note(harness::Event event) {
  if (program_lock_) program_lock_->complete(event);
  world_.note(index_, clocks_, std::move(event));
}

harness::CanonicalProcess Process::canonical(harness::Renamer& renamer) const {
  return harness::canonical(client_->life(), lock_->state(), clocks_.at(world_.now()), renamer);
}

bool Process::only_tries() const {
  const harness::Life& life = client_->life();
  if (client_->plan().counts_refusals || life.depth > 0) return false;
  const bool is_refused = life.phase == harness::Phase::waiting && !life.failed;  // it is about to want the lock again
  return worker_ ? life.phase == harness::Phase::trying : is_refused;
}

void Process::each_instant(const std::function<void(Duration)>& add_instant) const {
  if (crashed_) return;
  const harness::Life& life = client_->life();
  if (!worker_ && !worker_killed_ && life.worker_due) add_instant(clocks_.when(*life.worker_due));
  if (const auto due = life.next_watchdog(); !watchdog_ && due) add_instant(clocks_.when(*due));
  for (const CallGroup* group : groups_) {
    for (const PendingCall& call : group->calls) {
      if (!call.number || call.ended) continue;
      if (call.resend) add_instant(clocks_.when(*call.resend));
      if (call.retry) add_instant(clocks_.when(call.due));
    }
  }
  for (const NewsWait* wait : news_waits_) add_instant(clocks_.when(wait->until));
}

void Process::each_deadline(const std::function<void(Duration)>& add_instant) const {
  const harness::Life& life = client_->life();
  if (crashed_ || life.depth == 0) return;
  const auto add = [&](const std::optional<Grant>& grant) {
    if (!grant) return;
    const Deadline& until = grant->deadline;
    if (const Wall* wall = std::get_if<Wall>(&until))
      add_instant(clocks_.when_past((InstantAccess::us(*wall) + 999) / 1000 - 1));
    if (const Mono* mono = std::get_if<Mono>(&until)) add_instant(clocks_.when(*mono));
    if (const Boot* boot = std::get_if<Boot>(&until)) add_instant(clocks_.when(*boot));
  };
  add(life.grant);
  for (const harness::OtherLock& other : life.others) add(other.grant);
}

harness::EventName Process::name_of_ask() const {
  harness::EventName name{.kind = harness::EventName::Kind::ask, .actor = world_.name(index_), .peer = {}, .verb = {}};
  name.occurrence = client_->next_attempt();
  name.round = client_->life().round;
  return name;
}

std::string_view Process::rule_of(const Timer& timer) const {
  using harness::Phase;
  switch (timer.kind) {
    case Timer::Kind::watchdog: return "the wait before a renewal";
    case Timer::Kind::time_out:
      return timer.call->due == client_->life().attempt_end
                 ? "the end of an attempt by its caller (attempt_timeout in [workload])"
                 : "the time-out of a command (timeout in [network])";
    case Timer::Kind::resend: return "the wait before a command is sent again";
    case Timer::Kind::news: return "the lock's wait for a message";
    case Timer::Kind::program: return "a timer of the program";
    case Timer::Kind::worker: break;
  }
  switch (client_->life().phase) {
    case Phase::resting: return "the wait before a round (think_time in [workload])";
    case Phase::trying: return "the wait before an attempt (retry in [algorithm], or the lock's own)";
    case Phase::inside: return "the work with the lock (work in [workload])";
    default: return "";
  }
}

harness::EventName Process::name_of(const Timer& timer) const {
  using Kind = harness::EventName::Kind;
  if (asks_by(timer)) return name_of_ask();
  harness::EventName name{.actor = world_.name(index_), .peer = {}, .verb = {}};
  name.round = client_->life().round;
  if (timer.kind == Timer::Kind::program) {
    name.kind = Kind::timer;
    name.verb = "program";
    name.occurrence = program_->timers() + 1;
  } else if (client_->life().phase == harness::Phase::resting) {  // its next step begins the next round
    ++name.round;
    name.kind = Kind::timer;
    name.verb = "worker";
  } else if (timer.call) {
    name.kind = timer.kind == Timer::Kind::resend ? Kind::resend : Kind::time_out;
    name.peer = world_.name(timer.call->server);
    name.verb = timer.call->command.verb();
    name.occurrence = timer.call->occurrence;
  } else if (timer.wait) {
    name.kind = Kind::timer;
    name.verb = "news";
  } else {
    name.kind = Kind::timer;
    name.verb = timer.kind == Timer::Kind::worker ? "worker" : "watchdog";
    name.occurrence = steps_[timer.kind == Timer::Kind::watchdog] + 1;
  }
  return name;
}

}  // namespace lockproof::sim
