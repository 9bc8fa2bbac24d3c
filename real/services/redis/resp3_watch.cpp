// SPDX-License-Identifier: Apache-2.0
// Looks at keys between two commands, over a connection in RESP3.
#include "real/services/redis/keyspace_events.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <charconv>
#include <cstdint>
#include <string_view>
#include <utility>

#include "real/network/proxy.hpp"
#include "real/os/descriptor.hpp"

namespace lockproof::real {
namespace {

constexpr int answer_ms_most = 500;
constexpr std::string_view channel = "__keyspace@0__:";
constexpr std::int64_t no_key = -2;

/// One value of RESP3, flat: a push, or a number, or anything else.
struct Item {
  std::vector<std::string> push;  // its words, if it is one
  std::int64_t number = 0;
  std::size_t size = 0;  // bytes; 0: it is not complete
};

struct Line {
  char type = 0;
  std::int64_t number = 0;
  std::size_t next = 0;  // where the next begins; 0: it is not complete
};

Line line_at(std::string_view bytes, std::size_t at) {
  const std::size_t end = bytes.find("\r\n", at);
  if (end == std::string_view::npos || end == at) return {};
  Line line{bytes[at], 0, end + 2};
  std::from_chars(bytes.data() + at + 1, bytes.data() + end, line.number);
  return line;
}

/// What servers push and answer here is one level deep, but for HELLO's answer, which is counted through.
Item item_at(std::string_view bytes) {
  Item item;
  std::int64_t left = 1;
  bool is_push = false;
  std::size_t at = 0;
  for (; left > 0; --left) {
    const Line line = line_at(bytes, at);
    if (line.next == 0) return {};
    if (at == 0) item.number = line.number;
    is_push |= at == 0 && line.type == '>';
    at = line.next;
    if (line.type == '*' || line.type == '>' || line.type == '~') left += line.number;
    if (line.type == '%') left += 2 * line.number;
    if (line.type != '$' || line.number < 0) continue;
    const auto length = static_cast<std::size_t>(line.number);
    if (bytes.size() < at + length + 2) return {};
    if (is_push) item.push.emplace_back(bytes.substr(at, length));
    at += length + 2;
  }
  item.size = at;
  return item;
}

class Resp3Watch final : public KeyWatch {
 public:
  explicit Resp3Watch(std::function<int()> port) : port_(std::move(port)) {}

  std::optional<Look> look(const std::string& key, int /*port*/) override {
    for (int tries = 0; tries < 2; ++tries) {  // the server may have ended, and be up again
      if (!connected() && !connect()) return std::nullopt;
      if (const auto ttl = ask({"PTTL", key})) {
        Look look{std::exchange(effects_, {}), *ttl != no_key, std::nullopt};
        if (*ttl >= 0) look.ttl = milliseconds(*ttl);
        return look;
      }
      socket_.close();
      if (timed_out_) return std::nullopt;
    }
    return std::nullopt;
  }

 private:
  [[nodiscard]] bool connected() const { return socket_.open() && port_() == connected_to_; }

  bool connect() {
    connected_to_ = port_();
    socket_ = dial_port(connected_to_);
    unread_.clear();
    if (!socket_.open() || !ask({"HELLO", "3"}) || !send({"PSUBSCRIBE", std::string(channel) + "*"})) return false;
    const bool there = ask({"PING"}).has_value();
    effects_.clear();
    return there;
  }

  bool send(const std::vector<std::string>& words) {
    std::string bytes = "*" + std::to_string(words.size()) + "\r\n";
    for (const std::string& word : words) bytes += "$" + std::to_string(word.size()) + "\r\n" + word + "\r\n";
    return ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL) == static_cast<long>(bytes.size());
  }

  /// The number that the answer is, or begins with.
  std::optional<std::int64_t> ask(const std::vector<std::string>& words) {
    if (!send(words)) return std::nullopt;
    for (;;) {
      const Item item = item_at(unread_);
      if (item.size == 0) {
        if (!read()) return std::nullopt;
        continue;
      }
      unread_.erase(0, item.size);
      if (item.push.empty()) return item.number;
      take(item.push);
    }
  }

  bool read() {
    pollfd ready{socket_.get(), POLLIN, 0};
    timed_out_ = ::poll(&ready, 1, answer_ms_most) <= 0;
    if (timed_out_) return false;
    char bytes[16384];
    const auto count = ::recv(socket_.get(), bytes, sizeof bytes, 0);
    if (count <= 0) return false;
    unread_.append(bytes, static_cast<std::size_t>(count));
    return true;
  }

  /// pmessage, pattern, channel, event
  void take(const std::vector<std::string>& push) {
    if (push.size() != 4 || push[0] != "pmessage" || !push[2].starts_with(channel)) return;
    effects_.push_back(effect_of(push[3], push[2].substr(channel.size())));
  }

  const std::function<int()> port_;
  int connected_to_ = 0;
  Descriptor socket_;
  std::string unread_;
  std::vector<harness::Effect> effects_;
  bool timed_out_ = false;
};

}  // namespace

std::unique_ptr<KeyWatch> watch_keys(std::function<int()> port) {
  return std::make_unique<Resp3Watch>(std::move(port));
}

}  // namespace lockproof::real
