// SPDX-License-Identifier: Apache-2.0
#include "real/services/server_program.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <grp.h>
#include <netinet/in.h>
#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>

#include "real/clock/shim_file.hpp"
#include "real/clock/world_time.hpp"
#include "real/errors.hpp"
#include "real/os/descriptor.hpp"

namespace lockproof::real {
namespace {

constexpr std::int64_t version_ns_max = 5'000'000'000;
constexpr std::size_t version_most = 500;  // bytes
constexpr std::int64_t run_ns_max = 60'000'000'000;

std::string found_in_path(const ServerProgram& program) {
  const char* path = std::getenv("PATH");
  const std::string folders = fmt::format("{}:{}", path ? path : "/usr/bin:/bin", program.folder);
  std::string_view rest = folders;
  while (!rest.empty()) {
    const std::string_view folder = rest.substr(0, rest.find(':'));
    rest.remove_prefix(std::min(folder.size() + 1, rest.size()));
    std::string found = fmt::format("{}/{}", folder, program.name);
    if (::access(found.c_str(), X_OK) == 0) return found;
  }
  throw BadEnvironment(
      fmt::format("there is no {} in PATH; on Debian: apt-get install {}", program.name, program.package));
}

std::string path_of(const ServerProgram& program) {
  if (program.path.empty()) return found_in_path(program);
  struct stat kind {};
  if (::stat(program.path.c_str(), &kind) != 0 || ::access(program.path.c_str(), X_OK) != 0) {
    throw BadEnvironment(fmt::format("cannot run '{}': {}", program.path, std::strerror(errno)));
  }
  if (!S_ISREG(kind.st_mode)) {
    throw BadEnvironment(fmt::format("'{}' is no file; give the path of a {} program", program.path, program.name));
  }
  return program.path;
}

/// The user that root starts it as; null: ours.
const passwd* user_of(const ServerProgram& program) {
  if (program.user.empty() || ::geteuid() != 0) return nullptr;
  const passwd* const user = ::getpwnam(program.user.c_str());
  if (!user) {
    throw BadEnvironment(fmt::format("{} does not run as root, and there is no user {}; on Debian: apt-get install {}",
                                     program.name, program.user, program.package));
  }
  return user;
}

/// In a child just forked. A new user ends what the kernel was told to do when the parent dies, so this comes first.
void become(const passwd* user) {
  if (!user) return;
  if (::setgroups(0, nullptr) != 0 || ::setgid(user->pw_gid) != 0 || ::setuid(user->pw_uid) != 0) ::_exit(70);
}

std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> list;
  for (std::string& s : strings) list.push_back(s.data());
  list.push_back(nullptr);
  return list;
}

/// In a child just forked: reads nothing, and prints there.
void redirect_standard(int output) {
  const int nothing = ::open("/dev/null", O_RDWR);
  ::dup2(nothing, 0);
  for (const int standard : {1, 2}) ::dup2(output < 0 ? nothing : output, standard);
}

/// Forks: the child reads nothing, prints to `output`, ends when its parent does, and becomes what `exec` makes of it.
template <class Exec>
pid_t start(const passwd* user, const Descriptor& output, Exec exec) {
  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid < 0) throw BadEnvironment(fmt::format("cannot start a process: {}", std::strerror(errno)));
  if (pid > 0) return pid;
  become(user);
  die_with_parent(parent);
  ::signal(SIGPIPE, SIG_DFL);
  redirect_standard(output.get());
  exec();
  ::_exit(70);
}

std::string first_line(int descriptor) {
  std::string text;
  const std::int64_t give_up = machine_ns() + version_ns_max;
  while (text.find('\n') == std::string::npos && text.size() < version_most) {
    const std::int64_t left_ms = (give_up - machine_ns()) / 1'000'000;
    pollfd ready{descriptor, POLLIN, 0};
    if (left_ms <= 0 || ::poll(&ready, 1, static_cast<int>(left_ms)) <= 0) break;
    char bytes[256];
    const auto count = ::read(descriptor, bytes, sizeof bytes);
    if (count <= 0) break;
    text.append(bytes, static_cast<std::size_t>(count));
  }
  return text.substr(0, text.find('\n'));
}

}  // namespace

int free_port() {
  const Descriptor probe(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  socklen_t size = sizeof address;
  if (!probe.open() || ::bind(probe.get(), generic, size) != 0 || ::getsockname(probe.get(), generic, &size) != 0) {
    throw BadEnvironment(fmt::format("no free port on 127.0.0.1: {}", std::strerror(errno)));
  }
  // Nobody listens there, and a loopback that is up says so at once.
  const Descriptor visitor(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (::connect(visitor.get(), generic, size) != 0 && errno != ECONNREFUSED && errno != EINPROGRESS) {
    throw BadEnvironment(
        fmt::format("127.0.0.1 cannot be reached: {}; is the loopback interface up?", std::strerror(errno)));
  }
  return ntohs(address.sin_port);
}

namespace {

/// `kept`: descriptors that it inherits.
std::unique_ptr<ChildProcess> spawn(const ServerProgram& program, std::vector<std::string> arguments,
                                    std::vector<std::string> environment, const std::vector<int>& kept,
                                    Janitor& janitor, const std::string& log) {
  const std::string path = path_of(program);
  if (!program.folder.empty()) arguments.at(0) = path;  // it looks for the other programs of its package by that
  environment.emplace_back("TZ=UTC");
  const auto argv = pointers(arguments);
  const auto envp = pointers(environment);
  Descriptor output;
  if (!log.empty()) output = Descriptor(::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));

  const pid_t pid = start(user_of(program), output, [&] {
    for (const int one : kept) ::fcntl(one, F_SETFD, 0);
    ::execve(path.c_str(), argv.data(), envp.data());
  });
  auto process = std::make_unique<ChildProcess>(pid);
  janitor.watch(pid);
  return process;
}

/// By its number, since LD_PRELOAD takes a space or a colon in a path for the end of it.
std::string preload(const Descriptor& shim) { return fmt::format("LD_PRELOAD=/proc/self/fd/{}", shim.get()); }

}  // namespace

std::unique_ptr<ChildProcess> spawn_server(const ServerProgram& program, std::vector<std::string> arguments,
                                           const ClockPage& clock, Janitor& janitor, const std::string& log) {
  const Descriptor shim = open_server_shim();
  return spawn(program, std::move(arguments),
               {preload(shim), fmt::format("{}={}", LOCKPROOF_CLOCK_VARIABLE, clock.descriptor())},
               {clock.descriptor(), shim.get()}, janitor, log);
}

std::unique_ptr<ChildProcess> spawn_server(const ServerProgram& program, std::vector<std::string> arguments,
                                           Janitor& janitor, const std::string& log) {
  return spawn(program, std::move(arguments), {}, {}, janitor, log);
}

void give_to_user_of(const ServerProgram& program, const std::string& path) {
  const passwd* const user = user_of(program);
  if (user && ::chown(path.c_str(), user->pw_uid, user->pw_gid) != 0) {
    throw BadEnvironment(fmt::format("cannot give {} to {}: {}", path, program.user, std::strerror(errno)));
  }
}

void run_program(const ServerProgram& program, std::vector<std::string> arguments, Janitor& janitor,
                 const std::string& log) {
  const Descriptor shim = open_server_shim();  // without a page: for what it would leave behind, if it is killed
  const auto process = spawn(program, std::move(arguments), {preload(shim)}, {shim.get()}, janitor, log);
  const std::int64_t give_up = machine_ns() + run_ns_max;
  while (process->alive() && machine_ns() < give_up) nap();
  const bool late = process->alive();
  if (!late && !process->trouble()) return;
  throw BadEnvironment(fmt::format("{} {}; {}", program.name, late ? "does not end" : *process->trouble(),
                                   last_words(std::filesystem::path(log).parent_path())));
}

std::string last_words(const std::string& folder) {
  std::ifstream log(folder + "/log");
  const std::string text{std::istreambuf_iterator<char>(log), {}};
  if (text.empty()) return "its log is empty";
  return fmt::format("its log ends with:\n{}", text.substr(text.size() > 600 ? text.size() - 600 : 0));
}

std::string version_line(const ServerProgram& program, std::vector<std::string> arguments) {
  const std::string path = path_of(program);
  Pipe output = make_pipe();
  arguments.insert(arguments.begin(), program.folder.empty() ? program.name : path);
  const auto argv = pointers(arguments);
  const pid_t pid = start(nullptr, output.write_end, [&] { ::execv(path.c_str(), argv.data()); });
  ChildProcess asked(pid);
  output.write_end.close();
  std::string line = first_line(output.read_end.get());
  if (line.empty()) {
    throw BadEnvironment(fmt::format("'{}' is no {}: it says nothing of its version", path, program.name));
  }
  return line;
}

void nap() {
  const timespec half_a_millisecond{0, 500'000};
  ::nanosleep(&half_a_millisecond, nullptr);
}

}  // namespace lockproof::real
