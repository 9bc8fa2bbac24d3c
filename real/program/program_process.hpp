// SPDX-License-Identifier: Apache-2.0
// ProgramProcess: a program under test as it runs: its lines, its end, and its group, which faults stop and kill as a
// whole. It ends with this object, and with lockproof, whatever ends that.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "real/network/event_loop.hpp"
#include "real/os/process_control.hpp"
#include "real/program/keeper.hpp"

namespace lockproof::real {

class ProgramProcess final : public ProcessControl {
 public:
  struct ProcessListener {
    std::function<void(std::string_view line)> line;
    /// It says too much, or takes no more lines; in words. It is killed after that.
    std::function<void(const std::string& how)> misbehaves;
    std::function<void(const std::string& how)> ended;  // by itself, or not
  };

  /// Throws BadEnvironment.
  explicit ProgramProcess(const Start& start);
  ~ProgramProcess() override;
  void attach(EventLoop& loop, ProcessListener hear);

  /// A line for it, without its end.
  void say(std::string_view line);
  /// No more lines for it; one that goes on all the same is killed with this object.
  void hang_up() { kept_.input.close(); }

  void stop() override;
  void go_on() override;
  void kill() override;
  [[nodiscard]] bool alive() override { return !ended_; }

  [[nodiscard]] pid_t pid() const { return kept_.program; }
  /// Nothing more comes of it until it is told something: see idle_program.hpp.
  [[nodiscard]] bool is_idle() const;
  /// How long it has waited for a processor so far, in nanoseconds; what is stopped or sleeps does not wait.
  [[nodiscard]] std::int64_t waited_ns() const;
  /// What it wrote to its standard error, for people; the first part, if that was much.
  [[nodiscard]] const std::string& errors() const { return errors_; }

 private:
  void read_lines();
  void read_errors();
  void read_news();
  void misbehave(const std::string& how);

  KeeperEnds kept_;
  ProcessListener hear_;
  std::string unread_, errors_, news_;
  int lines_ = 0;
  bool ended_ = false, silenced_ = false;
  std::unique_ptr<EventLoop::Watch> output_, error_, end_;
};

}  // namespace lockproof::real
