// SPDX-License-Identifier: Apache-2.0
#include "real/program/idle_program.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>

#include "real/os/descriptor.hpp"

namespace lockproof::real {
namespace {

/// A file of the kernel's about a process, as far as it is short.
std::optional<std::string> told_of(pid_t process, std::string_view file) {
  const Descriptor open(::open(fmt::format("/proc/{}/{}", process, file).c_str(), O_RDONLY | O_CLOEXEC));
  char text[4096];
  const auto length = open.open() ? ::read(open.get(), text, sizeof text) : -1;
  if (length < 0) return std::nullopt;
  return std::string(text, static_cast<std::size_t>(length));
}

bool reads_its_input(pid_t program) {
  const auto call = told_of(program, "syscall");
  long number = -1;
  unsigned long descriptor = 1;
  return call && std::sscanf(call->c_str(), "%ld %lx", &number, &descriptor) == 2 && number == SYS_read &&
         descriptor == 0;
}

/// The field of /proc/PID/status, which a scan finds by this.
std::optional<std::uint64_t> number_after(const std::string& status, std::string_view field, int base) {
  const std::size_t at = status.find(field);
  if (at == std::string::npos) return std::nullopt;
  return std::stoull(status.substr(at + field.size()), nullptr, base);
}

constexpr std::uint64_t bit_of(int signal) { return std::uint64_t{1} << (signal - 1); }

bool has_one_thread_and_no_timer(pid_t program) {
  constexpr std::uint64_t of_timers = bit_of(SIGALRM) | bit_of(SIGVTALRM) | bit_of(SIGPROF) | bit_of(SIGIO);
  const auto status = told_of(program, "status");
  if (!status) return false;
  const auto threads = number_after(*status, "\nThreads:", 10), caught = number_after(*status, "\nSigCgt:", 16);
  return threads == 1U && caught && (*caught & of_timers) == 0;
}

/// "12 13 "
std::optional<std::string> listed_children(pid_t process) {
  return told_of(process, fmt::format("task/{}/children", process));
}

}  // namespace

bool is_idle_program(pid_t program, pid_t keeper) {
  return reads_its_input(program) && has_one_thread_and_no_timer(program) && listed_children(program) == "" &&
         listed_children(keeper) == fmt::format("{} ", program);
}

}  // namespace lockproof::real
