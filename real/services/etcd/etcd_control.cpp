// SPDX-License-Identifier: Apache-2.0
#include "real/services/etcd/etcd_control.hpp"

#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>

#include "real/network/proxy.hpp"
#include "real/services/etcd/http.hpp"

namespace lockproof::real {
namespace {

constexpr timeval etcd_answers_within{5, 0};

}  // namespace

EtcdControl::EtcdControl(int port) : socket_(dial_port(port)) {
  if (!socket_.open()) return;
  const int at_once = 1;
  ::setsockopt(socket_.get(), IPPROTO_TCP, TCP_NODELAY, &at_once, sizeof at_once);
  ::setsockopt(socket_.get(), SOL_SOCKET, SO_RCVTIMEO, &etcd_answers_within, sizeof etcd_answers_within);
}

std::optional<std::string> EtcdControl::exchange(std::string_view request) {
  if (!socket_.open() || !write_all(socket_.get(), request.data(), request.size())) return std::nullopt;
  for (;;) {
    if (const std::size_t size = codec_.size(unread_)) {
      std::string answer = unread_.substr(0, size);
      unread_.erase(0, size);
      return answer;
    }
    char bytes[4096];
    const auto count = ::recv(socket_.get(), bytes, sizeof bytes, 0);
    if (count <= 0) return std::nullopt;
    unread_.append(bytes, static_cast<std::size_t>(count));
  }
}

bool EtcdControl::told_of_deletion() {
  char bytes[4096];
  for (;;) {
    const auto count = ::recv(socket_.get(), bytes, sizeof bytes, MSG_DONTWAIT);
    if (count <= 0) break;
    unread_.append(bytes, static_cast<std::size_t>(count));
  }
  bool told = false;
  while (const std::size_t size = codec_.size(unread_)) {
    const auto changes = changes_in(std::string_view(unread_).substr(0, size));
    told = told || std::ranges::any_of(changes, &KeyChange::deleted);
    unread_.erase(0, size);
  }
  return told;
}

std::optional<Reply> EtcdControl::ask(const Command& command) {
  const auto answer = exchange(codec_.encode(command));
  return answer ? std::optional(codec_.reply(command, *answer)) : std::nullopt;
}

/// A range is answered by a leader only.
bool is_etcd_up(int port, const std::string& name) {
  EtcdControl control(port);
  const auto members = control.exchange(http_post("/v3/cluster/member/list", "{}"));
  if (!members || http_body(*members).find(fmt::format("\"name\":\"{}\"", name)) == std::string::npos) return false;
  const auto key = control.exchange(http_post("/v3/kv/range", "{\"key\":\"YQ==\"}"));
  return key && revision_in(*key) > 0;
}

}  // namespace lockproof::real
