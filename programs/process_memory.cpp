// SPDX-License-Identifier: Apache-2.0
#include "programs/process_memory.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <set>
#include <thread>

#include "real/os/descriptor.hpp"
#include "real/program/keeper.hpp"

namespace lockproof::programs {
namespace {

std::mutex mutex;
std::set<pid_t> keepers;
std::mutex mutex_of_keepers;  // nobody who has it waits for a program
std::set<ProcessKeeper*> process_keepers;
std::atomic<bool> limit_is_near{false};
std::atomic<unsigned> counts{0};

/// Its part of the pages that it has: of a page that two processes have, half. 0: it is gone.
std::uint64_t memory_of(pid_t process) {
  const real::Descriptor file(::open(fmt::format("/proc/{}/smaps_rollup", process).c_str(), O_RDONLY | O_CLOEXEC));
  std::array<char, 4096> text{};
  if (!file.open() || ::read(file.get(), text.data(), text.size() - 1) <= 0) return 0;
  const char* const line = std::strstr(text.data(), "\nPss:");
  return line ? std::strtoull(line + std::strlen("\nPss:"), nullptr, 10) * 1024 : 0;
}

}  // namespace

CountedKeeper::CountedKeeper(pid_t keeper) : keeper_(keeper) {
  const std::lock_guard guard(mutex);
  keepers.insert(keeper_);
}

CountedKeeper::~CountedKeeper() {
  const std::lock_guard guard(mutex);
  keepers.erase(keeper_);
}

std::uint64_t memory_of_processes() {
  std::set<pid_t> all;
  {
    const std::lock_guard guard(mutex);
    all = keepers;
  }
  std::uint64_t bytes = 0;
  for (const pid_t keeper : all) {
    bytes += memory_of(keeper);
    for (const pid_t process : real::processes_below(keeper)) bytes += memory_of(process);
  }
  return bytes;
}

ProcessKeeper::ProcessKeeper() {
  const std::lock_guard guard(mutex_of_keepers);
  process_keepers.insert(this);
}

ProcessKeeper::~ProcessKeeper() {
  const std::lock_guard guard(mutex_of_keepers);
  process_keepers.erase(this);
}

void tell_count(bool is_near) {
  limit_is_near = is_near;
  ++counts;
}

bool is_near_limit() { return limit_is_near; }

void await_count() {
  constexpr auto moment = std::chrono::milliseconds(1);
  constexpr int moments_most = 100;
  const unsigned before = counts;
  for (int i = 0; i < moments_most && limit_is_near && counts - before < 2; ++i) std::this_thread::sleep_for(moment);
}

std::size_t let_go_of_processes() {
  const std::lock_guard guard(mutex_of_keepers);
  std::size_t count = 0;
  for (ProcessKeeper* const keeper : process_keepers) count += keeper->let_go_of_half();
  return count;
}

}  // namespace lockproof::programs
