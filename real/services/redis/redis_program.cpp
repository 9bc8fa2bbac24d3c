// SPDX-License-Identifier: Apache-2.0
#include "real/services/redis/redis_program.hpp"

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
#include <fstream>
#include <iterator>

#include "real/errors.hpp"
#include "real/os/program_files.hpp"
#include "real/services/redis/hiredis_reply.hpp"

namespace lockproof::real {
namespace {

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

Descriptor open_shim() {
  const std::string path = program_file("liblockproof-clock.so", "../lib/lockproof/liblockproof-clock.so");
  Descriptor shim(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!shim.open()) throw BadEnvironment(fmt::format("cannot read {}: {}", path, std::strerror(errno)));
  return shim;
}

std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> list;
  for (std::string& s : strings) list.push_back(s.data());
  list.push_back(nullptr);
  return list;
}

using ReplyPointer = std::unique_ptr<redisReply, decltype(&freeReplyObject)>;

ReplyPointer request(redisContext& context, std::vector<const char*> words) {
  return {static_cast<redisReply*>(redisCommandArgv(&context, static_cast<int>(words.size()), words.data(), nullptr)),
          &freeReplyObject};
}

constexpr timeval answers{5, 0}, answers_soon{0, 20'000};

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
  return ntohs(address.sin_port);
}

std::unique_ptr<ChildProcess> spawn_redis(std::vector<std::string> arguments, const ClockPage& clock,
                                          Janitor& janitor) {
  const std::string program = find_server();
  const Descriptor shim = open_shim();
  // By its number, since LD_PRELOAD takes a space or a colon in a path for the end of it.
  std::vector<std::string> environment{fmt::format("LD_PRELOAD=/proc/self/fd/{}", shim.get()),
                                       fmt::format("{}={}", LOCKPROOF_CLOCK_VARIABLE, clock.descriptor()), "TZ=UTC"};
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
    for (const int kept : {clock.descriptor(), shim.get()}) ::fcntl(kept, F_SETFD, 0);
    ::execve(program.c_str(), argv.data(), envp.data());
    ::_exit(70);
  }
  auto process = std::make_unique<ChildProcess>(pid);
  janitor.watch(pid);
  return process;
}

std::string last_words(const std::string& folder) {
  std::ifstream log(folder + "/log");
  const std::string text{std::istreambuf_iterator<char>(log), {}};
  if (text.empty()) return "its log is empty";
  return fmt::format("its log ends with:\n{}", text.substr(text.size() > 600 ? text.size() - 600 : 0));
}

ControlLink::ControlLink() = default;
ControlLink::~ControlLink() = default;
void ControlLink::Disconnect::operator()(redisContext* context) const { redisFree(context); }

bool ControlLink::connect(int port, pid_t pid) {
  context_.reset(redisConnectWithTimeout("127.0.0.1", port, timeval{1, 0}));
  if (!context_ || context_->err) return false;
  redisSetTimeout(context_.get(), answers);
  // The answer must be our own process's: somebody else may have been quicker to take the port.
  const ReplyPointer info = request(*context_, {"INFO"});
  if (!info || info->type != REDIS_REPLY_STRING) return false;
  const std::string_view text(info->str, info->len);
  const bool loads = text.find("\nloading:1\r") != std::string_view::npos;
  return text.find(fmt::format("process_id:{}\r", pid)) != std::string_view::npos && !loads;
}

void ControlLink::close() { context_.reset(); }

std::optional<Reply> ControlLink::ask(const std::vector<std::string>& words) {
  if (!context_) return std::nullopt;
  std::vector<const char*> list;
  for (const std::string& word : words) list.push_back(word.c_str());
  const ReplyPointer reply = request(*context_, list);
  if (!reply) return std::nullopt;
  return reply_from(*reply);
}

std::optional<Reply> ControlLink::ask_soon(const std::vector<std::string>& words) {
  if (!context_) return std::nullopt;
  redisSetTimeout(context_.get(), answers_soon);
  std::optional<Reply> reply = ask(words);
  if (reply) {
    redisSetTimeout(context_.get(), answers);
  } else {
    close();
  }
  return reply;
}

std::optional<std::vector<Reply>> ControlLink::ask_together(const std::vector<std::vector<std::string>>& commands) {
  if (!context_) return std::nullopt;
  for (const std::vector<std::string>& words : commands) {
    std::vector<const char*> list;
    for (const std::string& word : words) list.push_back(word.c_str());
    redisAppendCommandArgv(context_.get(), static_cast<int>(list.size()), list.data(), nullptr);
  }
  std::vector<Reply> replies;
  while (replies.size() < commands.size()) {
    void* raw = nullptr;
    if (redisGetReply(context_.get(), &raw) != REDIS_OK || !raw) return std::nullopt;
    const ReplyPointer reply(static_cast<redisReply*>(raw), &freeReplyObject);
    replies.push_back(reply_from(*reply));
  }
  return replies;
}

void nap() {
  const timespec half_a_millisecond{0, 500'000};
  ::nanosleep(&half_a_millisecond, nullptr);
}

}  // namespace lockproof::real
