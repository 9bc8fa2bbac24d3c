// SPDX-License-Identifier: Apache-2.0
// LimitGuard: looks after the time, the memory and Ctrl-C from a thread of its own, so that what works need only look
// at a token. Memory is what the process has, as the kernel counts it: nothing that a search holds is left out. So are
// the processes of programs in virtual time.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>

#include "algorithms/port/instant.hpp"
#include "algorithms/port/pinned_object.hpp"
#include "harness/stop_reason.hpp"

namespace lockproof::cli {

using harness::StopReason;

class LimitGuard final : public PinnedObject {
 public:
  /// Takes SIGINT and SIGTERM until it ends; the second one ends the program at once. There is one at a time, but a
  /// process that is forked meanwhile may have its own; it is stopped by what interrupts this one. `kept`: of the
  /// memory, for what goes on behind the stop.
  LimitGuard(std::optional<Duration> time, std::optional<std::uint64_t> memory, std::uint64_t kept = 0);
  ~LimitGuard();

  /// Requested when a limit is over.
  [[nodiscard]] std::stop_token stop() const { return stop_.get_token(); }
  /// And a little later, for what is told besides the answer.
  [[nodiscard]] std::stop_token stop_telling() const { return stop_telling_.get_token(); }
  /// Whether none is over yet.
  bool may_go_on();
  /// Which one was the first.
  [[nodiscard]] StopReason why() const { return why_; }
  /// Of this process, also after its guard has ended; `none` where no limit was met.
  [[nodiscard]] static StopReason reason_of_last_stop();
  [[nodiscard]] double seconds() const { return std::chrono::duration<double>(Clock::now() - begin_).count(); }
  /// Bytes that the process has now, and those that its programs had a moment ago.
  [[nodiscard]] std::uint64_t held() const;

 private:
  using Clock = std::chrono::steady_clock;
  void look();
  void count_programs();
  void watch(const std::stop_token& ended);
  void end_as(StopReason why);
  bool give_reserve();
  static void out_of_memory();
  [[nodiscard]] bool is_over(std::uint64_t memory) const;

  const Clock::time_point begin_ = Clock::now();
  const std::optional<Duration> time_;
  const std::optional<std::uint64_t> memory_;
  const std::uint64_t kept_;
  const int statm_;
  std::atomic<std::uint64_t> programs_ = 0;  // bytes of their processes
  double count_at_ = 0;                      // seconds: they are counted next
  const std::size_t reserved_;
  std::atomic<void*> reserve_;  // given back when the machine gives no more
  LimitGuard* const outer_;     // of the process that forked this one
  const std::stop_source* outer_long_ = nullptr;
  std::atomic<StopReason> why_ = StopReason::none;
  std::atomic<double> ended_at_ = 0;
  std::stop_source stop_, stop_telling_;
  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::jthread thread_;
};

}  // namespace lockproof::cli
