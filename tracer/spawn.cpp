// SPDX-License-Identifier: Apache-2.0
#include "tracer/spawn.hpp"

#include <fcntl.h>
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <vector>

#include "tracer/filter.hpp"
#include "tracer/machine/registers.hpp"
#include "tracer/traced_world.hpp"

namespace lockproof::tracer {
namespace {

constexpr auto path = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
constexpr int cannot_start = 127;

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> all;
  for (std::string& text : texts) all.push_back(text.data());
  all.push_back(nullptr);
  return all;
}

/// What a shell has set differs from one machine to the next.
void set_limits() {
  const auto lower = [](__rlimit_resource_t what, rlim_t to) {
    rlimit limit{};
    getrlimit(what, &limit);
    limit.rlim_max = std::min(limit.rlim_max, to);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(what, &limit);
  };
  constexpr rlim_t files = 1 << 16, stack = 8 << 20;
  lower(RLIMIT_NOFILE, files);
  lower(RLIMIT_STACK, stack);
  lower(RLIMIT_CORE, 0);
}

[[noreturn]] void become(const HostSpec& spec, const std::array<int, 3>& standard) {
  for (int i = 0; i < 3; ++i) dup2(standard[static_cast<std::size_t>(i)], i);
  close_range(3, ~0U, 0);
  if (chdir(folder_of(spec).c_str()) != 0) _exit(cannot_start);
  setsid();
  set_limits();
  signal(SIGALRM, SIG_DFL);
  signal(SIGPIPE, SIG_DFL);
  std::vector<std::string> command = spec.command, environment = spec.environment;
  const auto given = std::ranges::find_if(environment, [](const std::string& one) { return one.starts_with("PATH="); });
  const std::string searched = given == environment.end() ? path : given->substr(std::string_view("PATH=").size());
  if (given == environment.end()) environment.push_back(std::string("PATH=") + path);
  environment.push_back("HOME=" + home_of(spec));
  environment.emplace_back("LANG=C.UTF-8");
  setenv("PATH", searched.c_str(), 1);
  personality(ADDR_NO_RANDOMIZE);
  forbid_counter();
  ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
  raise(SIGSTOP);
  if (!install_filter()) _exit(cannot_start);
  execvpe(command.front().c_str(), pointers(command).data(), pointers(environment).data());
  constexpr std::string_view said = "the program cannot be started\n";
  if (write(2, said.data(), said.size()) < 0) _exit(cannot_start);
  _exit(cannot_start);
}

}  // namespace

std::string folder_of(const HostSpec& host) { return host.folder.empty() ? home_of(host) : host.folder; }

std::string home_of(const HostSpec& host) { return "/tmp/" + host.name; }

pid_t spawn(const HostSpec& spec, Host& host) {
  std::array<int, 2> in{}, out{}, errors{};
  if (pipe2(in.data(), O_CLOEXEC) != 0 || pipe2(out.data(), O_CLOEXEC) != 0 || pipe2(errors.data(), O_CLOEXEC) != 0)
    throw Refusal{"the machine has no more descriptors"};
  const pid_t pid = fork();
  if (pid == 0) become(spec, {in[0], out[1], errors[1]});
  for (const int theirs : {in[0], out[1], errors[1]}) close(theirs);
  if (pid < 0) throw Refusal{"the machine starts no more processes"};
  host.input = real::Descriptor(in[1]);
  host.output = real::Descriptor(out[0]);
  host.errors = real::Descriptor(errors[0]);
  for (const int ours : {out[0], errors[0]}) fcntl(ours, F_SETFL, O_NONBLOCK);
  if (spec.input.empty()) host.input.close();
  int status = 0;
  while (waitpid(pid, &status, __WALL) < 0 && errno == EINTR) continue;
  constexpr long options = PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACEEXEC |
                           PTRACE_O_TRACESECCOMP | PTRACE_O_EXITKILL | PTRACE_O_TRACESYSGOOD;
  if (!WIFSTOPPED(status) || ptrace(PTRACE_SETOPTIONS, pid, nullptr, options) != 0)
    throw Refusal{"the machine does not allow to trace a program"};
  return pid;
}

}  // namespace lockproof::tracer
