// SPDX-License-Identifier: Apache-2.0
// A program of somebody else's as a simulated process: what reaches the process is given to the program, and what
// leaves the program is sent, noted or answered to the loop around the lock. It is paused at its waits.
#pragma once

#include <deque>
#include <list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "harness/program/conversation.hpp"
#include "harness/program/key_lease.hpp"
#include "harness/program/program_lock.hpp"
#include "harness/program/virtual_program.hpp"
#include "sim/world/process.hpp"
#include "sim/world/sentinels/sentinel_answers.hpp"

namespace lockproof::sim {

class Process::Program final : public harness::ProgramPort {
 public:
  explicit Program(Process& process);

  [[nodiscard]] Task<harness::ProgramLine> ask(harness::Question question) override;
  /// See harness/program/key_lease.hpp.
  [[nodiscard]] Deadline promised() override;
  [[nodiscard]] State state() const override { return {Value(digest())}; }
  /// What it said last when it failed, for the event that comes of it.

  // For the process.
  /// When it acts by itself.
  [[nodiscard]] std::optional<Mono> due() const;
  void time_has_come();
  /// How often it has, in this round.
  [[nodiscard]] int timers() const { return timers_; }
  void begin_round() { timers_ = 0; }
  /// Its connection to a server in this slot has ended. It learns of it when it runs.
  void lost(harness::HostIndex server, std::size_t slot);
  /// The server has sent something on a connection without having been asked.
  void told(const Connection& over, Reply message);
  /// The sentinels that watch this master have another one for its client.
  void switched(harness::HostIndex from, harness::HostIndex to);
  [[nodiscard]] bool has_news() const { return !news_.empty(); }
  void take_news();
  /// Forgets commands that have been answered, or whose connection it has closed. Not while one of them is resumed.
  void tidy();
  /// Whether it has ended by itself since the last call, or was ended because of what it said.
  [[nodiscard]] bool takes_its_end() { return std::exchange(has_just_ended_, false); }
  void crash();
  /// Whether it has ever made a connection; it may do so long before its client begins.
  [[nodiscard]] bool has_connected() const { return has_connected_; }
  /// Whether it has not answered for longer than the scenario allows ([judge] answers), faults or not.
  [[nodiscard]] bool is_overdue() const;
  /// Fed the same again it did something else, so what it would do now is not known: only a search goes on without it.
  [[nodiscard]] bool is_given_up() const { return given_up_; }
  /// It waits for nothing but input, and nothing is under way to it.
  [[nodiscard]] bool is_quiet() const;
  void encode(StateEncoder& into, const harness::Readings& now) const;
  [[nodiscard]] const std::string& digest() const { return program_->digest(state_); }

 private:
  /// A command on its way: who waits for the reply, since the program itself goes on.
  struct SentCommand {
    int connection;
    Mono at;
    Task<void> transmission;
    bool abandoned = false;
  };
  /// What the program has not been given yet.
  struct News {
    harness::ProgramInput::Kind kind;
    int connection;
    Reply reply = Reply::nil();
  };
  /// Where it has a connection: the place of the server that its address leads to, and the slot among those to it.
  struct Place {
    std::size_t server, slot;
  };

  [[nodiscard]] harness::VirtualProgram& of_round(int round) const;
  void begin_afresh();
  void begin();
  [[nodiscard]] bool step(const harness::ProgramInput& input);
  void feed(harness::ProgramInput input);
  void act(const harness::ProgramAct& act);
  void hear(std::string_view line);
  void end(const std::string& how, bool broke_protocol);
  void open(int connection, std::size_t server);
  void send(const harness::ProgramAct& sent);
  void ask_sentinel(int connection, const Command& command);
  [[nodiscard]] SentinelView view_of(std::size_t sentinel) const;
  void close(int connection);
  void close_all();
  [[nodiscard]] std::optional<Place> place_of(int connection) const;
  [[nodiscard]] Task<void> transmit(int connection, Place to, Command command, Mono sent);
  [[nodiscard]] bool renews() const;
  [[nodiscard]] std::optional<Duration> promised_until() const;
  void learn(std::size_t server, const harness::KeyChange& change, Mono sent);
  [[nodiscard]] harness::HostIndex host_of(std::size_t server) const;
  [[nodiscard]] harness::Readings clocks() const;
  [[nodiscard]] bool is_idle_by(std::int64_t mono_us) const;

  Process& process_;
  int round_ = 1;  // of the program: see harness::ProgramRounds
  harness::VirtualProgram* program_;
  harness::VirtualProgram::State state_;
  bool begun_;  // what it did before it was ready has been done
  int timers_ = 0;
  bool has_connected_ = false, ended_ = false, has_just_ended_ = false, given_up_ = false;
  std::vector<std::vector<int>> open_;       // its connections to each server, by slot; 0: none
  std::map<int, std::size_t> to_sentinels_;  // its connections to them: which one
  std::set<int> listening_;                  // … that are subscribed to +switch-master
  std::deque<News> news_;
  std::list<SentCommand> sent_;
  harness::KeyLease lease_;
  Mono last_act_ = InstantAccess::make<Mono>(0);  // or when it was asked something
  harness::Conversation conversation_;
  Mono asked_at_ = InstantAccess::make<Mono>(0);
  LineWait* answer_ = nullptr;  // null: nothing is asked
};

}  // namespace lockproof::sim
