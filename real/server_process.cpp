// SPDX-License-Identifier: Apache-2.0
#include "real/server_process.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <hiredis/hiredis.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <time.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>
#include <vector>

#include "real/run.hpp"
#include "real/world_time.hpp"

namespace lockproof::real {
namespace {

constexpr int starts_max = 5;  // another program may take the free port before the server does
constexpr std::int64_t start_ns_max = 10'000'000'000;

std::string find_server() {
  const char* path = std::getenv("PATH");
  std::string_view rest = path ? path : "/usr/bin:/bin";
  while (!rest.empty()) {
    const std::string_view folder = rest.substr(0, rest.find(':'));
    rest.remove_prefix(std::min(folder.size() + 1, rest.size()));
    const std::string program = fmt::format("{}/redis-server", folder);
    if (::access(program.c_str(), X_OK) == 0) return program;
  }
  throw BadEnvironment("there is no redis-server in PATH; on Debian: apt-get install redis-server");
}

/// Beside the program itself, or where it was built.
std::string find_shim() {
  std::error_code ignored;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", ignored);
  const std::string beside = self.parent_path() / "liblockproof-clock.so";
  for (const std::string& place : {beside, std::string(LOCKPROOF_CLOCK_SHIM)}) {
    if (::access(place.c_str(), R_OK) == 0) return place;
  }
  throw BadEnvironment("liblockproof-clock.so is not beside lockproof; build the target lockproof_clock");
}

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
  return ntohs(address.sin_port);
}

std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> list;
  for (std::string& s : strings) list.push_back(s.data());
  list.push_back(nullptr);
  return list;
}

void nap() {
  const timespec half_a_millisecond{0, 500'000};
  ::nanosleep(&half_a_millisecond, nullptr);
}

using ReplyPointer = std::unique_ptr<redisReply, decltype(&freeReplyObject)>;

ReplyPointer ask(redisContext& context, std::vector<const char*> words) {
  return {static_cast<redisReply*>(
              redisCommandArgv(&context, static_cast<int>(words.size()), words.data(), nullptr)),
          &freeReplyObject};
}

}  // namespace

void ServerProcess::Disconnect::operator()(redisContext* context) const { redisFree(context); }

ServerProcess::ServerProcess(std::string name, Janitor& janitor, std::int64_t wall_us, std::int64_t scale)
    : name_(std::move(name)), janitor_(janitor), clock_(wall_us, scale) {
  spawn();
}

ServerProcess::~ServerProcess() = default;

void ServerProcess::spawn() {
  const std::string program = find_server();
  port_ = free_port();
  std::vector<std::string> arguments{
      "redis-server", "--port", std::to_string(port_), "--bind", "127.0.0.1", "--daemonize", "no", "--databases", "1",
      "--save", "", "--appendonly", "no", "--dir", janitor_.folder(), "--logfile",
      fmt::format("{}/{}.log", janitor_.folder(), name_), "--enable-debug-command", "local",
      "--notify-keyspace-events", "KEA", "--client-output-buffer-limit", "pubsub 0 0 0"};
  std::vector<std::string> environment{fmt::format("LD_PRELOAD={}", find_shim()),
                                       fmt::format("{}={}", LOCKPROOF_CLOCK_VARIABLE, clock_.descriptor()), "TZ=UTC"};
  const auto argv = pointers(arguments);
  const auto envp = pointers(environment);

  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid < 0) throw BadEnvironment(fmt::format("cannot start a process: {}", std::strerror(errno)));
  if (pid == 0) {
    die_with_parent(parent);
    ::signal(SIGPIPE, SIG_DFL);
    const int nothing = ::open("/dev/null", O_RDWR);
    for (const int standard : {0, 1, 2}) ::dup2(nothing, standard);
    ::fcntl(clock_.descriptor(), F_SETFD, 0);
    ::execve(program.c_str(), argv.data(), envp.data());
    ::_exit(70);
  }
  process_ = std::make_unique<ChildProcess>(pid);
  janitor_.watch(pid);
}

bool ServerProcess::connect() {
  control_.reset(redisConnectWithTimeout("127.0.0.1", port_, timeval{1, 0}));
  if (!control_ || control_->err) return false;
  redisSetTimeout(control_.get(), timeval{5, 0});
  // The answer must be our own server's: somebody else may have been quicker to take the port.
  const ReplyPointer info = ask(*control_, {"INFO", "server"});
  if (!info || info->type != REDIS_REPLY_STRING) return false;
  const std::string own = fmt::format("process_id:{}\r", process_->pid());
  return std::string_view(info->str, info->len).find(own) != std::string_view::npos;
}

void ServerProcess::await_ready() {
  const std::int64_t give_up = machine_ns() + start_ns_max;
  for (int starts = 1; !connect(); nap()) {
    if (!process_->alive()) {
      if (starts++ == starts_max) throw BadEnvironment(fmt::format("{} does not start; {}", name_, last_words()));
      spawn();
    }
    if (machine_ns() > give_up) throw BadEnvironment(fmt::format("{} does not answer; {}", name_, last_words()));
  }
  // Keys then expire when they are looked at, as in the simulator; no client can tell the difference.
  const ReplyPointer lazy = ask(*control_, {"DEBUG", "SET-ACTIVE-EXPIRE", "0"});
  if (!lazy || lazy->type != REDIS_REPLY_STATUS) {
    throw BadEnvironment(fmt::format("{} refuses DEBUG SET-ACTIVE-EXPIRE; redis-server 7.0 or later is needed", name_));
  }
}

bool ServerProcess::mark(const std::string& word) {
  if (!control_ || !process_->alive()) return false;
  const ReplyPointer echoed = ask(*control_, {"ECHO", word.c_str()});
  return echoed != nullptr;
}

std::string ServerProcess::last_words() const {
  std::ifstream log(fmt::format("{}/{}.log", janitor_.folder(), name_));
  const std::string text{std::istreambuf_iterator<char>(log), {}};
  if (text.empty()) return "its log is empty";
  return fmt::format("its log ends with:\n{}", text.substr(text.size() > 600 ? text.size() - 600 : 0));
}

}  // namespace lockproof::real
