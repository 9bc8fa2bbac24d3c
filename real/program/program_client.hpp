// SPDX-License-Identifier: Apache-2.0
// ProgramClient: one client whose lock is a program, in a real run: the program's process, and the loop around it,
// which is that of every lock. While the program stands still, so does the loop, and what it has said waits. With
// rounds = "fresh" each round has a process of its own, and all of them are ready before the scenario starts.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/history/event.hpp"
#include "harness/program/conversation.hpp"
#include "harness/program/program_lock.hpp"
#include "harness/scenario/scenario.hpp"
#include "real/client/life_events.hpp"
#include "real/client/struck_client.hpp"
#include "real/clock/world_time.hpp"
#include "real/network/event_loop.hpp"
#include "real/program/lock_view.hpp"
#include "real/program/program_process.hpp"

namespace lockproof::real {

class ProgramClient final : public StruckClient,
                            private ProcessControl,
                            private harness::ProgramPort,
                            private harness::Journal,
                            private LifeEvents {
 public:
  /// What it needs of the run.
  struct RunCallbacks {
    std::function<void(harness::Event)> note;  // stamped with the host there
    /// An event of the client, at which faults may strike.
    std::function<void(harness::EventPlace::Moment, std::string_view act)> happens;
    std::function<bool(harness::EventPlace::Moment, std::string_view act)> awaits;
    std::function<Entitlement()> entitlement;
    std::function<Reply(Command)> access;  // to the resource
    std::function<void()> changed;         // it has said something, or has ended
    std::function<void()> set_clocks;      // a fault has set its clocks
    std::function<void()> begins_afresh;   // what it held in an earlier round is not its own any more
  };
  /// Its ports, and how far its wall clock has jumped.
  struct Host {
    int index;
    WorldTime time;
    std::uint64_t seed;
    const std::atomic<std::int64_t>& jumped_us;
  };

  ProgramClient(const harness::Scenario& scenario, std::size_t index, const Start& start);
  ~ProgramClient() override;
  void attach(EventLoop& loop, RunCallbacks around);
  /// Scenario time starts now.
  void begin(const Host& host);
  /// To be called after each step of a coroutine of the loop.
  void settle();
  /// Lets the program end by itself.
  void quit();

  // StruckClient.
  [[nodiscard]] ProcessControl& process() override { return *this; }
  void order(Order order, std::size_t fault) override;
  [[nodiscard]] bool is_outside() const override { return true; }

  [[nodiscard]] bool ready() const { return std::ranges::all_of(starts_, &StartedProcess::ready); }
  /// Why it never will be, in words.
  [[nodiscard]] const std::string& never_ready() const { return never_ready_; }
  /// Whether nothing more will come of it.
  [[nodiscard]] bool over() const;
  /// Whether nothing more can come of its program, which is asked nothing.
  [[nodiscard]] bool idle() const { return killed_ || current().process.is_idle(); }
  /// Whether its own next step is planned, and the program is asked nothing.
  [[nodiscard]] bool waits() const;
  [[nodiscard]] int round() const;
  [[nodiscard]] bool inside() const;
  /// Whether it is inside or leaving, or has wanted the lock since before then.
  [[nodiscard]] bool is_engaged(Duration since) const;
  [[nodiscard]] harness::Question asked() const { return conversation_.asked(); }
  /// Of the first of its processes that is not ready, else of the one that does its round.
  [[nodiscard]] const std::string& errors() const;
  /// See ProgramProcess; of all its processes so far.
  [[nodiscard]] std::int64_t waited_ns() const { return waited_before_ns_ + current().process.waited_ns(); }

 private:
  class Answer;
  class Workload;
  /// A process of the program.
  struct StartedProcess {
    explicit StartedProcess(const Start& start) : process(start) {}
    ProgramProcess process;
    bool ready = false;
    std::string ended{};  // how, before its round began
  };

  // ProcessControl: the program and this loop.
  void stop() override;
  void go_on() override;
  void kill() override;
  bool alive() override { return current().process.alive(); }

  // ProgramPort.
  Task<harness::ProgramLine> ask(harness::Question question) override;
  [[nodiscard]] Deadline promised() override;
  [[nodiscard]] State state() const override { return {}; }

  void note(harness::Event event) override;

  // LifeEvents.
  void round(int) override {}
  [[nodiscard]] bool awaits(harness::EventPlace::Moment moment, std::string_view act) const override {
    return around_.awaits(moment, act);
  }
  void happens(harness::EventPlace::Moment moment, std::string_view act) override { around_.happens(moment, act); }
  [[nodiscard]] bool stands_still() const override { return stands_; }

  [[nodiscard]] StartedProcess& current() { return *starts_[current_]; }
  [[nodiscard]] const StartedProcess& current() const { return *starts_[current_]; }
  void begin_afresh();
  void kill_all();
  void tell(harness::Question question);
  void hear(std::size_t from, std::string_view line);
  void hear_ready(std::size_t from, std::string_view line);
  void hear_end(std::size_t from, const std::string& how, bool broke_protocol);
  void ended(const std::string& how, bool broke_protocol);

  const harness::Scenario& scenario_;
  const std::size_t index_;
  std::vector<std::unique_ptr<StartedProcess>> starts_;  // in the order of the rounds; one, if it does all of them
  std::size_t current_ = 0;
  std::int64_t waited_before_ns_ = 0;  // by those of earlier rounds
  RunCallbacks around_;
  EventLoop* loop_ = nullptr;
  harness::Conversation conversation_;
  Answer* answer_ = nullptr;             // what waits for one
  std::vector<std::string> unheard_;     // lines that came while it stands still
  std::optional<Duration> wants_since_;  // since its round began
  bool stands_ = false, quitting_ = false, killed_ = false;
  std::string never_ready_, program_name_;
  std::unique_ptr<Workload> workload_;  // last: its frames refer to the rest. Null before the scenario starts
};

}  // namespace lockproof::real
