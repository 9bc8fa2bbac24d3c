// SPDX-License-Identifier: Apache-2.0
#include "real/services/memcached/watched_log.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <string_view>

#include "real/clock/world_time.hpp"
#include "real/errors.hpp"
#include "real/network/proxy.hpp"

namespace lockproof::real {
namespace {

constexpr std::string_view watch_order = "watch fetchers mutations connevents\r\n";
constexpr std::string_view rousing = "get lockproof-rouse\r\n";
constexpr std::int64_t watch_ns_max = 5'000'000'000;
constexpr int answer_ms_max = 5'000;
/// The thread that writes the log sleeps the longer the less there is to write, up to a second; so there always is.
constexpr std::int64_t rouse_period_ns = 5'000'000;

/// Whether a server answers this.
bool is_answered(const Descriptor& socket, std::string_view order) {
  if (!socket.open() || !write_all(socket.get(), order.data(), order.size())) return false;
  pollfd ready{socket.get(), POLLIN, 0};
  char answer[64];
  return ::poll(&ready, 1, answer_ms_max) == 1 && ::recv(socket.get(), answer, sizeof answer, 0) > 0;
}

}  // namespace

/// The second connection has its first answer before the log begins: its look-ups are told from clients' by there being
/// no line for its beginning.
WatchedLog::WatchedLog(int port) : socket_(dial_port(port)), rouser_(dial_port(port)) {
  const bool asked = socket_.open() && is_answered(rouser_, rousing) &&
                     write_all(socket_.get(), watch_order.data(), watch_order.size());
  const std::int64_t give_up = machine_ns() + watch_ns_max;
  while (asked && !begun_ && machine_ns() < give_up && read(true)) {
  }
  if (!begun_) throw BadEnvironment("memcached does not let itself be watched; version 1.6.18 is known to work");
}

WatchedLog::~WatchedLog() = default;

void WatchedLog::attach(EventLoop& loop) {
  watch_ = std::make_unique<EventLoop::Watch>(loop, socket_.get(), [this](EventLoop::Watch::Readiness ready) {
    if (!ready.failed && read(false)) return;
    while (ready.failed && read(false)) {  // the server has ended: reads the rest of what it wrote
    }
    watch_->want(false, false);
  });
  watch_->want(true, false);
  rouse_ = std::make_unique<EventLoop::Timer>(loop, [this] { rouse(); });
  rouse();
}

void WatchedLog::rouse() {
  if (ended_) return;
  char answers[4096];
  while (::recv(rouser_.get(), answers, sizeof answers, MSG_DONTWAIT) > 0) {
  }
  (void)::send(rouser_.get(), rousing.data(), rousing.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  rouse_->set(machine_ns() + rouse_period_ns);
}

/// Lines end with a newline alone; the answer to `watch` is an ordinary one.
bool WatchedLog::read(bool wait) {
  if (wait) {
    pollfd ready{socket_.get(), POLLIN, 0};
    ::poll(&ready, 1, 100);
  }
  char bytes[16384];
  const auto count = ::recv(socket_.get(), bytes, sizeof bytes, MSG_DONTWAIT);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return true;
  if (count <= 0) {
    ended_ = true;
    return false;
  }
  unread_.append(bytes, static_cast<std::size_t>(count));
  std::size_t begin = 0;
  for (std::size_t end = 0; (end = unread_.find('\n', begin)) != std::string::npos; begin = end + 1) {
    const std::string_view text = std::string_view(unread_).substr(begin, end - begin);
    if (text == "OK\r") begun_ = true;
    if (text.starts_with("[")) throw BadEnvironment("memcached has left out lines of its log: there were too many");
    auto line = log_line_from(text);
    if (line) lines_.push_back({std::move(*line), machine_ns()});
  }
  unread_.erase(0, begin);
  return true;
}

void WatchedLog::read_until(const std::string& key) {
  const std::int64_t give_up = machine_ns() + watch_ns_max;
  const auto seen = [&] {
    return std::any_of(lines_.rbegin(), lines_.rend(), [&](const ReceivedLine& one) { return one.line.key == key; });
  };
  while (!seen() && machine_ns() < give_up && read(true)) {
  }
}

}  // namespace lockproof::real
