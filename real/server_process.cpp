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

#include "real/hiredis_reply.hpp"
#include "real/run.hpp"
#include "real/world_time.hpp"

namespace lockproof::real {
namespace {

constexpr int starts_max = 5;  // another program may take the free port before the server does
constexpr std::int64_t start_ns_max = 10'000'000'000;
constexpr std::int64_t end_ns_max = 3'000'000'000;

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

ReplyPointer request(redisContext& context, std::vector<const char*> words) {
  return {static_cast<redisReply*>(redisCommandArgv(&context, static_cast<int>(words.size()), words.data(), nullptr)),
          &freeReplyObject};
}

}  // namespace

void ServerProcess::Disconnect::operator()(redisContext* context) const { redisFree(context); }

ServerProcess::ServerProcess(std::string name, Janitor& janitor, std::int64_t wall_us, std::int64_t scale,
                             harness::Persistence persistence)
    : name_(std::move(name)), janitor_(janitor), folder_(fmt::format("{}/{}", janitor.folder(), name_)),
      persistence_(persistence), clock_(wall_us, scale) {
  std::filesystem::create_directory(folder_);
  port_ = free_port();
  spawn();
}

ServerProcess::~ServerProcess() = default;

/// Snapshots are made at a shutdown only. A replica's link must not end because scaled clocks, or jumping ones, make it
/// look idle.
std::vector<std::string> ServerProcess::arguments() const {
  using harness::Persistence;
  const bool appends = persistence_ == Persistence::aof_everysec || persistence_ == Persistence::aof_always;
  return {"redis-server",
          "--port",
          std::to_string(port_),
          "--bind",
          "127.0.0.1",
          "--daemonize",
          "no",
          "--databases",
          "1",
          "--save",
          "",
          "--appendonly",
          appends ? "yes" : "no",
          "--appendfsync",
          persistence_ == Persistence::aof_always ? "always" : "everysec",
          "--auto-aof-rewrite-percentage",
          "0",
          "--dir",
          folder_,
          "--logfile",
          folder_ + "/log",
          "--enable-debug-command",
          "local",
          "--hz",
          "100",
          "--notify-keyspace-events",
          "KEA",
          "--client-output-buffer-limit",
          "pubsub 0 0 0 replica 0 0 0",
          "--repl-diskless-sync",
          "no",
          "--repl-timeout",
          "1000000000",
          "--repl-ping-replica-period",
          "1"};
}

void ServerProcess::spawn() {
  const std::string program = find_server();
  std::vector<std::string> arguments = this->arguments();
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
  const ReplyPointer info = request(*control_, {"INFO"});
  if (!info || info->type != REDIS_REPLY_STRING) return false;
  const std::string own = fmt::format("process_id:{}\r", process_->pid());
  const std::string_view text(info->str, info->len);
  return text.find(own) != std::string_view::npos && text.find("\nloading:0\r") != std::string_view::npos;
}

void ServerProcess::await_ready() {
  const std::int64_t give_up = machine_ns() + start_ns_max;
  for (int starts = 1; !connect(); nap()) {
    if (!process_->alive()) {
      if (starts++ == starts_max) throw BadEnvironment(fmt::format("{} does not start; {}", name_, last_words()));
      port_ = free_port();
      spawn();
    }
    if (machine_ns() > give_up) throw BadEnvironment(fmt::format("{} does not answer; {}", name_, last_words()));
  }
  set_up();
}

void ServerProcess::set_up() {
  // Keys then expire when they are looked at, as in the simulator; no client can tell the difference.
  const ReplyPointer lazy = request(*control_, {"DEBUG", "SET-ACTIVE-EXPIRE", "0"});
  if (!lazy || lazy->type != REDIS_REPLY_STATUS) {
    throw BadEnvironment(fmt::format("{} refuses DEBUG SET-ACTIVE-EXPIRE; redis-server 7.0 or later is needed", name_));
  }
}

bool ServerProcess::mark(const std::string& word) {
  if (!control_ || !process_->alive()) return false;
  const ReplyPointer echoed = request(*control_, {"ECHO", word.c_str()});
  return echoed != nullptr;
}

std::optional<Reply> ServerProcess::ask(const std::vector<std::string>& words) {
  if (!control_ || !process_->alive()) return std::nullopt;
  std::vector<const char*> list;
  for (const std::string& word : words) list.push_back(word.c_str());
  const ReplyPointer reply = request(*control_, list);
  if (!reply) return std::nullopt;
  return reply_from(*reply);
}

void ServerProcess::shut_down() {
  process_->go_on();
  const bool saves = persistence_ == harness::Persistence::rdb;
  static_cast<void>(ask({"SHUTDOWN", saves ? "SAVE" : "NOSAVE", "NOW", "FORCE"}));  // its answer is its end
  const std::int64_t give_up = machine_ns() + end_ns_max;
  while (process_->alive() && machine_ns() < give_up) nap();
  process_->kill();
}

void ServerProcess::spawn_again() {
  control_.reset();
  spawn();
}

bool ServerProcess::is_up() {
  if (!process_->alive()) throw BadEnvironment(fmt::format("{} does not start again; {}", name_, last_words()));
  if (!connect()) return false;
  set_up();
  return true;
}

std::string ServerProcess::log_file() const {
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder_ + "/appendonlydir", ignored)) {
    if (entry.path().string().ends_with(".incr.aof")) return entry.path();
  }
  return {};
}

std::int64_t ServerProcess::log_size() const {
  const std::string file = log_file();
  std::error_code none;
  const auto size = file.empty() ? 0 : std::filesystem::file_size(file, none);
  return none ? 0 : static_cast<std::int64_t>(size);
}

void ServerProcess::cut_log(std::int64_t size) const {
  const std::string file = log_file();
  if (!file.empty() && size < log_size()) std::filesystem::resize_file(file, static_cast<std::uintmax_t>(size));
}

std::string ServerProcess::last_words() const {
  std::ifstream log(folder_ + "/log");
  const std::string text{std::istreambuf_iterator<char>(log), {}};
  if (text.empty()) return "its log is empty";
  return fmt::format("its log ends with:\n{}", text.substr(text.size() > 600 ? text.size() - 600 : 0));
}

}  // namespace lockproof::real
