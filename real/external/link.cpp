// SPDX-License-Identifier: Apache-2.0
#include "real/external/link.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <hiredis/hiredis.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "real/clock/world_time.hpp"
#include "real/services/redis/bounded_reader.hpp"
#include "real/services/redis/hiredis_reply.hpp"

namespace lockproof::real {
namespace {

constexpr timeval time_allowed{ExternalLink::time_allowed_ms / 1000, ExternalLink::time_allowed_ms % 1000 * 1000};
constexpr std::string_view ping = "*1\r\n$4\r\nPING\r\n";
constexpr std::size_t line_most = 200;

}  // namespace

ExternalLink::ExternalLink() = default;
ExternalLink::~ExternalLink() = default;
void ExternalLink::Disconnect::operator()(redisContext* context) const { redisFree(context); }
void ExternalLink::Free::operator()(redisReply* reply) const { freeReplyObject(reply); }

std::string ExternalLink::connect(const Endpoint& endpoint) {
  context_.reset(endpoint.port ? redisConnectWithTimeout(endpoint.address.c_str(), endpoint.port, time_allowed)
                               : redisConnectUnixWithTimeout(endpoint.address.c_str(), time_allowed));
  if (!context_) return "there is no memory for a connection";
  if (context_->err) {
    std::string why = context_->errstr;
    context_.reset();
    return why;
  }
  redisSetTimeout(context_.get(), time_allowed);
  bound(*context_->reader);
  return {};
}

ExternalLink::Answer ExternalLink::first_answer() {
  Answer answer;
  if (!context_) return {Answer::Kind::closed, {}};
  const std::int64_t begin = machine_ns(), give_up = begin + std::int64_t{time_allowed_ms} * 1'000'000;
  if (!write_all(context_->fd, ping.data(), ping.size())) return {Answer::Kind::closed, {}};
  while (answer.text.find('\n') == std::string::npos && answer.text.size() < line_most) {
    const std::int64_t left_ms = (give_up - machine_ns()) / 1'000'000;
    pollfd ready{context_->fd, POLLIN, 0};
    if (left_ms <= 0 || ::poll(&ready, 1, static_cast<int>(left_ms)) == 0) break;
    char byte = 0;  // one by one: the bytes behind the line are for hiredis
    const auto count = ::recv(context_->fd, &byte, 1, 0);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) {
      if (answer.text.empty()) answer.kind = Answer::Kind::closed;
      break;
    }
    answer.text += byte;
  }
  if (answer.text.empty()) return answer;
  answer.kind = Answer::Kind::line;
  answer.text.erase(std::min(answer.text.find_first_of("\r\n"), answer.text.size()));
  return answer;
}

/// The next reply; nothing: see `trouble`. One deadline for all of it, however slowly it comes.
std::unique_ptr<redisReply, ExternalLink::Free> ExternalLink::answer(std::int64_t give_up) {
  redisReader& reader = *context_->reader;
  std::size_t read = 0;
  for (;;) {
    void* reply = nullptr;
    if (redisReaderGetReply(&reader, &reply) != REDIS_OK) {
      trouble_ = fmt::format("it answers what is no reply of Redis's protocol, or none that is asked for: {}",
                             reader.err == REDIS_ERR_OOM ? "an array with too many items" : reader.errstr);
      return nullptr;
    }
    if (reply) return std::unique_ptr<redisReply, Free>(static_cast<redisReply*>(reply));
    if (is_too_large(reader, read)) {
      trouble_ = fmt::format("it sends more than {} kB for one answer", answer_most >> 10);
      return nullptr;
    }
    const std::int64_t left_ms = (give_up - machine_ns()) / 1'000'000;
    pollfd ready{context_->fd, POLLIN, 0};
    if (left_ms <= 0 || ::poll(&ready, 1, static_cast<int>(left_ms)) == 0) {
      trouble_ = fmt::format("it has not answered, or not to the end, within {} s", time_allowed_ms / 1000);
      return nullptr;
    }
    std::array<char, 16384> bytes{};
    const auto count = ::recv(context_->fd, bytes.data(), bytes.size(), 0);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) {
      trouble_ = "it ended the connection before it had answered";
      return nullptr;
    }
    read += static_cast<std::size_t>(count);
    redisReaderFeed(&reader, bytes.data(), static_cast<std::size_t>(count));
  }
}

std::optional<Reply> ExternalLink::ask(const std::vector<std::string>& words) {
  if (!context_) return std::nullopt;
  std::vector<const char*> pointers;
  std::vector<std::size_t> sizes;
  for (const std::string& word : words) {
    pointers.push_back(word.data());
    sizes.push_back(word.size());
  }
  const std::int64_t begin = machine_ns();
  redisAppendCommandArgv(context_.get(), static_cast<int>(words.size()), pointers.data(), sizes.data());
  int sent = 0;
  while (!sent && redisBufferWrite(context_.get(), &sent) == REDIS_OK) {
  }
  trouble_ = "it ended the connection";
  const auto reply = sent ? answer(begin + std::int64_t{time_allowed_ms} * 1'000'000) : nullptr;
  if (!reply) {
    context_.reset();
    return std::nullopt;
  }
  trouble_.clear();
  quickest_us_ = std::min(quickest_us_, (machine_ns() - begin) / 1000);
  return reply_from(*reply);
}

std::optional<Reply> ExternalLink::ask(const Command& command) {
  std::vector<std::string> words;
  for (const Value& word : command.args()) words.push_back(word.bytes());
  return ask(words);
}

HostAddresses resolve(const std::string& host) {
  addrinfo wanted{};
  wanted.ai_socktype = SOCK_STREAM;
  addrinfo* first = nullptr;
  const int failed = ::getaddrinfo(host.c_str(), nullptr, &wanted, &first);
  if (failed) return {{}, ::gai_strerror(failed)};
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> all(first, &::freeaddrinfo);
  HostAddresses resolved;
  for (const addrinfo* one = first; one; one = one->ai_next) {
    char number[NI_MAXHOST] = "";
    if (::getnameinfo(one->ai_addr, one->ai_addrlen, number, sizeof number, nullptr, 0, NI_NUMERICHOST) != 0) continue;
    resolved.numbers.emplace_back(number);
  }
  if (resolved.numbers.empty()) resolved.trouble = "it has no address";
  return resolved;
}

Descriptor dial(const Endpoint& endpoint) {
  sockaddr_storage storage{};
  auto* const generic = reinterpret_cast<sockaddr*>(&storage);
  auto* const four = reinterpret_cast<sockaddr_in*>(&storage);
  auto* const six = reinterpret_cast<sockaddr_in6*>(&storage);
  auto* const local = reinterpret_cast<sockaddr_un*>(&storage);
  const auto port = htons(static_cast<std::uint16_t>(endpoint.port));
  socklen_t size = 0;
  if (endpoint.port == 0) {
    local->sun_family = AF_UNIX;
    endpoint.address.copy(local->sun_path, sizeof local->sun_path - 1);
    size = sizeof *local;
  } else if (::inet_pton(AF_INET, endpoint.address.c_str(), &four->sin_addr) == 1) {
    four->sin_family = AF_INET;
    four->sin_port = port;
    size = sizeof *four;
  } else if (::inet_pton(AF_INET6, endpoint.address.c_str(), &six->sin6_addr) == 1) {
    six->sin6_family = AF_INET6;
    six->sin6_port = port;
    size = sizeof *six;
  }
  Descriptor socket(::socket(storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (size == 0 || !socket.open()) return {};
  if (::connect(socket.get(), generic, size) != 0 && errno != EINPROGRESS) return {};
  return socket;
}

}  // namespace lockproof::real
