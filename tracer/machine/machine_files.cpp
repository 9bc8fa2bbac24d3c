// SPDX-License-Identifier: Apache-2.0
// The machine that every traced program sees: one processor, 8 GB of memory, and no figure that changes.
#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <optional>
#include <string_view>

#include "tracer/machine/private_world.hpp"

namespace lockproof::tracer {
namespace {

constexpr auto stat =
    "cpu  100 0 100 1000 0 0 0 0 0 0\ncpu0 100 0 100 1000 0 0 0 0 0 0\nintr 0\nctxt 1000\n"
    "btime 1700000000\nprocesses 100\nprocs_running 1\nprocs_blocked 0\n";
constexpr auto meminfo =
    "MemTotal:        8388608 kB\nMemFree:         4194304 kB\nMemAvailable:    6291456 kB\n"
    "Buffers:               0 kB\nCached:          2097152 kB\nSwapTotal:             0 kB\n"
    "SwapFree:              0 kB\nHugePages_Total:       0\nHugepagesize:       2048 kB\n";
constexpr auto cpuinfo =
    "processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 85\n"
    "model name\t: one processor in virtual time\nstepping\t: 0\ncpu MHz\t\t: 1000.000\n"
    "cache size\t: 1024 KB\nphysical id\t: 0\nsiblings\t: 1\ncore id\t\t: 0\ncpu cores\t: 1\n"
    "flags\t\t: fpu tsc cx8 cmov mmx fxsr sse sse2\n\n";
/// What is made anew whenever it is opened.
constexpr std::array made{"stat", "status", "statm", "maps", "net/tcp"};

/// Below /proc/self, /proc/<id>, /proc/thread-self and their tasks.
constexpr std::array own{
    "exe",     "cmdline", "comm",      "environ", "mountinfo", "mounts", "cgroup",        "auxv",
    "task",    "fd",      "fdinfo",    "root",    "cwd",       "limits", "oom_score_adj", "coredump_filter",
    "uid_map", "gid_map", "setgroups", "ns",      "children"};
constexpr std::array shared{"/proc/stat",
                            "/proc/meminfo",
                            "/proc/loadavg",
                            "/proc/uptime",
                            "/proc/cpuinfo",
                            "/proc/vmstat",
                            "/proc/self",
                            "/proc/thread-self",
                            "/proc/filesystems",
                            "/proc/mounts",
                            "/proc/version",
                            "/proc/cgroups",
                            "/proc/sys/net/core/somaxconn",
                            "/proc/sys/vm/overcommit_memory",
                            "/proc/sys/vm/max_map_count",
                            "/proc/sys/kernel/cap_last_cap",
                            "/proc/sys/kernel/osrelease",
                            "/proc/sys/kernel/pid_max",
                            "/proc/sys/kernel/threads-max",
                            "/proc/sys/kernel/ngroups_max",
                            "/proc/sys/kernel/random/boot_id",
                            "/proc/sys/kernel/random/uuid"};

/// The part of a path that names a process, and what is behind it; false: it names none.
bool split_own(std::string_view path, std::string_view& rest) {
  constexpr std::string_view proc = "/proc/";
  if (!path.starts_with(proc)) return false;
  path.remove_prefix(proc.size());
  const std::size_t end = std::min(path.find('/'), path.size());
  const std::string_view name = path.substr(0, end);
  const bool is_number = !name.empty() && std::ranges::all_of(name, [](unsigned char c) { return std::isdigit(c); });
  if (name != "self" && name != "thread-self" && !is_number) return false;
  rest = path.substr(std::min(end + 1, path.size()));
  if (rest.starts_with("task/")) {
    const std::size_t slash = rest.find('/', 5);
    rest = slash == std::string_view::npos ? "task" : rest.substr(slash + 1);
  }
  return true;
}

}  // namespace

const std::vector<MachineFile>& machine_files() {
  static const std::vector<MachineFile> files{
      {"/proc/stat", stat},
      {"/proc/meminfo", meminfo},
      {"/proc/cpuinfo", cpuinfo},
      {"/proc/loadavg", "0.00 0.00 0.00 1/10 100\n"},
      {"/proc/uptime", "100.00 100.00\n"},
      {"/proc/vmstat", "nr_free_pages 1048576\n"},
      {"/proc/version", "Linux version 6.1.0\n"},
      {"/proc/sys/kernel/random/boot_id", "11111111-1111-4111-8111-111111111111\n"},
      {"/proc/sys/kernel/random/uuid", "22222222-2222-4222-8222-222222222222\n"},
      {"/sys/devices/system/cpu/online", "0\n"},
      {"/sys/devices/system/cpu/possible", "0\n"},
      {"/sys/devices/system/cpu/present", "0\n"},
  };
  return files;
}

bool is_visible(const std::string& path) {
  if (!path.starts_with("/proc/")) return true;
  std::string_view rest;
  if (!split_own(path, rest)) return std::ranges::find(shared, std::string_view(path)) != shared.end();
  const std::string_view name = rest.substr(0, rest.find('/'));
  return name.empty() || std::ranges::find(own, name) != own.end();
}

std::optional<MadeFile> made_file(const std::string& path, pid_t self) {
  std::string_view rest;
  if (path == "/proc/net/tcp") return MadeFile{self, "net/tcp"};
  if (!split_own(path, rest) || std::ranges::find(made, rest) == made.end()) return std::nullopt;
  const char* const name = path.c_str() + std::string_view("/proc/").size();
  return MadeFile{*name == 's' || *name == 't' ? self : std::atoi(name), std::string(rest)};
}

}  // namespace lockproof::tracer
