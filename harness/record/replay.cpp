// SPDX-License-Identifier: Apache-2.0
#include "harness/record/replay.hpp"

#include <fmt/format.h>

#include <coroutine>
#include <map>
#include <memory>
#include <stdexcept>
#include <tuple>
#include <utility>
#include <vector>

#include "algorithms/port/lock.hpp"
#include "harness/history/jsonl.hpp"
#include "harness/record/recorded_ports.hpp"
#include "harness/workload/client.hpp"

namespace lockproof::harness {
namespace {

class Difference : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// What belongs to a process: what crossed its ports and what its client noted. The rest is the world's.
bool of_process(What what) { return what <= What::answer; }

/// Applies a transformation to recorded values.
class Transformer {
 public:
  Transformer(const History& history, const Transformation& how) : how_(how) {
    // A real server's answer is bytes without a mark: the mark is known from who sent those bytes.
    for (const Event& event : history.events) {
      if (!event.command) continue;
      for (const Value& word : event.command->words()) {
        if (word.mark() != Value::Mark::text) marks_.emplace(word.bytes(), word.mark());
      }
    }
  }

  [[nodiscard]] Value value(const Value& v) const {
    const auto known = marks_.find(v.bytes());
    const Value::Mark mark = known == marks_.end() ? v.mark() : known->second;
    if (mark == Value::Mark::token && how_.token) return Value(how_.token(v.bytes()), mark);
    if (mark == Value::Mark::stamp) {
      if (const auto i = Clock::read(v)) return Clock::write(*i + how_.wall);
    }
    return v;
  }

  [[nodiscard]] Reply reply(const Reply& r) const {
    if (r.kind() == Reply::Kind::bulk) return Reply::bulk(value(r.value()));
    if (r.kind() != Reply::Kind::array) return r;
    std::vector<Reply> items;
    for (const Reply& item : r.items()) items.push_back(reply(item));
    return Reply::array(std::move(items));
  }

  /// An event as the transformed process would have made it, without what the world stamped on it.
  [[nodiscard]] Event event(Event e) const {
    e.at = {};
    e.host = no_host;
    e.clocks = {};
    e.others.reset();
    if (e.token) e.token = value(*e.token);
    if (e.reply) e.reply = reply(*e.reply);
    if (e.command) {
      std::vector<Value> words;
      for (const Value& word : e.command->words()) words.push_back(value(word));
      const std::string& script = e.command->script();
      e.command = script.empty() ? Command(std::move(words)) : Command(Script{script, ""}, std::move(words));
    }
    if (e.what == What::read) *e.value += e.word == "wall" ? Duration(how_.wall).count() : how_.mono.count();
    return e;
  }

 private:
  const Transformation& how_;
  std::map<std::string, Value::Mark, std::less<>> marks_;
};

/// The recorded events of one process, taken in order.
class Tape {
 public:
  Tape(const History& history, HostIndex client, const Transformer& transform) {
    for (std::size_t i = 0; i < history.events.size(); ++i) {
      const Event& event = history.events[i];
      if (event.host == client && of_process(event.what)) entries_.emplace_back(transform.event(event));
    }
  }
  [[nodiscard]] bool ended() const { return next_ == entries_.size(); }

  const Event& take(What expected) {
    if (ended()) throw Difference(fmt::format("entry {}: a {} that was not recorded", next_ + 1, name(expected)));
    const Event& event = entries_[next_++];
    if (event.what == expected) return event;
    throw Difference(fmt::format("entry {}: {} was recorded, {} came", next_, name(event.what), name(expected)));
  }
  [[nodiscard]] What next() const { return entries_[next_].what; }
  [[nodiscard]] std::size_t position() const { return next_; }

 private:
  std::vector<Event> entries_;
  std::size_t next_ = 0;
};

using CallId = std::tuple<HostIndex, int>;  // no_host: a gather

class Deck final : public Pinned {
 public:
  explicit Deck(Tape& on) : tape(on) {}
  /// Waits for one recorded answer, or for a gather's.
  struct Waiting {
    Deck& deck;
    CallId id;
    std::size_t answers;
    Replies* into;
    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> h) { deck.waiting[id] = {h, answers, into}; }
    void await_resume() const noexcept {}
  };
  struct Waiter {
    std::coroutine_handle<> handle;
    std::size_t missing;
    Replies* into;
  };

  void answer() {
    const Event& event = tape.take(What::answer);
    const CallId id{event.word == "gather" ? no_host : event.peer, event.message};
    const auto found = waiting.find(id);
    if (found == waiting.end()) throw Difference(fmt::format("entry {}: an answer nobody waits for", tape.position()));
    found->second.into->push_back(event.reply ? Result<Reply>(*event.reply) : Result<Reply>(*event.error));
    if (--found->second.missing > 0) return;
    const auto handle = found->second.handle;
    waiting.erase(found);
    handle.resume();
  }

  void compare_call(HostIndex server, int number, const Command& command) {
    const Event& event = tape.take(What::call);
    if (event.peer != server || event.message != number || event.command->words() != command.words()) {
      throw Difference(fmt::format("entry {}: another command was recorded, {} came", tape.position(), command.verb()));
    }
  }

  Tape& tape;
  std::map<CallId, Waiter> waiting;
};

class TapeClock final : public Clock {
 public:
  explicit TapeClock(Tape& tape) : tape_(tape) {}
  Wall wall() override { return InstantAccess::make<Wall>(*tape_.take(What::read).value); }
  Mono mono() override { return InstantAccess::make<Mono>(*tape_.take(What::read).value); }
  Boot boot() override { return InstantAccess::make<Boot>(*tape_.take(What::read).value); }

 private:
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
    const int number = ++calls_;
    deck_.compare_call(server_, number, command);
    Replies replies;
    Deck::Waiting waiting{deck_, {server_, number}, 1, &replies};
    co_await waiting;
    co_return replies.front();
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
  TapeStores(Deck& deck, const std::vector<HostIndex>& servers) : deck_(deck) {
    for (const HostIndex server : servers) stores_.push_back(std::make_unique<TapeStore>(deck, server));
  }
  [[nodiscard]] std::size_t size() const override { return stores_.size(); }
  Store& at(std::size_t i) override { return *stores_.at(i); }
  Task<Replies> gather(Command command, Duration) override {
    const int number = ++gathers_;
    deck_.compare_call(no_host, number, command);
    Replies replies;
    Deck::Waiting waiting{deck_, {no_host, number}, stores_.size(), &replies};
    co_await waiting;
    co_return replies;
  }

 private:
  Deck& deck_;
  std::vector<std::unique_ptr<TapeStore>> stores_;
  int gathers_ = 0;
};

class TapeJournal final : public Journal {
 public:
  explicit TapeJournal(Tape& tape) : tape_(tape) {}
  void note(Event event) override {
    const Event& recorded = tape_.take(event.what);
    if (recorded != event) throw Difference(fmt::format("entry {}: another {}", tape_.position(), name(event.what)));
  }

 private:
  Tape& tape_;
};

void run(const History& history, Tape& tape, HostIndex client_index, const Scenario& scenario) {
  std::vector<HostIndex> servers;
  HostIndex resource_index = no_host;
  for (std::size_t i = 0; i < history.header.hosts.size(); ++i) {
    if (history.header.hosts[i].kind == HostKind::server) servers.push_back(static_cast<HostIndex>(i));
    if (history.header.hosts[i].kind == HostKind::resource) resource_index = static_cast<HostIndex>(i);
  }
  Deck deck(tape);
  TapeClock clock(tape);
  TapeRandom random(tape);
  TapeStores stores(deck, servers);
  TapeStore resource(deck, resource_index);
  TapeJournal journal(tape);
  const Ports ports{stores, clock, random};
  const std::unique_ptr<Lock> lock = scenario.algorithm->make(ports, scenario.parameters);
  Client client(*lock, Name(scenario.lock), ports, resource,
                scenario.clients.at(static_cast<std::size_t>(client_index)).plan, &journal);
  std::optional<Task<void>> worker, watchdog;
  while (!tape.ended()) {
    if (tape.next() == What::answer) {
      deck.answer();
    } else {
      const bool is_worker = tape.take(What::step).word == "worker";
      std::optional<Task<void>>& task = is_worker ? worker : watchdog;
      task = is_worker ? client.worker_step() : client.watchdog_step();
      task->start();
    }
    for (auto* task : {&worker, &watchdog}) {
      if (*task && (*task)->done()) (*task)->result(), task->reset();
    }
  }
}

}  // namespace

std::optional<std::string> replay(const History& history, HostIndex client, const Scenario& scenario,
                                  const Transformation& transformation) {
  const Transformer transformer(history, transformation);
  Tape tape(history, client, transformer);
  try {
    run(history, tape, client, scenario);
  } catch (const Difference& difference) {
    return fmt::format("{}: {}", history.host_name(client), difference.what());
  }
  return std::nullopt;
}

}  // namespace lockproof::harness
