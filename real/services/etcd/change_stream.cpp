// SPDX-License-Identifier: Apache-2.0
#include "real/services/etcd/change_stream.hpp"

#include <sys/socket.h>

#include <cerrno>
#include <utility>

#include "real/network/proxy.hpp"

namespace lockproof::real {

ChangeStream::ChangeStream(EventLoop& loop, int port, std::int64_t from, std::function<void(const KeyChange&)> see)
    : see_(std::move(see)), socket_(dial_port(port)) {
  const std::string request = watch_of_all_keys(from);
  if (!socket_.open() || !write_all(socket_.get(), request.data(), request.size())) return;
  watch_ = std::make_unique<EventLoop::Watch>(loop, socket_.get(), [this](EventLoop::Watch::Readiness) { read(); });
  watch_->want(true, false);
}

void ChangeStream::read() {
  char bytes[16384];
  const auto count = ::recv(socket_.get(), bytes, sizeof bytes, MSG_DONTWAIT);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (count <= 0) return watch_->want(false, false);  // the server is gone
  unread_.append(bytes, static_cast<std::size_t>(count));
  while (const std::size_t size = codec_.size(unread_)) {
    for (const KeyChange& change : changes_in(std::string_view(unread_).substr(0, size))) see_(change);
    unread_.erase(0, size);
  }
}

}  // namespace lockproof::real
