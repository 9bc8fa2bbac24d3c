// SPDX-License-Identifier: Apache-2.0
#include "real/services/zookeeper/zookeeper_store.hpp"

#include <charconv>
#include <utility>

namespace lockproof::real {
namespace {

constexpr int server_bits = 56;       // an id of a session has its server's number above them
constexpr std::int64_t opening = -1;  // no number of a session
constexpr milliseconds any_timeout(1000);

std::int64_t session_named_in(const Command& command) {
  std::int64_t number = 0;
  if (command.args().size() < 2) return number;
  const std::string& digits = command.args()[1].bytes();
  std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return number;
}

bool opens(const Command& command) { return command.verb() == "CONNECT"; }

}  // namespace

std::int64_t SessionNumbers::of(std::int64_t id) const {
  const auto servers = static_cast<std::int64_t>(before.size());
  const std::int64_t server = servers == 1 ? 0 : (id >> server_bits) - 1;
  if (server < 0 || server >= servers) return 0;
  return (id - before[static_cast<std::size_t>(server)] - 1) * servers + server + 1;
}

std::int64_t SessionNumbers::id_of(std::int64_t number) const {
  const auto servers = static_cast<std::int64_t>(before.size());
  const std::int64_t server = ((number - 1) % servers + servers) % servers;
  return before[static_cast<std::size_t>(server)] + 1 + (number - 1 - server) / servers;
}

ZooKeeperStore::ZooKeeperStore(EventLoop& loop, Route route, CallTimeouts timeouts, Witness& witness,
                               const Codec& codec, SessionNumbers numbers)
    : SocketStore(loop, std::move(route), timeouts, witness, codec), numbers_(std::move(numbers)) {}

int ZooKeeperStore::connect() {
  of_.reset();
  goes_on_ = false;
  return SocketStore::connect();
}

int ZooKeeperStore::introductions(const Command& first) const { return opens(first) ? 0 : 1; }

/// A session that is being opened has no number yet, and so a command that names one is of another session.
bool ZooKeeperStore::carries(const Command& command) const {
  return !of_ || (!opens(command) && *of_ == session_named_in(command));
}

/// The server does not know one that was not opened here by its password, and says that it has ended.
ZooKeeperStore::Session ZooKeeperStore::session(std::int64_t number) const {
  const auto known = sessions_.find(number);
  return known == sessions_.end() ? Session{{numbers_.id_of(number), {}}, any_timeout} : known->second;
}

std::string ZooKeeperStore::encode(const Command& command) {
  if (opens(command)) {
    of_ = opening;
    const std::int64_t speedup = timeouts_.speedup;
    return handshake(milliseconds((session_named_in(command) + speedup - 1) / speedup));
  }
  std::string bytes;
  if (!of_) {
    of_ = session_named_in(command);
    goes_on_ = true;
    const Session with = session(*of_);
    bytes = handshake(with.timeout, with.key);
  }
  return bytes + request_of(command, ++requests_);
}

/// A server that knows no such session any more answers the handshake, and nothing behind it.
bool ZooKeeperStore::takes(const std::string& message) {
  if (goes_on_) {
    goes_on_ = false;
    const auto welcome = welcome_in(message);
    if (welcome && welcome->session.id != 0) return true;
    answer_all(Reply::error(welcome ? "SESSIONEXPIRED" : "what came is no answer to a handshake"));
    close();
    return true;
  }
  const auto node = told_in(message);
  if (!node) return false;
  witness_.news(route().server, *node);
  news_.came(*node);
  return true;
}

Reply ZooKeeperStore::reply_to(const Command& command, const std::string& message) {
  if (!opens(command)) return SocketStore::reply_to(command, message);
  const auto welcome = welcome_in(message);
  if (!welcome || welcome->session.id == 0) return Reply::error("what came is no session");
  of_ = numbers_.of(welcome->session.id);
  sessions_[*of_] = {welcome->session, welcome->timeout};
  return Reply::array({Reply::integer(*of_), Reply::integer(welcome->timeout.count() * timeouts_.speedup)});
}

Task<bool> ZooKeeperStore::message(Name channel, Mono until) {
  if (news_.take(channel.bytes())) co_return true;
  News::Wait wait(news_, channel.bytes(), within_attempt(until), clock());
  const bool came = co_await wait;
  co_return came;
}

}  // namespace lockproof::real
