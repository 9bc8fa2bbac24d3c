// SPDX-License-Identifier: Apache-2.0
#include "real/program/keeper.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <utility>

#include "real/errors.hpp"
#include "real/os/child_process.hpp"

namespace lockproof::real {
namespace {

constexpr int look_ms = 50;

std::string content(const std::string& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::string text;
  char bytes[4096];
  for (long count = 0; file.open() && (count = ::read(file.get(), bytes, sizeof bytes)) > 0;) {
    text.append(bytes, static_cast<std::size_t>(count));
  }
  return text;
}

/// The children of all threads of a process: a child belongs to the thread that made it.
std::vector<pid_t> children_of(pid_t parent) {
  std::vector<pid_t> children;
  std::string text;
  std::error_code gone;
  for (const auto& thread : std::filesystem::directory_iterator(fmt::format("/proc/{}/task", parent), gone)) {
    text += content(thread.path().string() + "/children");
  }
  for (const char *at = text.data(), *end = at + text.size(); at < end;) {
    pid_t child = 0;
    const auto [next, failed] = std::from_chars(at, end, child);
    if (failed != std::errc()) break;
    children.push_back(child);
    at = next + 1;
  }
  return children;
}

/// Orphans become children of this process, so in the end nothing is left.
void kill_all() {
  for (;;) {
    for (const pid_t child : processes_below(::getpid())) ::kill(child, SIGKILL);
    int status = 0;
    if (::waitpid(-1, &status, 0) < 0 && errno == ECHILD) return;
  }
}

void limit(int resource, rlim_t most) {
  const rlimit both{most, most};
  ::setrlimit(static_cast<__rlimit_resource>(resource), &both);
}

std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> list;
  for (std::string& s : strings) list.push_back(s.data());
  list.push_back(nullptr);
  return list;
}

[[noreturn]] void become(Start start, int input, int output, int errors, int news) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::setsid();
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_FSIZE, file_most);
  limit(RLIMIT_DATA, memory_most);
  for (const int to_default : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE}) ::signal(to_default, SIG_DFL);
  auto arguments = pointers(start.arguments), environment = pointers(start.environment);
  const bool there =
      ::chdir(start.folder.c_str()) == 0 && (!start.fixed_addresses || ::personality(ADDR_NO_RANDOMIZE) != -1);
  ::dup2(input, 0);
  ::dup2(output, 1);
  ::dup2(errors, 2);
  for (const int kept : start.inherited) ::fcntl(kept, F_SETFD, 0);
  if (there) ::execve(start.path.c_str(), arguments.data(), environment.data());
  const std::string why = fmt::format("!{}\n", std::strerror(errno));
  write_all(news, why.data(), why.size());
  ::_exit(127);
}

std::string end_of(int status) {
  if (WIFSIGNALED(status))
    return fmt::format("was ended by signal {} ({})", WTERMSIG(status), ::strsignal(WTERMSIG(status)));
  return fmt::format("ended by itself, with status {}", WEXITSTATUS(status));
}

/// Until lockproof lets go. Tells how the program has ended, and ends one that starts too much.
void watch(pid_t program, int hold, int news) {
  const auto tell = [&](const std::string& line) { write_all(news, line.data(), line.size()); };
  for (bool told = false;;) {
    pollfd let_go{hold, POLLIN, 0};
    if (::poll(&let_go, 1, look_ms) > 0) return;
    int status = 0;
    for (pid_t ended; (ended = ::waitpid(-1, &status, WNOHANG)) > 0;) {
      if (ended == program && !std::exchange(told, true)) tell(end_of(status) + "\n");
    }
    if (processes_below(::getpid()).size() <= static_cast<std::size_t>(processes_most)) continue;
    if (!std::exchange(told, true))
      tell(fmt::format("started more than {} processes, and was ended\n", processes_most));
    kill_all();
  }
}

[[noreturn]] void keep_it(const Start& start, int input, int output, int errors, int hold, int news) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  for (const int deaf_to : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE}) ::signal(deaf_to, SIG_IGN);
  std::vector<int> kept = start.inherited;
  kept.insert(kept.end(), {input, output, errors, hold, news});
  close_descriptors(3, std::move(kept));
  const pid_t program = ::fork();
  if (program == 0) become(start, input, output, errors, news);
  const std::string line = program > 0 ? fmt::format("{}\n", program) : fmt::format("!{}\n", std::strerror(errno));
  for (const int end : {input, output, errors}) ::close(end);
  for (const int end : start.inherited) ::close(end);
  write_all(news, line.data(), line.size());
  if (program > 0) watch(program, hold, news);
  kill_all();
  ::_exit(0);
}

std::string line_from(int fd) {
  std::string line;
  for (char c = 0;;) {
    const auto count = ::read(fd, &c, 1);
    if (count < 0 && errno == EINTR) continue;
    if (count != 1 || c == '\n') return line;
    line += c;
  }
}

}  // namespace

std::vector<pid_t> processes_below(pid_t ancestor) {
  std::vector<pid_t> all = children_of(ancestor);
  for (std::size_t i = 0; i < all.size() && all.size() < 10'000; ++i) {
    for (const pid_t child : children_of(all[i])) all.push_back(child);
  }
  return all;
}

KeeperEnds keep(const Start& start) {
  Pipe hold = make_pipe(), news = make_pipe(), input = make_pipe(), output = make_pipe(), errors = make_pipe();
  const pid_t keeper = ::fork();
  if (keeper < 0) throw BadEnvironment(fmt::format("cannot start a process: {}", std::strerror(errno)));
  if (keeper == 0) {
    keep_it(start, input.read_end.get(), output.write_end.get(), errors.write_end.get(), hold.read_end.get(),
            news.write_end.get());
  }
  news.write_end.close();
  KeeperEnds kept{keeper,
                  0,
                  std::move(hold.write_end),
                  std::move(news.read_end),
                  std::move(input.write_end),
                  std::move(output.read_end),
                  std::move(errors.read_end)};
  const std::string line = line_from(kept.news.get());
  if (line.starts_with('!')) throw BadEnvironment(fmt::format("cannot run {}: {}", start.path, line.substr(1)));
  std::from_chars(line.data(), line.data() + line.size(), kept.program);
  if (kept.program <= 0) throw BadEnvironment(fmt::format("cannot start {}", start.path));
  for (const Descriptor* end : {&kept.news, &kept.input, &kept.output, &kept.errors}) {
    ::fcntl(end->get(), F_SETFL, O_NONBLOCK);
  }
  return kept;
}

void end_all(KeeperEnds& kept) {
  kept.hold.close();
  for (pid_t ended = 0; ended == 0 || (ended < 0 && errno == EINTR);) {
    ::kill(kept.keeper, SIGCONT);  // the program may have stopped its parent
    ended = ::waitpid(kept.keeper, nullptr, WNOHANG);
    if (ended == 0) ::poll(nullptr, 0, 1);
  }
}

}  // namespace lockproof::real
