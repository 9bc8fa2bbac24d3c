// SPDX-License-Identifier: Apache-2.0
// ProgressLine: how far a command is, in one line of a terminal that is written over, by a thread of its own, so that
// the time in it goes on. Where standard error is no terminal, nothing is written and there is no thread.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "algorithms/port/instant.hpp"
#include "algorithms/port/pinned_object.hpp"

namespace lockproof::cli {

class ProgressLine final : public PinnedObject {
 public:
  /// The line is written once the command has lasted for a second. `limit`: what it may take. `shows`: it is written.
  explicit ProgressLine(std::string doing, std::optional<Duration> limit = {}, bool shows = true);
  /// Takes the line away.
  ~ProgressLine();

  /// From any thread.
  void show(std::string doing);
  /// "12 of 40 runs", and the time that is left at this rate, since nothing was done.
  void show(std::uint64_t done, std::uint64_t all, std::string_view what);
  /// Lines that stand above it and go with it, in the place of those before.
  void show_above(std::string lines);
  /// Takes the line away, before something else is printed, until the next `show`.
  void clear();
  [[nodiscard]] bool is_shown() const { return writer_.joinable(); }
  [[nodiscard]] double seconds() const;

 private:
  using Clock = std::chrono::steady_clock;
  void write_often(const std::stop_token& ended);
  void write_line();
  void take_away();

  const Clock::time_point begin_ = Clock::now();
  const std::optional<Duration> limit_;
  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::string doing_;
  std::string above_;
  std::size_t lines_above_ = 0;  // of it, written
  bool hidden_ = false, written_ = false;
  Clock::time_point rate_begin_ = begin_;  // when nothing was done
  double left_ = -1;                       // seconds, when `doing_` was said; negative: not known
  Clock::time_point said_ = begin_;
  std::jthread writer_;
};

/// "8 s", "3 min", "1 h 20 min": as much as an estimate is worth.
[[nodiscard]] std::string rough_time(double seconds);

}  // namespace lockproof::cli
