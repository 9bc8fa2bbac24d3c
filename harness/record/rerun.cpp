// SPDX-License-Identifier: Apache-2.0
#include "harness/record/rerun.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <coroutine>
#include <utility>

#include "algorithms/port/lock.hpp"
#include "harness/history/jsonl.hpp"
#include "harness/record/recorded_ports.hpp"
#include "harness/scenario/clients.hpp"
#include "harness/workload/client.hpp"

namespace lockproof::harness {
namespace {

/// The recorded events of one process, taken in order.
class Tape {
 public:
  Tape(std::vector<Event> entries, const Header& header) : header_(header), entries_(std::move(entries)) {}
  [[nodiscard]] bool ended() const { return next_ == entries_.size(); }
  [[nodiscard]] const Event& next() const { return entries_.at(next_); }
  [[nodiscard]] const Event& ahead(std::size_t by) const { return entries_.at(next_ + by); }
  [[nodiscard]] std::size_t left() const { return entries_.size() - next_; }
  [[nodiscard]] std::size_t position() const { return next_; }

  const Event& take(What came) {
    if (ended()) throw Difference(next_ + 1, "nothing more", std::string(name(came)));
    const Event& event = entries_[next_++];
    if (event.what != came) throw Difference(next_, text(event), std::string(name(came)));
    return event;
  }
  /// Takes an event that must be this one.
  void compare(const Event& came) {
    const Event& event = take(came.what);
    if (event != came) throw Difference(next_, text(event), text(came));
  }

 private:
  [[nodiscard]] std::string text(const Event& event) const { return to_line(event, header_); }

  const Header& header_;
  const std::vector<Event> entries_;
  std::size_t next_ = 0;
};

/// The calls that coroutines wait for. A call that is destroyed removes itself from the list.
class Deck final : public PinnedObject {
 public:
  class PendingCall : public PinnedObject {
   public:
    PendingCall(Deck& deck, Rerun::Call asked) : call(std::move(asked)), deck_(deck) {}
    ~PendingCall() { std::erase(deck_.waiting, this); }
    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> caller) {
      waiting_ = caller;
      deck_.waiting.push_back(this);
    }
    void await_resume() const noexcept {}
    void resume() {
      std::erase(deck_.waiting, this);
      waiting_.resume();
    }

    Rerun::Call call;
    Replies results;

   private:
    Deck& deck_;
    std::coroutine_handle<> waiting_;
  };

  explicit Deck(Tape& on) : tape(on) {}
  /// The waiting call whose answer was recorded next.
  [[nodiscard]] PendingCall& answered() const {
    const Event& event = tape.next();
    const bool gathers = event.word == "gather";
    const auto found = std::ranges::find_if(waiting, [&](const PendingCall* one) {
      return one->call.gathers == gathers && one->call.number == event.message &&
             (gathers || one->call.server == event.peer);
    });
    if (found == waiting.end()) throw Difference(tape.position() + 1, "an answer", "nobody waits for it");
    return **found;
  }

  /// The last call was answered at once, since its caller had ended the attempt: nobody waits for that answer.
  [[nodiscard]] bool answers_at_once() const {
    if (!life || !life->attempt_end || tape.ended()) return false;
    return tape.next().what == What::answer && tape.next().error == Error::not_sent;
  }

  Tape& tape;
  std::vector<PendingCall*> waiting;
  const Life* life = nullptr;  // of the client, when it is made
};

Event made(What what, const char* word, HostIndex peer, int number) {
  Event event{.what = what};
  event.word = word;
  event.peer = peer;
  event.message = number;
  return event;
}

void take_not_sent(Tape& tape, const char* word, HostIndex peer, int number) {
  Event event = made(What::answer, word, peer, number);
  event.error = Error::not_sent;
  tape.compare(event);
}

class TapeClock final : public Clock {
 public:
  explicit TapeClock(Tape& tape) : tape_(tape) {}
  Wall wall() override { return InstantAccess::make<Wall>(read("wall")); }
  Mono mono() override { return InstantAccess::make<Mono>(read("mono")); }
  Boot boot() override { return InstantAccess::make<Boot>(read("boot")); }

 private:
  std::int64_t read(const char* clock) {
    const Event& event = tape_.take(What::read);
    if (event.word != clock) throw Difference(tape_.position(), event.word + " clock", clock);
    return *event.value;
  }
  Tape& tape_;
};

class TapeRandom final : public Random {
 public:
  explicit TapeRandom(Tape& tape) : tape_(tape) {}
  Token token() override { return *tape_.take(What::draw).token; }
  Duration between(Duration, Duration) override { return Duration(*tape_.take(What::draw).value); }

 private:
  Tape& tape_;
};

class TapeStore final : public Store {
 public:
  TapeStore(Deck& deck, HostIndex server) : deck_(deck), server_(server) {}
  Task<Result<Reply>> call(Command command) override {
    Event event = made(What::call, "", server_, ++calls_);
    event.command = command;
    deck_.tape.compare(event);
    if (deck_.answers_at_once()) {
      take_not_sent(deck_.tape, "", server_, calls_);
      co_return Error::not_sent;
    }
    Deck::PendingCall waiting{deck_, {false, server_, calls_, std::move(command), {{server_}}}};
    co_await waiting;
    co_return waiting.results.front();
  }
  Task<Result<Reply>> subscribe(Name channel) override { return call(subscription(channel)); }
  Task<bool> message(Name channel, Mono) override {
    const Result<Reply> came = co_await call(awaited_message(channel));
    co_return came && came->is_integer(1);
  }

 private:
  Deck& deck_;
  const HostIndex server_;
  int calls_ = 0;
};

class TapeStores final : public Stores {
 public:
  TapeStores(Deck& deck, const std::vector<HostIndex>& servers) : deck_(deck), servers_(servers) {
    for (const HostIndex server : servers) stores_.push_back(std::make_unique<TapeStore>(deck, server));
  }
  [[nodiscard]] std::size_t size() const override { return stores_.size(); }
  Store& at(std::size_t i) override { return *stores_.at(i); }
  Task<Replies> gather(Command command, Duration) override {
    Event event = made(What::call, "gather", no_host, ++gathers_);
    event.command = command;
    deck_.tape.compare(event);
    if (deck_.answers_at_once()) {
      for (const HostIndex server : servers_) take_not_sent(deck_.tape, "gather", server, gathers_);
      co_return Replies(servers_.size(), Error::not_sent);
    }
    std::vector<Rerun::Call::Message> messages;
    for (const HostIndex server : servers_) messages.push_back({server});
    Deck::PendingCall waiting{deck_, {true, no_host, gathers_, std::move(command), std::move(messages)}};
    co_await waiting;
    co_return waiting.results;
  }

 private:
  Deck& deck_;
  const std::vector<HostIndex> servers_;
  std::vector<std::unique_ptr<TapeStore>> stores_;
  int gathers_ = 0;
};

class TapeJournal final : public Journal {
 public:
  explicit TapeJournal(Tape& tape) : tape_(tape) {}
  void note(Event event) override { tape_.compare(event); }

 private:
  Tape& tape_;
};

/// The servers that an algorithm sees.
std::vector<HostIndex> masters(const Header& header, const Scenario& scenario) {
  std::vector<HostIndex> hosts;
  std::size_t server = 0;
  for (std::size_t i = 0; i < header.hosts.size(); ++i) {
    if (header.hosts[i].kind != HostKind::server) continue;
    if (scenario.servers.at(server++).replica_of.empty()) hosts.push_back(static_cast<HostIndex>(i));
  }
  return hosts;
}

}  // namespace

Event unstamped(Event event) {
  event.at = {};
  event.host = no_host;
  event.clocks = {};
  event.others.reset();
  return event;
}

struct Rerun::Parts {
  Parts(std::vector<Event> entries, const Header& header, const Scenario& scenario, HostIndex index)
      : tape(std::move(entries), header), deck(tape), clock(tape), random(tape),
        stores(deck, masters(header, scenario)), resource(deck, static_cast<HostIndex>(header.hosts.size()) - 1),
        journal(tape), ports{stores, clock, random}, lock(make_lock(scenario, static_cast<std::size_t>(index), ports)),
        client(*lock, Name(scenario.lock), ports, resource, plan_of(scenario, static_cast<std::size_t>(index)),
               &journal) {
    deck.life = &client.life();
  }

  Tape tape;
  Deck deck;
  TapeClock clock;
  TapeRandom random;
  TapeStores stores;
  TapeStore resource;
  TapeJournal journal;
  const Ports ports;
  const std::unique_ptr<Lock> lock;
  Client client;
  // Last, so that they are destroyed first: their frames refer to all of the above.
  std::optional<Task<void>> worker, watchdog;
};

Rerun::Rerun(std::vector<Event> entries, const Header& header, const Scenario& scenario, HostIndex client)
    : parts_(std::make_unique<Parts>(std::move(entries), header, scenario, client)) {}

Rerun::~Rerun() = default;

bool Rerun::ended() const { return parts_->tape.ended(); }
const Event& Rerun::next() const { return parts_->tape.next(); }
std::size_t Rerun::position() const { return parts_->tape.position(); }

void Rerun::step() {
  const bool is_worker = parts_->tape.take(What::step).word == "worker";
  std::optional<Task<void>>& task = is_worker ? parts_->worker : parts_->watchdog;
  task = is_worker ? parts_->client.worker_step() : parts_->client.watchdog_step();
  task->start();
  end_steps();
}

void Rerun::answer(const Replies& results) {
  Deck::PendingCall& waiting = parts_->deck.answered();
  const char* const word = waiting.call.gathers ? "gather" : "";
  for (std::size_t i = 0; i < results.size(); ++i) {
    Event event = made(What::answer, word, waiting.call.messages.at(i).server, waiting.call.number);
    if (results[i]) {
      event.reply = *results[i];
    } else {
      event.error = results[i].error();
    }
    parts_->tape.compare(event);
  }
  waiting.results = results;
  waiting.resume();
  end_steps();
}

Rerun::Call& Rerun::answered() { return parts_->deck.answered().call; }

Replies Rerun::recorded_answer() const {
  const std::size_t count = std::min(parts_->deck.answered().call.messages.size(), parts_->tape.left());
  Replies replies;
  for (std::size_t i = 0; i < count; ++i) {
    const Event& event = parts_->tape.ahead(i);
    replies.push_back(event.reply ? Result<Reply>(*event.reply) : Result<Reply>(event.error.value_or(Error::no_reply)));
  }
  return replies;
}

std::vector<Rerun::Call*> Rerun::calls() const {
  std::vector<Call*> calls;
  for (Deck::PendingCall* waiting : parts_->deck.waiting) calls.push_back(&waiting->call);
  return calls;
}

void Rerun::kill_worker() { parts_->worker.reset(); }

void Rerun::crash() {
  parts_->worker.reset();
  parts_->watchdog.reset();
}

void Rerun::end_steps() {
  for (auto* task : {&parts_->worker, &parts_->watchdog}) {
    if (*task && (*task)->done()) (*task)->result(), task->reset();
  }
  if (!parts_->client.life().holds()) parts_->watchdog.reset();  // a renewal in flight is abandoned
}

}  // namespace lockproof::harness
