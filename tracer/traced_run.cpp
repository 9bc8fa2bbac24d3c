// SPDX-License-Identifier: Apache-2.0
#include "tracer/traced_run.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <exception>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include "real/os/descriptor.hpp"
#include "tracer/filter.hpp"
#include "tracer/machine/private_world.hpp"
#include "tracer/spawn.hpp"
#include "tracer/traced_world.hpp"

namespace lockproof::tracer {
namespace {

WorldReport not_allowed(std::string words) {
  WorldReport report;
  report.end = WorldReport::End::not_allowed;
  report.words = std::move(words);
  return report;
}

std::map<std::string, std::string> files_in(const std::filesystem::path& folder) {
  std::map<std::string, std::string> files;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(folder, none)) {
    if (!entry.is_regular_file()) continue;
    std::ifstream file(entry.path(), std::ios::binary);
    files[entry.path().filename()] = std::string(std::istreambuf_iterator<char>(file), {});
  }
  return files;
}

void give(int to, const WorldReport& report) {
  const std::string bytes = to_bytes(report);
  for (std::size_t at = 0; at < bytes.size();) {
    const ssize_t count = write(to, bytes.data() + at, bytes.size() - at);
    if (count < 0 && errno != EINTR) return;
    if (count > 0) at += static_cast<std::size_t>(count);
  }
}

/// Dies with its parent, also if that has died already.
void die_with_parent(pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);
}

/// On one processor: a thread and its tracer never run at the same time.
void stay_on_processor() {
  const int processor = sched_getcpu();
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(processor < 0 ? 0U : static_cast<unsigned>(processor), &set);
  sched_setaffinity(0, sizeof set, &set);
}

/// What is made before has an earlier stamp, what is made from now on a later one: the kernel stamps by ticks, at
/// least.
std::int64_t begin_tick() {
  const auto read_clock = [](clockid_t clock) {
    timespec time{};
    clock_gettime(clock, &time);
    return time.tv_sec * second + time.tv_nsec;
  };
  const std::int64_t born_ns = read_clock(CLOCK_REALTIME);
  while (read_clock(CLOCK_REALTIME_COARSE) <= born_ns) continue;
  return born_ns;
}

/// The first process of the private world: its end is the end of all others there.
[[noreturn]] void run_inside(const WorldSpec& spec, int to, int parent) try {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  pollfd dead{parent, POLLIN, 0};
  if (poll(&dead, 1, 0) != 0) _exit(1);  // it died before
  const std::int64_t born_ns = begin_tick();
  const std::string trouble = build_private_root(spec);
  if (!trouble.empty()) {
    give(to, not_allowed(trouble));
    _exit(0);
  }
  prepare_filter();
  WorldReport report = TracedWorld(spec, born_ns).run();
  if (!spec.kept.empty()) report.files = files_in(std::filesystem::path(folder_of(spec.hosts.front())) / spec.kept);
  give(to, report);
  _exit(0);
} catch (const std::exception& error) {
  give(to, not_allowed(error.what()));
  _exit(1);
}

[[noreturn]] void run_outside(const WorldSpec& spec, int to) {
  stay_on_processor();
  const std::string trouble = enter_namespaces();
  if (!trouble.empty()) {
    give(to, not_allowed(trouble));
    _exit(0);
  }
  const auto self = static_cast<int>(syscall(SYS_pidfd_open, getpid(), 0));
  const pid_t first = fork();
  if (first == 0) run_inside(spec, to, self);
  int status = 0;
  while (waitpid(first, &status, 0) < 0 && errno == EINTR) continue;
  _exit(0);
}

}  // namespace

WorldReport run_world(const WorldSpec& spec) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return not_allowed("the machine has no more descriptors");
  const real::Descriptor reading(ends[0]);
  real::Descriptor writing(ends[1]);
  const pid_t self = getpid(), outside = fork();
  if (outside == 0) {
    die_with_parent(self);
    run_outside(spec, ends[1]);
  }
  writing.close();
  std::string bytes;
  std::array<char, 1 << 16> part;
  for (ssize_t count = 0; (count = read(reading.get(), part.data(), part.size())) != 0;) {
    if (count > 0) bytes.append(part.data(), static_cast<std::size_t>(count));
    if (count < 0 && errno != EINTR) break;
  }
  int status = 0;
  while (waitpid(outside, &status, 0) < 0 && errno == EINTR) continue;
  return report_from(bytes);
}

}  // namespace lockproof::tracer
