// SPDX-License-Identifier: Apache-2.0
#include "real/os/captured_program.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "real/errors.hpp"
#include "real/os/child_process.hpp"
#include "real/os/descriptor.hpp"

namespace lockproof::real {
namespace {

constexpr const char* own_program = "/proc/self/exe";
constexpr int of_signal = 128;

struct Stream {
  Descriptor from;
  std::string* into;
};

/// Closes a stream that has ended.
void read_some(Stream& stream) {
  char bytes[65536];
  const auto count = ::read(stream.from.get(), bytes, sizeof bytes);
  if (count > 0) stream.into->append(bytes, static_cast<std::size_t>(count));
  if (count == 0 || (count < 0 && errno != EINTR)) stream.from.close();
}

void read_all(Stream& one, Stream& other) {
  while (one.from.open() || other.from.open()) {
    pollfd look[] = {{one.from.get(), POLLIN, 0}, {other.from.get(), POLLIN, 0}};
    if (::poll(look, 2, -1) < 0) continue;
    if (look[0].revents != 0) read_some(one);
    if (look[1].revents != 0) read_some(other);
  }
}

[[noreturn]] void become(std::vector<char*>& argv, int output, int errors) {
  const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  ::dup2(nothing, STDIN_FILENO);
  ::dup2(output, STDOUT_FILENO);
  ::dup2(errors, STDERR_FILENO);
  ::execv(own_program, argv.data());
  ::_exit(of_signal - 1);
}

}  // namespace

CapturedRun run_again(const std::vector<std::string>& words) {
  std::vector<std::string> all{"lockproof"};
  all.insert(all.end(), words.begin(), words.end());
  std::vector<char*> argv;
  for (std::string& word : all) argv.push_back(word.data());
  argv.push_back(nullptr);
  Pipe output = make_pipe(), errors = make_pipe();
  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid < 0) throw BadEnvironment(fmt::format("cannot start a process: {}", std::strerror(errno)));
  if (pid == 0) {
    die_with_parent(parent);
    become(argv, output.write_end.get(), errors.write_end.get());
  }
  output.write_end.close();
  errors.write_end.close();
  CapturedRun run;
  Stream printed{std::move(output.read_end), &run.output}, complained{std::move(errors.read_end), &run.errors};
  read_all(printed, complained);
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  run.status = WIFEXITED(status) ? WEXITSTATUS(status) : of_signal + WTERMSIG(status);
  return run;
}

}  // namespace lockproof::real
