// SPDX-License-Identifier: Apache-2.0
#include "tracer/process_files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>

#include "tracer/waits.hpp"

namespace lockproof::tracer {
namespace {

/// By the id of one of its threads, also of a process that has ended.
const Process* process_of(TracedWorld& world, pid_t tid) {
  const Process* found = nullptr;
  for (const auto& thread : world.threads())
    if (thread->tid == tid || thread->process->pid == tid) found = thread->process;
  return found;
}

/// As in the kernel's file; 0: there is no such process.
char state_of(const Process& process) {
  if (process.dead) return kill(process.pid, 0) == 0 ? 'Z' : '\0';
  return process.is_stopped ? 'T' : 'S';
}

std::string stat_of(const Process& process, char state) {
  constexpr unsigned exits = 4;  // PF_EXITING
  const pid_t parent = process.parent ? process.parent->pid : 1;
  return fmt::format(
      "{} (program) {} {} {} {} 0 -1 {} 100 0 0 0 0 0 0 0 20 0 1 0 100 10000000 2000 "
      "18446744073709551615 1 1 0 0 0 0 0 0 0 0 0 0 17 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n",
      process.pid, state, parent, process.pid, process.pid, state == 'Z' ? exits : 0);
}

std::string status_of(TracedWorld& world, const Process& process, char state) {
  const auto threads = std::ranges::count_if(world.threads(), [&](const auto& thread) {
    return thread->process == &process && thread->state != Thread::State::dead;
  });
  const std::string real = read_process_file(process.pid, "status");
  const std::size_t caught = std::min(real.find("SigCgt:"), real.size());
  return fmt::format(
      "Name:\tprogram\nState:\t{}\nPid:\t{}\nPPid:\t{}\nVmSize:\t   10000 kB\nVmRSS:\t    8000 kB\n"
      "Threads:\t{}\n{}Cpus_allowed:\t1\nCpus_allowed_list:\t0\n",
      state, process.pid, process.parent ? process.parent->pid : 1, threads,
      real.substr(caught, real.find('\n', caught) + 1 - caught));
}

/// "…-… r-xp 00001000 08:01 1234   /path" with other numbers of device and inode.
std::string cleaned_line(TracedWorld& world, const std::string& line) {
  unsigned long inode = 0;
  unsigned major = 0, minor = 0;
  int before = 0, after = 0;
  constexpr auto fields = "%*s %*s %*s %n%x:%x %lu%n";
  if (std::sscanf(line.c_str(), fields, &before, &major, &minor, &inode, &after) != 3) return line;
  if (inode != 0) inode = world.file_numbers().inode(makedev(major, minor), inode);
  return fmt::format("{}00:{:02x} {}{}", line.substr(0, static_cast<std::size_t>(before)), inode == 0 ? 0 : 1, inode,
                     line.substr(static_cast<std::size_t>(after)));
}

std::string maps_of(TracedWorld& world, const Process& process) {
  const std::string maps = read_process_file(process.pid, "maps");
  std::string cleaned;
  for (std::size_t at = 0, end = 0; (end = maps.find('\n', at)) != std::string::npos; at = end + 1)
    cleaned += cleaned_line(world, maps.substr(at, end - at)) + "\n";
  return cleaned;
}

}  // namespace

std::string make_process_file(TracedWorld& world, const MadeFile& file) {
  const Process* process = process_of(world, file.process);
  const char state = process ? state_of(*process) : '\0';
  if (state == 0) return {};
  std::string text = "2500 2000 1000 1 0 1000 0\n";  // statm
  if (file.name == "stat") text = stat_of(*process, state);
  if (file.name == "status") text = status_of(world, *process, state);
  if (file.name == "maps") text = maps_of(world, *process);
  if (file.name == "net/tcp") text = world.connections().table_for(geteuid());
  const std::string path = fmt::format("/run/machine/{}-{}", file.name.substr(file.name.find('/') + 1), process->pid);
  const real::Descriptor made(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0444));
  if (write(made.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size())) return {};
  return path;
}

}  // namespace lockproof::tracer
