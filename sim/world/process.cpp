// SPDX-License-Identifier: Apache-2.0
#include "sim/world/process.hpp"

#include <algorithm>
#include <utility>

#include "sim/world/process_ports.hpp"
#include "sim/world/world.hpp"

namespace lockproof::sim {

using harness::What;
using harness::When;

CallGroup::CallGroup(Process& process, std::vector<PendingCall> to_make)
    : calls(std::move(to_make)), process_(process), open_(calls.size()) {}

CallGroup::~CallGroup() {
  std::erase(process_.groups_, this);
  std::erase(process_.ready_, this);
}

void CallGroup::await_suspend(std::coroutine_handle<> waiting) {
  waiting_ = waiting;
  process_.groups_.push_back(this);
}

bool CallGroup::end(PendingCall& call, Result<Reply> result) {
  call.ended = true;
  call.result = std::move(result);
  return --open_ == 0;
}

Process::Process(World& world, harness::HostIndex index)
    : world_(world), index_(index), clocks_(world.scenario().clients.at(static_cast<std::size_t>(index)).clock),
      triggers_(world.scenario(), world.name(index)) {
  const harness::Scenario& scenario = world.scenario();
  const std::size_t servers = world.server_count();
  std::vector<harness::HostIndex> hosts;
  for (std::size_t i = 0; i < servers; ++i) {
    hosts.push_back(world.first_server() + static_cast<harness::HostIndex>(i));
    connections_.push_back(&world.connect(index, hosts.back()));
  }
  sent_.assign(servers, 0);
  clock_ = std::make_unique<Clock>(*this);
  random_ = std::make_unique<Random>(*this);
  resource_ = std::make_unique<Store>(*this, hosts.back());
  const harness::HostIndex resource = hosts.back();
  hosts.pop_back();
  stores_ = std::make_unique<Stores>(*this, hosts);

  Ports ports{*stores_, *clock_, *random_};
  lockproof::Store* protected_store = resource_.get();
  if (world.options().record) journal_ = std::make_unique<Journal>(*this);
  if (journal_ && world.options().record_inputs) {
    recorded_clock_ = std::make_unique<harness::RecordedClock>(*clock_, *journal_);
    recorded_random_ = std::make_unique<harness::RecordedRandom>(*random_, *journal_);
    recorded_stores_ = std::make_unique<harness::RecordedStores>(*stores_, hosts, *journal_);
    recorded_resource_ = std::make_unique<harness::RecordedStore>(*resource_, resource, *journal_);
    protected_store = recorded_resource_.get();
  }
  const Ports seen = recorded_clock_ ? Ports{*recorded_stores_, *recorded_clock_, *recorded_random_} : ports;
  lock_ = scenario.algorithm->make(seen, scenario.parameters);
  client_ =
      std::make_unique<harness::Client>(*lock_, Name(scenario.lock), seen, *protected_store,
                                        scenario.clients.at(static_cast<std::size_t>(index)).plan, journal_.get());
}

Process::~Process() = default;

void Process::fire(const Timer& timer) {
  if (timer.kind == Timer::Kind::time_out) {
    time_out(*timer.call);
    settle();
  } else if (timer.kind == Timer::Kind::worker) {
    start_step(worker_, client_->worker_step(), "worker");
  } else {
    start_step(watchdog_, client_->watchdog_step(), "watchdog");
  }
}

void Process::start_step(std::optional<Task<void>>& task, Task<void> step, const char* word) {
  if (recorded_clock_) {
    harness::Event event{.what = What::step};
    event.word = word;
    note(std::move(event));
  }
  ++steps_[&task == &watchdog_];
  task = std::move(step);
  task->start();
  settle();
}

/// Runs the process until it can do nothing more in this instant. Resumptions come from here and nowhere else.
void Process::settle() {
  end_steps();
  while (runs() && !ready_.empty()) {
    CallGroup* group = ready_.front();
    ready_.erase(ready_.begin());
    group->resume();
    end_steps();
  }
  depart();
}

void Process::end_steps() {
  for (auto* task : {&worker_, &watchdog_}) {
    if (*task && (*task)->done()) {
      (*task)->result();
      task->reset();
    }
  }
  const harness::Life& life = client_->life();
  if (life.phase != harness::Phase::inside) watchdog_.reset();  // a renewal in flight is abandoned
  if (life.round != counted_round_) {
    counted_round_ = life.round;
    counts_.clear();
    steps_[0] = 1;  // the step that began the round
    steps_[1] = jitters_ = 0;
  }
  if (life.phase == phase_) return;
  const harness::Phase before = std::exchange(phase_, life.phase);
  if (phase_ == harness::Phase::inside) happens(When::Moment::enters);
  if (before == harness::Phase::inside) happens(When::Moment::exits);
}

/// Sends what the steps have left to be sent, in order.
void Process::depart() {
  for (CallGroup* group : groups_) {
    for (PendingCall& call : group->calls) {
      if (!runs()) return;
      if (call.number || call.ended) continue;
      if (!std::exchange(call.announced, true)) {
        const auto server = static_cast<std::size_t>(call.server - world_.first_server());
        happens(When::Moment::before, call.command.verb(), connections_[server], sent_[server] + 1);
      }
      if (!runs()) return;
      send(call);
    }
  }
}

void Process::send(PendingCall& call) {
  const auto server = static_cast<std::size_t>(call.server - world_.first_server());
  call.number = ++sent_[server];
  call.connection = connections_[server];
  call.due = clocks_.mono(world_.now()) + call.timeout;
  if (journal_) {
    harness::Event event{.what = What::send};
    event.peer = call.server;
    event.message = call.number;
    event.command = call.command;
    note(std::move(event));
  }
  call.occurrence = count(call.command.verb(), call.server);
  world_.send(*call.connection, Message{.number = call.number,
                                        .occurrence = call.occurrence,
                                        .round = client_->life().round,
                                        .command = call.command,
                                        .reply = std::nullopt});
}

void Process::arrive(Connection& connection, Message message) {
  if (crashed_ || connection.closed) return;  // nobody listens
  Unseen unseen{&connection, std::move(message), false};
  if (pauses_ > 0) {
    inbox_.push_back(std::move(unseen));
  } else {
    see(std::move(unseen));
    settle();
  }
}

void Process::see(Unseen unseen) {
  if (!std::exchange(unseen.announced, true)) {
    happens(When::Moment::after, unseen.message.command.verb(), unseen.connection, unseen.message.number);
  }
  if (pauses_ > 0) inbox_.push_front(std::move(unseen));
  if (!runs()) return;

  const harness::HostIndex server = unseen.connection->server;
  PendingCall* found = nullptr;
  for (CallGroup* group : groups_) {
    for (PendingCall& call : group->calls) {
      const bool same = call.server == server && call.number == unseen.message.number;
      if (same && !call.ended && call.connection == unseen.connection) found = &call;
    }
  }
  if (journal_) {
    harness::Event event{.what = found ? What::receive : What::discard};
    event.peer = server;
    event.message = unseen.message.number;
    event.reply = unseen.message.reply;
    note(std::move(event));
  }
  if (found) end(*found, *std::move(unseen.message.reply));
}

void Process::end(PendingCall& call, Result<Reply> result) {
  for (CallGroup* group : groups_) {
    const bool member = &call >= group->calls.data() && &call < group->calls.data() + group->calls.size();
    if (!member) continue;
    if (group->end(call, std::move(result))) {
      std::erase(groups_, group);
      ready_.push_back(group);
    }
    return;
  }
}

void Process::time_out(PendingCall& late) {
  Connection* old = late.connection;
  if (journal_) {
    harness::Event event{.what = What::time_out};
    event.peer = late.server;
    event.message = late.number;
    note(std::move(event));
  }
  if (world_.scenario().network.on_timeout == harness::OnTimeout::discard) return end(late, Error::no_reply);

  // The driver closes the connection: whatever else waits on it ends too.
  old->closed = true;
  connections_[static_cast<std::size_t>(late.server - world_.first_server())] = &world_.connect(index_, late.server);
  const std::vector<CallGroup*> groups = groups_;
  for (CallGroup* group : groups) {
    for (PendingCall& call : group->calls) {
      if (call.connection == old && !call.ended) end(call, Error::no_reply);
    }
  }
}

void Process::pause() { ++pauses_; }

void Process::wake() {
  if (crashed_ || --pauses_ > 0) return;
  settle();
  while (runs() && !inbox_.empty()) {
    Unseen unseen = std::move(inbox_.front());
    inbox_.pop_front();
    see(std::move(unseen));
    settle();
  }
}

void Process::crash() {
  crashed_ = true;
  worker_.reset();
  watchdog_.reset();
  inbox_.clear();
  for (Connection* connection : connections_) connection->closed = true;
}

void Process::happens(When::Moment moment, std::string_view verb, Connection* connection, int number) {
  if (triggers_.none()) return;
  for (const std::size_t fault : triggers_.happens(moment, verb, world_.name(index_), client_->life().round)) {
    world_.provoke(fault, connection, number);
  }
}

int Process::count(std::string_view verb, harness::HostIndex server) {
  for (Count& known : counts_) {
    if (known.server == server && known.verb == verb) return ++known.occurrences;
  }
  counts_.push_back({std::string(verb), server, 1});
  return 1;
}

void Process::note(harness::Event event) { world_.note(index_, clocks_, std::move(event)); }

harness::DeclaredProcess Process::declared(harness::Renamer& renamer) const {
  return harness::declared(client_->life(), lock_->state(), clocks_.at(world_.now()), renamer);
}

harness::EventName Process::name_of(const Timer& timer) const {
  using Kind = harness::EventName::Kind;
  harness::EventName name{.actor = world_.name(index_), .peer = {}, .verb = {}};
  name.round = client_->life().round;
  if (client_->life().phase == harness::Phase::resting) {  // its next step begins the next round
    ++name.round;
    name.kind = Kind::timer;
    name.verb = "worker";
  } else if (timer.kind == Timer::Kind::time_out) {
    name.kind = Kind::time_out;
    name.peer = world_.name(timer.call->server);
    name.verb = timer.call->command.verb();
    name.occurrence = timer.call->occurrence;
  } else {
    name.kind = Kind::timer;
    name.verb = timer.kind == Timer::Kind::worker ? "worker" : "watchdog";
    name.occurrence = steps_[timer.kind == Timer::Kind::watchdog] + 1;
  }
  return name;
}

}  // namespace lockproof::sim
