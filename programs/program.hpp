// SPDX-License-Identifier: Apache-2.0
// Program: a program under the shim as a function of its inputs. Each state is a history; a step that is not known yet
// is executed by a process that is in that state, if there is one, else by a copy of one that is in a state before it,
// or has just become ready, which is fed the rest of the history again and must do the same again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/program/program_effort.hpp"
#include "harness/program/virtual_program.hpp"
#include "programs/process_memory.hpp"
#include "programs/resp.hpp"
#include "programs/shim_process.hpp"

namespace lockproof::programs {

/// How the program of one client begins.
struct Launch {
  std::string client;  // with the round, if that has a program of its own
  real::Start start;
  Origin origin;                     // of its clocks when the scenario begins
  std::vector<std::string> servers;  // their addresses, as it was told them, and those of sentinels behind
  std::vector<std::string> flags{};  // for its interpreter
};

class Program final : public harness::VirtualProgram {
 public:
  /// `live`: how many processes are kept where they stopped.
  explicit Program(Launch launch, std::size_t live = harness::live_processes)
      : launch_(std::move(launch)), live_most_(live) {}

  [[nodiscard]] State ready() override;
  [[nodiscard]] const harness::ProgramStep& step(State state) override;
  [[nodiscard]] State after(State state, const harness::ProgramInput& input) override;
  [[nodiscard]] const std::string& digest(State state) override;

  /// Of this one.
  [[nodiscard]] harness::ProgramEffort executed();
  [[nodiscard]] const Launch& launch() const { return launch_; }

 private:
  /// A connection: what it has sent that makes no command yet, and how the answers that are to come are written.
  struct Talk {
    struct Form {
      int version;
      Shape shape;
    };
    std::string bytes;
    int version = 2;               // of the protocol, after all that it has sent
    std::vector<Form> unanswered;  // how the answers to what it has sent are written
  };
  /// What it has said that makes no line yet, and its connections.
  struct Pending {
    std::string line;
    std::map<std::uint32_t, Talk> talks;
    /// The oldest command on a connection that has none is answered.
    void answered(std::uint32_t connection);
  };
  struct Node {
    State parent = 0;
    Order order{};
    std::string frame{};        // as bytes
    std::uint32_t threads = 0;  // see lockproof_frame
    harness::ProgramStep step{};
    std::string digest{};
    Pending pending{};
  };
  using Process = std::unique_ptr<ShimProcess>;
  class Keeper final : public ProcessKeeper {
   public:
    explicit Keeper(Program& program) : program_(program) {}
    std::size_t let_go_of_half() override { return program_.let_go_of_half(); }

   private:
    Program& program_;
  };

  [[nodiscard]] State after_or_known(State state, const harness::ProgramInput& input);
  void note_lacks(const std::string& error);
  void begin();
  Process start();
  State add(State parent, Pending before, Order order, const Frame& frame, ShimProcess& process);
  [[nodiscard]] harness::ProgramStep step_of(const Frame& frame, Pending& pending, ShimProcess& process);
  void act_on(const Record& record, Pending& pending, harness::ProgramStep& into);
  [[nodiscard]] Order order_of(State state, const harness::ProgramInput& input) const;
  [[nodiscard]] Process take(State state);
  [[nodiscard]] Process again(State state);
  [[nodiscard]] std::pair<State, Process> begin_before(State state);
  [[nodiscard]] bool may_be_copied(const ShimProcess& process) const;
  [[nodiscard]] Process copy_of(ShimProcess& process);
  [[nodiscard]] std::deque<std::pair<State, Process>>::iterator find_live(State state);
  [[nodiscard]] bool feed_again(ShimProcess& process, State from, State state);
  void copy_no_threads();
  void keep(State state, Process process);
  std::size_t let_go_of_half();
  [[noreturn]] void differs(State state, const Frame& now);

  const Launch launch_;
  std::size_t live_most_;
  std::mutex mutex_;            // searches have several workers
  bool copies_threads_ = true;  // until one that was lost in a copy is needed
  Process ready_;               // from which copies are made
  std::string beginning_;       // its frames until then
  std::deque<Node> nodes_;
  std::map<std::pair<State, std::string>, State> known_;
  std::deque<std::pair<State, Process>> live_;  // the one used last is the last one
  harness::ProgramEffort executed_;
  Keeper keeper_{*this};  // last: nobody may ask it while the others end
};

}  // namespace lockproof::programs
