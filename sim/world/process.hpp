// SPDX-License-Identifier: Apache-2.0
// Process: one client's single-threaded event loop in the simulator. A step runs from one suspension to the next, in
// zero time. The process can be paused at each suspension: before a command leaves, before a reply is seen, between
// steps. On waking it first sends what was about to leave, then sees the replies that have arrived, and only then its
// timers.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/program/program_lock.hpp"
#include "harness/record/recorded_ports.hpp"
#include "harness/scenario/faults/triggers.hpp"
#include "harness/workload/canonical_process.hpp"
#include "harness/workload/client.hpp"
#include "harness/workload/shared_lock.hpp"
#include "sim/world/calls.hpp"
#include "sim/world/clocks.hpp"

namespace lockproof::sim {

class Process;
class StateEncoder;
class World;

/// What the clients of one process have in common: their lock object, and, for the encoding, what it was when all of
/// them last rested and what has come to them since, in order. It outlives them.
class SharedMemory final : public PinnedObject {
 public:
  explicit SharedMemory(const World& world) : world_(world) {}
  harness::SharedLock& lock() { return lock_; }
  void add(const Process& task) { tasks_.push_back(&task); }
  void add_input(harness::HostIndex task, const harness::Event& input) { inputs_.emplace_back(task, input); }
  /// Call before each step.
  void begin_inputs();
  void encode(StateEncoder& into) const;

 private:
  [[nodiscard]] bool at_rest() const;

  const World& world_;
  harness::SharedLock lock_;
  std::vector<const Process*> tasks_;
  std::vector<harness::Life> rest_lives_;
  State rest_lock_;
  std::vector<std::pair<harness::HostIndex, harness::Event>> inputs_;
};

/// An event that a process can have by itself when its time has come.
struct Timer {
  enum class Kind : std::uint8_t { worker, watchdog, time_out, resend, news, program };
  Kind kind;
  PendingCall* call = nullptr;  // for a time-out or a resend
  NewsWait* wait = nullptr;     // for the end of a wait for messages
};

class Process final : public PinnedObject {
 public:
  /// To each server, at a time.
  static constexpr std::size_t connections_most = 64;

  Process(World& world, harness::HostIndex index);
  ~Process();

  /// Calls `see(Mono due, Timer)` for each timer that runs.
  template <class See>
  void each_timer(See see);
  void fire(const Timer& timer);
  /// Whether the client wants the lock and can ask for it when the world lets it.
  [[nodiscard]] bool may_ask() const { return runs() && !worker_ && !worker_killed_ && client_->life().wants(); }
  void ask();
  /// The timer makes an attempt whose instant must be recorded for a run of the same schedule.
  [[nodiscard]] bool asks_by(const Timer& timer) const {
    return timer.kind == Timer::Kind::worker && (client_->follows_plan() || client_->life().wants());
  }
  /// The name of its next attempt, by the attempt's number in its round.
  [[nodiscard]] harness::EventName name_of_ask() const;
  /// Instants of world time at which one of its own events is due.
  void each_instant(const std::function<void(Duration)>& add_instant) const;
  /// Instants of world time up to which a lock is promised to it.
  void each_deadline(const std::function<void(Duration)>& add_instant) const;
  /// An attempt is under way, or has just ended, that leaves no trace if it is refused.
  [[nodiscard]] bool only_tries() const;
  /// A reply has arrived at this host over a connection.
  void arrive(Connection& connection, Message message);
  void pause();
  void wake();
  void crash();
  /// The worker is gone; the watchdog goes on.
  void kill_worker();
  /// The connections to a server end, and this side learns of it.
  void lose_connections(harness::HostIndex server) { lose(server, std::nullopt); }
  /// From now on, commands meant for one server go to another.
  void redirect(harness::HostIndex from, harness::HostIndex to);
  /// The next command to be sent on this connection will be sent again after some time, unless its reply has come.
  void resend_next(harness::HostIndex server, std::size_t fault);
  /// The next command to be sent to this server will be sent again when its call times out.
  void retry_next(harness::HostIndex server, std::size_t fault);
  /// The next command to this server for which no reply is awaited goes over another connection.
  void switch_next(harness::HostIndex server, std::size_t fault);

  [[nodiscard]] HostClocks& clocks() { return clocks_; }
  [[nodiscard]] const HostClocks& clocks() const { return clocks_; }
  [[nodiscard]] bool crashed() const { return crashed_; }
  /// Whether it has made a connection: before that it has none that could end.
  [[nodiscard]] bool has_begun() const {
    return runs_elsewhere_ || (program_ ? program_has_connected() : life().round > 0);
  }
  [[nodiscard]] bool has_sent() const {
    return std::ranges::any_of(sent_, [](int count) { return count > 0; });
  }
  /// It has sent nothing, and does not know that a server has ended a connection of its own.
  [[nodiscard]] bool may_be_unconnected() const;
  [[nodiscard]] bool connects_at_first_attempt() const;
  /// The connections that servers have ended are replaced, as if they had never been.
  void connect_anew();
  [[nodiscard]] bool worker_killed() const { return worker_killed_; }
  /// It will not ask for the lock any more.
  [[nodiscard]] bool is_over() const {
    const harness::Phase phase = client_->life().phase;
    return crashed_ || worker_killed_ || phase == harness::Phase::done || phase == harness::Phase::gave_up;
  }
  /// No event will happen in it any more, whatever arrives.
  [[nodiscard]] bool is_gone() const {
    const harness::Phase phase = client_->life().phase;
    return crashed_ || (at_rest() && (phase == harness::Phase::done || phase == harness::Phase::gave_up) &&
                        (!program_ || program_is_quiet()));
  }
  /// Its program has not answered for longer than the scenario allows.
  [[nodiscard]] bool program_is_overdue() const;
  /// What its program would do is not known.
  [[nodiscard]] bool program_is_given_up() const;
  [[nodiscard]] bool at_rest() const { return !worker_ && !watchdog_; }
  [[nodiscard]] const harness::Life& life() const { return client_->life(); }
  /// How far its client has come with the lock.
  [[nodiscard]] harness::Stage stage() const;
  [[nodiscard]] harness::CanonicalProcess canonical(harness::Renamer& renamer) const;
  [[nodiscard]] harness::EventName name_of(const Timer& timer) const;
  /// What a person can set so that it is due later. Empty: nothing.
  [[nodiscard]] std::string_view rule_of(const Timer& timer) const;
  /// Writes its whole state; it needs Options::encoding.
  void encode(StateEncoder& into) const;
  [[nodiscard]] harness::HostIndex index() const { return index_; }
  /// How many commands it has sent to this server after the one with this number.
  [[nodiscard]] int distance(harness::HostIndex server, int number) const { return sent_[place(server)] - number; }
  [[nodiscard]] int distance(const Connection& connection, int number) const {
    return distance(connection.server, number);
  }
  [[nodiscard]] const std::vector<Connection*>& connections() const { return connections_; }
  /// Which of its open connections to that server this is: 0 is the one of connections(). Nothing: it has closed it.
  [[nodiscard]] std::optional<std::size_t> slot_of(const Connection& connection) const;
  /// Whether it learns by itself that the server has ended this connection.
  [[nodiscard]] bool minds(const Connection& connection) const;
  /// Whether a reply that arrives now would only be buffered, for a gather that still waits for others or has been
  /// abandoned, and no fault of the scenario waits for it: then nothing shows that it came before other replies.
  [[nodiscard]] bool only_buffers(const Connection& connection, const Message& message) const;
  [[nodiscard]] bool has_unseen_of(const Connection& connection) const {
    return std::ranges::find(inbox_, &connection, &UnreadMessage::connection) != inbox_.end();
  }
  [[nodiscard]] int steps_of(Timer::Kind kind) const { return steps_[kind == Timer::Kind::watchdog]; }

 private:
  friend class IsolatedHost;
  friend class Suspension;
  friend class CallGroup;
  friend class NewsWait;
  friend class MomentWait;
  friend class LineWait;
  class Clock;
  class Random;
  class Store;
  class Stores;
  class Journal;
  class Moments;
  class Program;
  struct UnreadMessage {
    Connection* connection;
    Message message;
    bool announced;  // its `after` has happened
  };
  struct Count {
    std::string verb;
    harness::HostIndex server;
    int occurrences;
  };

  [[nodiscard]] bool runs() const { return pauses_ == 0 && !crashed_; }
  [[nodiscard]] std::optional<Mono> program_due() const;
  [[nodiscard]] bool program_is_quiet() const;
  [[nodiscard]] bool program_has_connected() const;
  void make_client();
  [[nodiscard]] std::unique_ptr<Lock> make_lock(Ports ports);
  void can_ask_now();
  void start_step(std::optional<Task<void>>& task, Task<void> step, const char* word);
  void settle();
  void end_steps();
  void stand();
  void depart();
  [[nodiscard]] PendingCall* next_to_leave();
  [[nodiscard]] bool may_send() const;
  void send(PendingCall& call);
  void see(UnreadMessage unseen);
  void time_out(PendingCall& call);
  void retry(PendingCall& call);
  void lose(harness::HostIndex server, std::optional<std::size_t> slot);
  void news_came(const Connection& connection, Reply message);
  Connection& connection_for(const PendingCall& call);
  Connection& connection_in(harness::HostIndex server, std::size_t slot);
  void hang_up(Connection& connection);
  void hang_up(harness::HostIndex server, std::size_t slot);
  void turn_from(harness::HostIndex server);
  [[nodiscard]] bool is_between_transactions(harness::HostIndex server) const;
  bool exchange_sessions(Process& other, harness::HostIndex server);
  void switch_connection(harness::HostIndex server);
  void follow_transaction(const PendingCall& call);
  void begin_inputs();
  void note_input(const harness::Event& input);
  [[nodiscard]] std::size_t place(harness::HostIndex server) const;
  [[nodiscard]] std::int64_t encoded_slot(const Connection& connection) const;
  void end(PendingCall& call, Result<Reply> result);
  /// A named event: the faults placed there strike. For a message, its connection and number are given.
  void happens(harness::EventPlace::Moment moment, std::string_view verb = {}, Connection* connection = nullptr,
               int number = 0);
  int count(std::string_view verb, harness::HostIndex server);
  void note(harness::Event event);

  World& world_;
  const harness::HostIndex index_;
  HostClocks clocks_;
  harness::Triggers triggers_;
  SharedMemory* const memory_;  // with the other tasks of its process; null: it has none
  const bool runs_elsewhere_;   // in another isolated host: here it has no client and no ports
  std::unique_ptr<Journal> journal_;
  std::unique_ptr<Moments> moments_;
  std::unique_ptr<Clock> clock_;
  std::unique_ptr<Random> random_;
  std::unique_ptr<Stores> stores_;
  std::unique_ptr<harness::RecordedClock> recorded_clock_;
  std::unique_ptr<harness::RecordedRandom> recorded_random_;
  std::unique_ptr<harness::RecordedStores> recorded_stores_;
  std::unique_ptr<Store> resource_;
  std::unique_ptr<harness::RecordedStore> recorded_resource_;
  std::unique_ptr<Lock> lock_;
  std::unique_ptr<harness::Client> client_;

  std::vector<Connection*> connections_;  // the open one to each server
  std::vector<int> sent_;                 // commands sent to each server
  std::vector<CallGroup*> groups_;        // groups that coroutines wait for, oldest first
  std::vector<NewsWait*> news_waits_;
  std::vector<MomentWait*> moment_waits_;
  std::vector<Suspension*> ready_;          // waits that have ended and whose coroutines are to be resumed
  std::vector<harness::HostIndex> routes_;  // the server that now answers for each server
  /// The further ones to each server, by slot from 1 on: one for messages, made at the first subscription; a program's.
  /// Null: closed.
  std::vector<std::vector<Connection*>> further_;
  std::vector<std::string> news_;                   // channels with a message that no coroutine has waited for yet
  std::vector<std::optional<std::size_t>> resend_;  // for the next command to each server: the fault
  std::vector<std::optional<std::size_t>> retry_;   // … which sends it again when its call times out
  std::vector<std::optional<std::size_t>> switch_;  // … by which it goes over another connection
  std::vector<bool> in_transaction_;                // what was sent to each server has begun one, and not ended it
  std::vector<UnreadMessage> inbox_;                // replies that came during a pause
  std::vector<Count> counts_;                       // occurrences in this round
  int counted_round_ = 0;
  int steps_[2] = {0, 0};         // steps of worker and watchdog in this round
  int tokens_ = 0, jitters_ = 0;  // drawn so far; jitters in this round
  bool inside_ = false;
  int pauses_ = 0;  // number of pauses that are active: they may overlap
  bool crashed_ = false, worker_killed_ = false;
  // For the encoding: its state when it last rested, and its inputs since.
  harness::Life rest_life_;
  State rest_lock_;
  std::vector<harness::Event> inputs_;
  std::vector<Token> born_with_;      // drawn by the lock's constructor
  std::unique_ptr<Program> program_;  // if the lock is one
  harness::ProgramLock* program_lock_ = nullptr;
  // These come last, so that they are destroyed first: their frames refer to all of the above.
  std::optional<Task<void>> worker_, watchdog_;
};

template <class See>
void Process::each_timer(See see) {
  if (!runs() || runs_elsewhere_) return;
  const harness::Life& life = client_->life();
  if (!worker_ && !worker_killed_) {
    if (life.worker_due) see(*life.worker_due, Timer{Timer::Kind::worker});
    if (const auto due = life.period_due()) see(clocks_.mono_at(*due), Timer{Timer::Kind::worker});
  }
  if (const auto due = life.next_watchdog(); !watchdog_ && due) see(*due, Timer{Timer::Kind::watchdog});
  for (CallGroup* group : groups_) {
    for (PendingCall& call : group->calls) {
      if (!call.number || call.ended || call.untimed) continue;
      see(call.due, Timer{Timer::Kind::time_out, &call, nullptr});
      if (call.resend) see(*call.resend, Timer{Timer::Kind::resend, &call, nullptr});
    }
  }
  if (program_) {
    if (const auto due = program_due()) see(*due, Timer{Timer::Kind::program});
  }
  for (NewsWait* wait : news_waits_) see(wait->until, Timer{Timer::Kind::news, nullptr, wait});
}

}  // namespace lockproof::sim
