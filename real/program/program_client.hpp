// SPDX-License-Identifier: Apache-2.0
// ProgramClient: one client whose lock is a program: the loop around it. It asks the program one question at a time, by
// the client's plan, and notes what comes of it; between the questions it waits as the program's own work would. While
// the program stands still, so does the loop.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "harness/history/event.hpp"
#include "harness/program/question.hpp"
#include "harness/scenario/scenario.hpp"
#include "real/client/struck_client.hpp"
#include "real/clock/world_time.hpp"
#include "real/network/event_loop.hpp"
#include "real/program/lock_view.hpp"
#include "real/program/program_process.hpp"

namespace lockproof::real {

class ProgramClient final : public StruckClient, private Running {
  using Question = harness::Question;
  using Said = harness::Said;

 public:
  /// What it needs of the run.
  struct Around {
    std::function<void(harness::Event)> note;  // stamped with the host there
    /// An event of the client, at which faults may strike.
    std::function<void(harness::When::Moment)> happens;
    std::function<Entitlement()> entitlement;
    /// Accesses the resource; what it answers decides nothing here.
    std::function<void(std::optional<std::int64_t> fence)> access;
    std::function<Duration()> now;
    std::function<void()> changed;     // it has said something, or has ended
    std::function<void()> set_clocks;  // a fault has set its clocks
  };

  ProgramClient(const harness::ClientSpec& spec, const harness::ProgramSpec& program, const Start& start);
  void attach(EventLoop& loop, Around around);
  /// Scenario time has started.
  void begin(WorldTime time);
  /// Lets the program end by itself.
  void quit();

  // StruckClient.
  [[nodiscard]] Running& process() override { return *this; }
  void order(Order order, std::size_t) override {
    if (order == Order::clocks) around_.set_clocks();
  }
  [[nodiscard]] bool is_outside() const override { return true; }

  [[nodiscard]] bool ready() const { return ready_; }
  /// Why it never will be, in words.
  [[nodiscard]] const std::string& never_ready() const { return never_ready_; }
  [[nodiscard]] const std::string& program_name() const { return program_name_; }
  /// Whether nothing more will come of it.
  [[nodiscard]] bool over() const { return phase_ == Phase::over; }
  [[nodiscard]] int round() const { return round_; }
  [[nodiscard]] bool inside() const { return phase_ == Phase::inside; }
  [[nodiscard]] bool is_asked() const { return asked_ != Question::nothing; }
  /// Whether it is inside or leaving, or has wanted the lock since before then.
  [[nodiscard]] bool is_engaged(Duration since) const;
  /// What it is asked now: acquire, touch, extend, release; empty: nothing.
  [[nodiscard]] std::string_view question() const { return name(asked_); }
  [[nodiscard]] Duration asked_at() const { return asked_at_; }
  [[nodiscard]] const std::string& errors() const { return process_.errors(); }
  [[nodiscard]] pid_t pid() const { return process_.pid(); }
  /// See ProgramProcess.
  [[nodiscard]] std::int64_t waited_ns() const { return process_.waited_ns(); }

 private:
  enum class Phase : std::uint8_t { starting, resting, wanting, inside, leaving, over };

  // Running: the program and this loop.
  void stop() override;
  void go_on() override;
  void kill() override;
  bool alive() override { return process_.alive(); }

  void hear(std::string_view line);
  void answer(const Said& said);
  void ended(const std::string& how, int broke_protocol);
  void lost(const Said& said);
  void ask(Question what);
  void step();
  void step_after(Duration wait);
  void enter(const Said& said);
  void leave(const char* why);
  void refused(const Said& said);
  void released(const Said& said);
  void next_round();
  void give_up();
  [[nodiscard]] bool stands() const { return pauses_; }
  void note(harness::What what, const std::string& word = {});
  void note(harness::Event event);
  [[nodiscard]] std::optional<harness::Left> left(const Said& said) const;

  const harness::ClientSpec& spec_;
  const harness::ProgramSpec& program_;
  ProgramProcess process_;
  Around around_;
  WorldTime time_{0, 1};
  std::unique_ptr<EventLoop::Timer> timer_;
  Phase phase_ = Phase::starting;
  Question asked_ = Question::nothing;
  Duration asked_at_{}, wanted_since_{};
  std::optional<std::int64_t> fence_;
  bool ready_ = false, pauses_ = false, step_is_due_ = false, quitting_ = false, killed_ = false;
  int round_ = 0, attempt_ = 0;
  std::size_t work_done_ = 0;
  bool touch_announced_ = false, touch_may_come_ = false;
  std::string never_ready_, program_name_;
};

}  // namespace lockproof::real
