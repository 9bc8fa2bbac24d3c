// SPDX-License-Identifier: Apache-2.0
#include "cli/options/limit_guard.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <new>
#include <system_error>

#include "harness/stop.hpp"
#include "programs/process_memory.hpp"

/// jemalloc's, where it is the allocator.
extern "C" int mallctl(const char* name, void* old, std::size_t* old_size, void* value, std::size_t size)
    __attribute__((weak));

namespace lockproof::cli {
namespace {

constexpr double telling_lasts = 0.4;                                   // seconds after the end
constexpr double let_go_from = 0.8;                                     // of the memory
constexpr int let_go_most = 6;                                          // times in a row
constexpr double counted_apart = 0.005, few_times = 2, many_times = 4;  // seconds; as long as it takes
constexpr auto often = std::chrono::milliseconds(2), seldom = std::chrono::milliseconds(20);
constexpr rlim_t reserve_least = 4 << 20, reserve_most = 256 << 20;

/// Processes that are forked while a guard exists share it: a signal to this one stops what they search, too.
using Flag = std::atomic<bool>;
static_assert(Flag::is_always_lock_free);
Flag* interrupted = nullptr;
std::atomic<LimitGuard*> guard_of_memory{nullptr};
std::atomic<StopReason> last_reason = StopReason::none;

Flag* shared_flag() {
  void* const page = mmap(nullptr, sizeof(Flag), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  return page == MAP_FAILED ? new Flag : new (page) Flag;
}

void interrupt(int signal) {
  *interrupted = true;
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
  static_cast<void>(signal);
}

/// The reserve within a limited address space (RLIMIT_AS): the size of the largest single allocation, which is a table
/// that doubles.
std::size_t reserve_size() {
  rlimit limit{};
  const bool known = getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
  return known ? std::clamp(limit.rlim_cur / 4, reserve_least, reserve_most) : reserve_most;
}

/// The part of the allowed memory that is kept for reporting the result and writing a checkpoint. That takes some
/// megabytes, and more if the search holds more.
std::uint64_t left_free(std::uint64_t memory) {
  constexpr std::uint64_t megabytes = 8 << 20, part = 16, most = 4;
  return std::min(std::max(memory / part, megabytes), memory / most);
}

/// Pages that were freed and are kept for later go back to the kernel.
void give_back_what_is_free() {
  if (mallctl) (void)mallctl("arena.4096.purge", nullptr, nullptr, nullptr, 0);  // 4096: of all arenas
}

}  // namespace

LimitGuard::LimitGuard(std::optional<Duration> time, std::optional<std::uint64_t> memory, std::uint64_t kept)
    : time_(time), memory_(memory), kept_(memory ? std::max(kept, left_free(*memory)) : 0),
      statm_(open("/proc/self/statm", O_RDONLY | O_CLOEXEC)), reserved_(reserve_size()),
      reserve_(mmap(nullptr, reserved_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)),
      outer_(guard_of_memory.exchange(this)) {
  if (reserve_ == MAP_FAILED) reserve_ = nullptr;
  if (!interrupted) interrupted = shared_flag();
  if (!outer_) *interrupted = false;
  std::signal(SIGINT, interrupt);
  std::signal(SIGTERM, interrupt);
  std::set_new_handler(out_of_memory);
  look();
  outer_long_ = harness::ends_long_operations.exchange(&stop_telling_);
  try {
    thread_ = std::jthread([this](const std::stop_token& ended) { watch(ended); });
  } catch (const std::system_error&) {  // the machine gives no thread: whoever asks may_go_on looks
  }
}

LimitGuard::~LimitGuard() {
  if (thread_.joinable()) {
    thread_.request_stop();
    thread_.join();
  }
  programs::tell_count(false);
  harness::ends_long_operations = outer_long_;
  guard_of_memory = outer_;
  if (!outer_) std::set_new_handler(nullptr);
  if (void* const left = reserve_.exchange(nullptr)) munmap(left, reserved_);
  if (statm_ >= 0) close(statm_);
  if (outer_) return;
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

std::uint64_t LimitGuard::held() const {
  std::array<char, 128> text{};
  if (statm_ < 0 || pread(statm_, text.data(), text.size() - 1, 0) <= 0) return programs_;
  char* behind_size = nullptr;
  (void)std::strtoull(text.data(), &behind_size, 10);
  return std::strtoull(behind_size, nullptr, 10) * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)) + programs_;
}

bool LimitGuard::may_go_on() {
  if (!thread_.joinable()) count_programs();
  look();
  return why_ == StopReason::none;
}

bool LimitGuard::is_over(std::uint64_t memory) const {
  if (held() <= memory) return false;
  give_back_what_is_free();
  return held() > memory;
}

void LimitGuard::look() {
  const double now = seconds();
  if (why_ == StopReason::none) {
    if (*interrupted) {
      end_as(StopReason::interrupted);
    } else if (time_ && now >= std::chrono::duration<double>(*time_).count()) {
      end_as(StopReason::time);
    } else if (memory_ && is_over(*memory_ - kept_)) {
      end_as(StopReason::memory);
    }
  } else if (now > ended_at_ + telling_lasts || (memory_ && held() > *memory_)) {
    stop_telling_.request_stop();
  }
}

/// To count them takes the kernel some milliseconds, so they are counted more often the nearer the limit is. Before it
/// is reached, fewer of them are kept.
void LimitGuard::count_programs() {
  const double begin = seconds();
  if (!memory_ || begin < count_at_) return;
  const auto is_near = [this] {
    programs_ = programs::memory_of_processes();
    return static_cast<double>(held()) > let_go_from * static_cast<double>(*memory_);
  };
  bool near = is_near();
  const double took = seconds() - begin;
  for (int times = 0; near && programs_ > 0 && times < let_go_most; ++times) {
    programs::tell_count(near);
    (void)programs::let_go_of_processes();
    std::this_thread::sleep_for(often);  // until they have ended, and who makes a step has made it
    near = is_near();
  }
  programs::tell_count(near);
  count_at_ = seconds() + std::max(counted_apart, took * (near ? few_times : many_times));
}

void LimitGuard::watch(const std::stop_token& ended) {
  std::unique_lock lock(mutex_);
  while (!ended.stop_requested()) {
    const bool is_near = why_ != StopReason::none || (memory_ && held() > *memory_ / 2);
    wake_.wait_for(lock, ended, is_near ? often : seldom, [] { return false; });
    count_programs();
    look();
  }
}

void LimitGuard::end_as(StopReason why) {
  StopReason none = StopReason::none;
  if (!why_.compare_exchange_strong(none, why)) return;
  last_reason = why;
  ended_at_ = seconds();
  stop_.request_stop();
}

StopReason LimitGuard::reason_of_last_stop() { return last_reason; }

bool LimitGuard::give_reserve() {
  void* const reserve = reserve_.exchange(nullptr);
  if (!reserve) return false;
  munmap(reserve, reserved_);
  end_as(StopReason::exhausted);
  return true;
}

/// The search ends with what was kept back for that.
void LimitGuard::out_of_memory() {
  LimitGuard* const guard = guard_of_memory;
  if (!guard || !guard->give_reserve()) throw std::bad_alloc();
}

}  // namespace lockproof::cli
