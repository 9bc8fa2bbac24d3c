// SPDX-License-Identifier: Apache-2.0
#include "real/services/postgres/pq_control.hpp"

#include <poll.h>

#include <cerrno>

#include "real/clock/world_time.hpp"
#include "real/services/postgres/wire.hpp"

namespace lockproof::real {
namespace {

constexpr int answer_ms_max = 20'000;  // a busy machine may keep a new backend waiting for seconds

}  // namespace

bool PqControl::wait(bool to_write, int at_most_ms) const {
  pollfd ready{socket_of(connection_), static_cast<short>(to_write ? POLLOUT : POLLIN), 0};
  const std::int64_t give_up = machine_ns() + std::int64_t{at_most_ms} * 1'000'000;
  int count = ::poll(&ready, 1, at_most_ms);
  while (count < 0 && errno == EINTR) {
    const std::int64_t left_ms = (give_up - machine_ns()) / 1'000'000;
    if (left_ms <= 0) return false;
    count = ::poll(&ready, 1, static_cast<int>(left_ms));
  }
  return count > 0;
}

bool PqControl::connect(int port) {
  close();
  connection_ = begin_to_connect({"127.0.0.1", port});
  ConnectProgress now = ConnectProgress::writes;
  while (connection_ && (now == ConnectProgress::reads || now == ConnectProgress::writes)) {
    if (!wait(now == ConnectProgress::writes, answer_ms_max)) break;
    now = poll_connecting(connection_);
  }
  if (now != ConnectProgress::done) close();
  return now == ConnectProgress::done;
}

void PqControl::close() {
  connection_.reset();
  begun_.reset();
}

bool PqControl::send(const Command& command) {
  if (!connection_ || !send_statement(connection_, command)) return false;
  while (flush_statements(connection_)) {
    if (!wait(true, answer_ms_max)) return false;
  }
  return true;
}

std::optional<Reply> PqControl::answer(int at_most_ms) {
  const std::int64_t give_up = machine_ns() + std::int64_t{at_most_ms} * 1'000'000;
  for (;;) {
    if (!connection_) return std::nullopt;
    auto reply = next_reply(connection_, begun_);
    if (reply) return reply;
    const auto left = static_cast<int>((give_up - machine_ns() + 999'999) / 1'000'000);
    if (left <= 0 || !wait(false, left)) return std::nullopt;
    if (!read_answers(connection_)) close();
  }
}

std::optional<Reply> PqControl::ask(const Command& command) {
  if (!send(command)) return std::nullopt;
  return answer(answer_ms_max);
}

std::optional<Reply> PqControl::ask(const std::string& text, const std::vector<std::string>& parameters) {
  return ask(statement_with(text, parameters));
}

}  // namespace lockproof::real
